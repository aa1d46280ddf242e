/**
 * What the relay counts, for Prometheus.
 *
 * @module
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import { type Asked, CallFailed } from "../policy/policy_client.ts";
import type { BrokenBy } from "../../shared/core/attend/promise.ts";
import type { WaitingGang } from "../../shared/cluster/waiting.ts";
import type { WatchGap } from "../kube/watcher.ts";

/** Writes one structured log line. */
export type Log = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

/** What is read when somebody asks for the metrics. */
export interface MetricSources {
  readonly log: Log;
  /** Bind calls that are held. */
  readonly held: () => number;
  readonly heldGangs: () => number;
  readonly waiting: () => readonly WaitingGang[];
  readonly isLeading: () => boolean;
}

/** Logged of so many groups, so that the same is not said again. */
const rememberedDecisions = 2000;

/** Counts and logs what the relay does. */
export class Metrics {
  readonly registry = new Registry();
  readonly #log: Log;
  readonly #calls = new Counter({
    name: "muster_relay_extender_calls_total",
    help: "Calls of the scheduler, by verb and outcome",
    labelNames: ["verb", "outcome"],
    registers: [this.registry],
  });
  readonly #decisions = new Counter({
    name: "muster_relay_decisions_total",
    help: "Decisions of the policy functions, by stage, verdict and reason",
    labelNames: ["stage", "verdict", "reason"],
    registers: [this.registry],
  });
  readonly #functionSeconds = new Histogram({
    name: "muster_relay_function_duration_seconds",
    help: "Time that the policy functions take to answer, by stage",
    labelNames: ["stage"],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [this.registry],
  });
  readonly #functionFailures = new Counter({
    name: "muster_relay_function_failures_total",
    help: "Calls of the policy functions that got no answer",
    registers: [this.registry],
  });
  readonly #refusedCalls = new Counter({
    name: "muster_relay_refused_calls_total",
    help:
      "Calls that the policy functions answered, but did not take: each is one gang group's problem",
    registers: [this.registry],
  });
  readonly #holdSeconds = new Histogram({
    name: "muster_relay_hold_duration_seconds",
    help: "Time that a member's bind call was held before it was bound",
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300],
    registers: [this.registry],
  });
  readonly #roundSeconds = new Histogram({
    name: "muster_relay_round_duration_seconds",
    help:
      "Time from a gang's oldest open bind call to the decision that let all of them bind or go, by verdict and reason",
    labelNames: ["verdict", "reason"],
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 600],
    registers: [this.registry],
  });
  readonly #gangBindSeconds = new Histogram({
    name: "muster_relay_gang_bind_duration_seconds",
    help:
      "Time from when as many members of a gang are there as it needs to when as many of them are bound",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
    registers: [this.registry],
  });
  readonly #startSeconds = new Histogram({
    name: "muster_relay_promised_start_error_seconds",
    help:
      "Time from the start that a gang was promised first to the real one; below 0: it came earlier",
    buckets: [-86400, -21600, -3600, -600, -60, 60, 600, 3600, 21600, 86400],
    registers: [this.registry],
  });
  readonly #brokenPromises = new Counter({
    name: "muster_relay_promises_broken_total",
    help:
      "Starts that come later than was said last, or of which nothing is known any more, by why",
    labelNames: ["by"],
    registers: [this.registry],
  });
  readonly #watchGapSeconds = new Histogram({
    name: "muster_relay_watch_gap_duration_seconds",
    help: "Time from the end of a watch by an error to the list that made up for it, by kind",
    labelNames: ["kind"],
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300],
    registers: [this.registry],
  });
  readonly #missedChanges = new Counter({
    name: "muster_relay_watch_missed_changes_total",
    help: "Changes that a list showed and the watch before it had not, by kind",
    labelNames: ["kind"],
    registers: [this.registry],
  });
  readonly #watchFailures = new Counter({
    name: "muster_relay_watch_failures_total",
    help: "Watches that ended with an error and were started again, by kind",
    labelNames: ["kind"],
    registers: [this.registry],
  });
  readonly #pokes = new Counter({
    name: "muster_relay_pokes_total",
    help: "Members woken in the scheduler's queue",
    registers: [this.registry],
  });
  readonly #ungated = new Counter({
    name: "muster_relay_gates_removed_total",
    help: "Members from which Muster's scheduling gate was removed",
    registers: [this.registry],
  });
  readonly #gateless = new Counter({
    name: "muster_relay_members_without_gate_total",
    help: "Members that came without Muster's gate although the admission policy was to add it",
    registers: [this.registry],
  });
  readonly #lastDecision = new Map<string, string>();

  constructor(sources: MetricSources) {
    this.#log = sources.log;
    this.#gauges(sources);
  }

  #gauges(sources: MetricSources): void {
    new Gauge({
      name: "muster_relay_leading",
      help: "1 while the scheduler beside this relay is the one that schedules",
      registers: [this.registry],
      collect() {
        this.set(sources.isLeading() ? 1 : 0);
      },
    });
    new Gauge({
      name: "muster_relay_queue_gangs",
      help: "Gangs with members that have no node, by what they were told last",
      labelNames: ["reason"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { reason } of sources.waiting()) this.inc({ reason });
      },
    });
    new Gauge({
      name: "muster_relay_queue_oldest_age_seconds",
      help: "Age of the oldest member without a node, 0 where there is none",
      registers: [this.registry],
      collect() {
        const oldest = Math.min(...sources.waiting().map(({ since }) => since));
        this.set(oldest === Infinity ? 0 : Math.max(0, Date.now() - oldest) / 1000);
      },
    });
    new Gauge({
      name: "muster_relay_held_gangs",
      help: "Gangs with bind calls that are held now",
      registers: [this.registry],
      collect() {
        this.set(sources.heldGangs());
      },
    });
    new Gauge({
      name: "muster_relay_held_calls",
      help: "Bind calls that are held now",
      registers: [this.registry],
      collect() {
        this.set(sources.held());
      },
    });
  }

  /** A call of the scheduler was answered. */
  called(verb: "filter" | "preempt" | "bind", outcome: string): void {
    this.#calls.inc({ verb, outcome });
  }

  /** The functions decided about a gang group; what the stage said of it before is for who looks closely. */
  decided(
    gang: string,
    { stage, answer }: { stage: string; answer: Asked<Admission | Decision> },
  ): void {
    const { verdict, reason, message, requestId } = answer;
    this.#decisions.inc({ stage, verdict, reason });
    const about = `${stage} ${gang}`;
    const isNew = this.#lastDecision.get(about) !== message;
    this.#lastDecision.delete(about);
    this.#lastDecision.set(about, message);
    if (this.#lastDecision.size > rememberedDecisions) {
      this.#lastDecision.delete(this.#lastDecision.keys().next().value!);
    }
    const level = isNew ? "info" : "debug";
    this.#log(level, message, { gang, stage, outcome: verdict, reason, requestId });
  }

  /** A gang was bound so many ms after it was complete. */
  gangBound(tookMs: number): void {
    this.#gangBindSeconds.observe(tookMs / 1000);
  }

  /** A gang started so many ms after the time that it was promised first. */
  startedAsPromised(lateMs: number): void {
    this.#startSeconds.observe(lateMs / 1000);
  }

  /** A gang was told of a later start than before. */
  promiseBroken(by: BrokenBy): void {
    this.#brokenPromises.inc({ by });
  }

  /** A decision ended what a gang group's oldest open call began so many ms ago. */
  roundEnded({ verdict, reason }: Decision, lastedMs: number): void {
    this.#roundSeconds.observe({ verdict, reason }, lastedMs / 1000);
  }

  /** A member was bound after a hold of so many ms. */
  bound(heldMs: number): void {
    this.#holdSeconds.observe(heldMs / 1000);
  }

  /** A member was poked. */
  poked(): void {
    this.#pokes.inc();
  }

  /** A member's gate was removed. */
  ungated(): void {
    this.#ungated.inc();
  }

  /** A member came without a gate while new ones are to have it. */
  gateless(pod: string): void {
    this.#gateless.inc();
    this.#log("debug", `Pod ${pod} came without Muster's scheduling gate`);
  }

  /** Measures a call of the functions. */
  async timed<T>(stage: string, call: () => Promise<T>): Promise<T> {
    const end = this.#functionSeconds.startTimer({ stage });
    try {
      return await call();
    } finally {
      end();
    }
  }

  /** The functions did not answer. */
  functionFailed(stage: string, error: Error): void {
    this.#functionFailures.inc();
    this.#log("warn", `The policy functions did not answer: ${error.message}`, {
      stage,
      ...(error instanceof CallFailed && { requestId: error.requestId }),
    });
  }

  /** The functions did not take what was said of a gang group. */
  callRefused(title: string, { message, requestId }: CallFailed): void {
    this.#refusedCalls.inc();
    this.#log("warn", `The policy functions did not take the facts about ${title}: ${message}`, {
      requestId,
    });
  }

  /** A watch ended with an error. */
  watchFailed(kind: string, error: Error): void {
    this.#watchFailures.inc({ kind });
    this.#log("warn", `The watch of ${kind} ended and is started again: ${error.message}`, {
      kind,
    });
  }

  /** Everything of a kind was listed again. */
  relisted(kind: string, { missedChanges, blindMs }: WatchGap): void {
    this.#missedChanges.inc({ kind }, missedChanges);
    if (blindMs !== undefined) this.#watchGapSeconds.observe({ kind }, blindMs / 1000);
  }

  /** A write to the API server failed that nothing depends on. */
  writeFailed(what: string, error: Error): void {
    this.#log("warn", `Cannot write ${what}: ${error.message}`);
  }
}
