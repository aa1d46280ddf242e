/**
 * How stages of a team's own do: metrics, readiness, and what a shadow would have decided otherwise.
 *
 * @module
 */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Log } from "../../shared/client/log.ts";
import type { FailureMode, StageHealth, StageName } from "../../shared/core/attend/stage_health.ts";

/** A stage, as far as it is told of. */
export interface ReportedStage {
  readonly stage: StageName;
  readonly url: string;
  readonly failureMode: FailureMode;
  readonly health: StageHealth;
}

/** What a shadow would have decided otherwise. */
export interface Difference {
  /** RFC 3339. */
  readonly at: string;
  readonly stage: StageName;
  /** The gang group, or the two that are the first to be in another order. */
  readonly about: string;
  /** What was decided, and what the shadow answered. */
  readonly decided: string;
  readonly shadow: string;
}

/** So many differences are listed, the newest first. */
const listed = 100;

/** Counts, and keeps what is listed. */
export class StageReport {
  readonly #log: Log;
  readonly #calls: Counter;
  readonly #seconds: Histogram;
  readonly #shadows: Counter;
  readonly #stages: ReportedStage[] = [];
  readonly #differences: Difference[] = [];
  readonly #failing = new Set<StageName>();

  constructor({ registry, log }: { registry: Registry; log: Log }) {
    this.#log = log;
    const registers = [registry];
    this.#calls = new Counter({
      name: "muster_relay_own_stage_calls_total",
      help: "Calls of stages of one's own, by stage and outcome: answered, failed, left alone",
      labelNames: ["stage", "outcome"],
      registers,
    });
    const stages = this.#stages;
    new Gauge({
      name: "muster_relay_own_stage_failing",
      help:
        "Whether a stage of one's own fails now, by stage and what happens then: built-in (Muster's own decides), wait (gangs wait)",
      labelNames: ["stage", "failure"],
      registers,
      collect() {
        for (const { stage, failureMode: failure, health } of stages) {
          this.set({ stage, failure }, health.failures > 0 ? 1 : 0);
        }
      },
    });
    this.#seconds = new Histogram({
      name: "muster_relay_own_stage_duration_seconds",
      help: "Time that stages of one's own take, by stage",
      labelNames: ["stage"],
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers,
    });
    this.#shadows = new Counter({
      name: "muster_relay_shadow_answers_total",
      help:
        "Answers of shadow stages, which nobody obeys, by stage and outcome: same, different, failed, skipped",
      labelNames: ["stage", "outcome"],
      registers,
    });
  }

  /** A stage is told of from now on. */
  follow(stage: ReportedStage): void {
    this.#stages.push(stage);
  }

  /** A stage answered, or was not asked. */
  asked(stage: StageName, outcome: "answered" | "left alone"): void {
    this.#calls.inc({ stage, outcome });
    if (outcome === "left alone" || !this.#failing.delete(stage)) return;
    this.#log("info", `Stage ${stage} answers again`, { stage });
  }

  /** A stage gave no answer that can be used. */
  failed({ stage, url, failureMode, health }: ReportedStage, requestId: string): void {
    this.#calls.inc({ stage, outcome: "failed" });
    this.#failing.add(stage);
    const meanwhile = failureMode === "built-in" ? "Muster's own decides" : "gangs wait";
    this.#log("warn", `Stage ${stage} at ${url} failed, ${meanwhile}: ${health.error}`, {
      stage,
      requestId,
    });
  }

  /** Measures a call. */
  timed(stage: StageName): () => void {
    return this.#seconds.startTimer({ stage });
  }

  /** A shadow answered, did not, or was not asked because it has not answered the last call yet. */
  shadowed(stage: StageName, outcome: "same" | "failed" | "skipped" | Difference): void {
    const isDifferent = typeof outcome === "object";
    this.#shadows.inc({ stage, outcome: isDifferent ? "different" : outcome });
    if (!isDifferent) return;
    this.#differences.unshift(outcome);
    this.#differences.length = Math.min(this.#differences.length, listed);
    const { about, decided, shadow } = outcome;
    this.#log("debug", `Shadow of ${stage} differs about ${about}: ${shadow}, not ${decided}`, {
      stage,
    });
  }

  /** What `/readyz` adds: a line for each stage that fails, and whether gangs wait for one. */
  get readiness(): { readonly lines: readonly string[]; readonly isReady: boolean } {
    const failing = this.#stages.filter(({ health }) => health.failures > 0);
    return {
      lines: failing.map(({ stage, url, failureMode, health }) =>
        `stage ${stage} at ${url} does not answer, ${
          failureMode === "built-in" ? "Muster's own decides" : "gangs wait"
        }: ${health.error}`
      ),
      isReady: failing.every(({ failureMode }) => failureMode === "built-in"),
    };
  }

  /** What `GET /stages` answers. */
  toJSON(): unknown {
    return {
      stages: this.#stages.map(({ stage, url, failureMode, health }) => ({
        stage,
        url,
        failure: failureMode,
        answers: health.failures === 0,
        ...(health.error !== undefined && {
          lastError: health.error,
          lastFailedAt: new Date(health.failedAt).toISOString(),
        }),
      })),
      differences: this.#differences,
    };
  }
}
