/**
 * What the relay counts, for Prometheus, and what it logs.
 *
 * @module
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import type { Log } from "../../shared/client/log.ts";
import type { Asked, CallFailed } from "../../shared/client/stage_call.ts";
import type { WaitingGang } from "../../shared/cluster/waiting.ts";
import { whyOf } from "../../shared/client/why_of.ts";
import type { WatchReports } from "../../shared/client/watcher.ts";

/** What is read when somebody asks for the metrics. */
export interface MetricSources {
  readonly log: Log;
  /** Bind calls that are held. */
  readonly held: () => number;
  readonly heldGangs: () => number;
  readonly waiting: () => readonly WaitingGang[];
  readonly isLeading: () => boolean;
}

const holdBuckets = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300];

/** Counts and logs what the relay does. */
export class Metrics {
  readonly registry = new Registry();
  readonly calls = this.#counter(
    "muster_relay_extender_calls_total",
    "Calls of the scheduler, by verb and outcome",
    ["verb", "outcome"],
  );
  readonly holdSeconds = this.#histogram(
    "muster_relay_hold_duration_seconds",
    "Time that a member's bind call was held before it was bound",
    { buckets: holdBuckets },
  );
  readonly roundSeconds = this.#histogram(
    "muster_relay_round_duration_seconds",
    "Time from a gang's oldest open bind call to the decision that let all of them bind or go, by verdict and reason",
    { buckets: [...holdBuckets, 600], labelNames: ["verdict", "reason"] },
  );
  readonly gangBindSeconds = this.#histogram(
    "muster_relay_gang_bind_duration_seconds",
    "Time from when as many members of a gang are there as it needs to when as many of them are bound",
    { buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200] },
  );
  readonly startSeconds = this.#histogram(
    "muster_relay_promised_start_error_seconds",
    "Time from the start that a gang was promised first to the real one; below 0: it came earlier",
    { buckets: [-86400, -21600, -3600, -600, -60, 60, 600, 3600, 21600, 86400] },
  );
  readonly brokenPromises = this.#counter(
    "muster_relay_promises_broken_total",
    "Starts that come later than was said last, or of which nothing is known any more, by why",
    ["by"],
  );
  readonly pokes = this.#counter(
    "muster_relay_pokes_total",
    "Members woken in the scheduler's queue",
  );
  readonly gatesRemoved = this.#counter(
    "muster_relay_gates_removed_total",
    "Members from which Muster's scheduling gate was removed",
  );
  readonly #gateless = this.#counter(
    "muster_relay_members_without_gate_total",
    "Members that came without Muster's gate although the admission policy was to add it",
  );
  readonly #decisions = this.#counter(
    "muster_relay_decisions_total",
    "Decisions of the policy functions, by stage, verdict and reason",
    ["stage", "verdict", "reason"],
  );
  readonly #functionSeconds = this.#histogram(
    "muster_relay_function_duration_seconds",
    "Time that the policy functions take to answer, by stage",
    {
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      labelNames: ["stage"],
    },
  );
  readonly functionFailures = this.#counter(
    "muster_relay_function_failures_total",
    "Calls of the policy functions that got no answer",
  );
  readonly #refusedCalls = this.#counter(
    "muster_relay_refused_calls_total",
    "Calls that the policy functions answered, but did not take: each is one gang group's problem",
  );
  readonly #watchGapSeconds = this.#histogram(
    "muster_relay_watch_gap_duration_seconds",
    "Time from the end of a watch by an error to the list that made up for it, by kind",
    { buckets: [0.5, 1, 2, 5, 10, 30, 60, 300], labelNames: ["kind"] },
  );
  readonly #missedChanges = this.#counter(
    "muster_relay_watch_missed_changes_total",
    "Changes that a list showed and the watch before it had not, by kind",
    ["kind"],
  );
  readonly #watchFailures = this.#counter(
    "muster_relay_watch_failures_total",
    "Watches that ended with an error and were started again, by kind",
    ["kind"],
  );
  readonly #log: Log;

  constructor({ log, isLeading, waiting, held, heldGangs }: MetricSources) {
    this.#log = log;
    this.#gauge(
      "muster_relay_leading",
      "1 while the scheduler beside this relay is the one that schedules",
      (gauge) => gauge.set(isLeading() ? 1 : 0),
    );
    this.#gauge(
      "muster_relay_queue_gangs",
      "Gangs with members that have no node, by what they were told last",
      (gauge) => {
        gauge.reset();
        for (const { reason } of waiting()) gauge.inc({ reason });
      },
      ["reason"],
    );
    this.#gauge(
      "muster_relay_queue_oldest_age_seconds",
      "Age of the oldest member without a node, 0 where there is none",
      (gauge) => {
        const oldest = Math.min(...waiting().map(({ since }) => since));
        gauge.set(oldest === Infinity ? 0 : Math.max(0, Date.now() - oldest) / 1000);
      },
    );
    this.#gauge(
      "muster_relay_held_gangs",
      "Gangs with bind calls that are held now",
      (gauge) => gauge.set(heldGangs()),
    );
    this.#gauge(
      "muster_relay_held_calls",
      "Bind calls that are held now",
      (gauge) => gauge.set(held()),
    );
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter<Label>({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    options: { buckets: number[]; labelNames?: readonly Label[] },
  ) {
    return new Histogram<Label>({ name, help, ...options, registers: [this.registry] });
  }

  /** `collect` sets it when somebody asks. */
  #gauge(name: string, help: string, collect: (gauge: Gauge) => void, labelNames: string[] = []) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => collect(gauge),
    });
  }

  /** The functions decided about a gang group; what is no news is for who looks closely. */
  decided(
    gang: string,
    { stage, answer, isNews }: {
      stage: string;
      answer: Asked<Admission | Decision>;
      isNews: boolean;
    },
  ): void {
    const { verdict, reason, message, requestId } = answer;
    this.#decisions.inc({ stage, verdict, reason });
    const level = isNews ? "info" : "debug";
    this.#log(level, message, { gang, stage, outcome: verdict, reason, requestId });
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

  /** The functions did not take what was said of a gang group. */
  callRefused(title: string, { message, requestId }: CallFailed): void {
    this.#refusedCalls.inc();
    this.#log("warn", `The policy functions did not take the facts about ${title}: ${message}`, {
      requestId,
    });
  }

  /** Counts and logs how the watch of a kind fares. */
  watch(kind: string): WatchReports {
    return {
      failed: (error, isSaid) => {
        this.#watchFailures.inc({ kind });
        const level = isSaid ? "warn" : "debug";
        this.#log(level, `The watch of ${kind} ended and starts again: ${whyOf(error)}`, { kind });
      },
      relisted: ({ missedChanges, blindMs }) => {
        this.#missedChanges.inc({ kind }, missedChanges);
        if (blindMs !== undefined) this.#watchGapSeconds.observe({ kind }, blindMs / 1000);
      },
    };
  }

  /** A write to the API server failed that nothing depends on. */
  writeFailed(what: string, error: Error): void {
    this.#log("warn", `Cannot write ${what}: ${whyOf(error)}`);
  }
}
