/**
 * Calls of the functions while they do not answer: one at a time finds out whether they do again, and the others wait for that.
 *
 * @module
 */
import { OwnStageFailed } from "../contract/own_stage_failed.ts";
import { Alarm } from "./alarm.ts";
import type { Log } from "./log.ts";
import { Outage } from "./outage.ts";
import { CallFailed } from "./stage_call.ts";
import { whyOf } from "./until_answered.ts";

/** In ms, from one call in an outage to the next. */
const pauses = { least: 1000, most: 8000 };

/** Told of calls without an answer, each of which is counted, and of what is to be said of them. */
export interface CircuitReports {
  readonly failures: { inc(): void };
  readonly log: Log;
}

/** Who asks. */
export interface Caller {
  /** One alone that gets no answer may be asking what nobody can answer. */
  readonly name: string;
  /** Who knows of the outage, as by default, waits for its end; others are told of it at once. */
  readonly knowsOutage?: boolean;
  /** Whether the answer is still wanted; absent: it is. */
  readonly isAwaited?: () => boolean;
}

interface Waiting {
  readonly isAwaited: () => boolean;
  /** True: it is the one that finds out. */
  readonly ask: (isProbe: boolean) => void;
  readonly giveUp: (error: Error) => void;
}

/** All calls of the functions pass through it. It opens when two callers got no answer, one after the other. */
export class Circuit {
  readonly #reports: CircuitReports;
  readonly #alarm = new Alarm(() => this.#probe());
  readonly #outage = new Outage();
  #failedFor: string | undefined;
  /** What a call failed by; undefined: it is closed. */
  #error: Error | undefined;
  #probesAt = 0;
  #isProbing = false;
  #waiting: Waiting[] = [];

  constructor(reports: CircuitReports) {
    this.#reports = reports;
  }

  /**
   * Makes a call, in an outage when it is its turn or the outage is over.
   *
   * @throws {Error} what the call failed by; in an outage what another one did.
   */
  async call<T>(ask: () => Promise<T>, caller: Caller): Promise<T> {
    const isProbe = this.#error !== undefined && await this.#turnOf(caller, this.#error);
    try {
      const answer = await ask();
      this.#answered();
      return answer;
    } catch (error) {
      if (error instanceof CallFailed && error.isRefusal) this.#answered();
      else this.#failed(error as Error, caller);
      throw error;
    } finally {
      if (isProbe) this.#probed();
    }
  }

  /** Asks nothing more by itself. */
  stop(): void {
    this.#alarm.stop();
  }

  #turnOf(caller: Caller, error: Error): Promise<boolean> {
    const { knowsOutage = true, isAwaited = () => true } = caller;
    const isDue = !this.#isProbing && Date.now() >= this.#probesAt;
    if (!knowsOutage && !isDue) throw error;
    const { promise, resolve: ask, reject: giveUp } = Promise.withResolvers<boolean>();
    this.#waiting.push({ isAwaited, ask, giveUp });
    if (!this.#isProbing) this.#alarm.setBy(this.#probesAt);
    return promise;
  }

  /** Anyone may be the one that nobody can answer: it is not always the same. */
  #probe(): void {
    const wanted = this.#waiting.filter(({ isAwaited }) => isAwaited());
    const probe = wanted[Math.floor(Math.random() * wanted.length)];
    this.#waiting = wanted.filter((other) => other !== probe);
    this.#isProbing = probe !== undefined;
    probe?.ask(true);
  }

  #probed(): void {
    this.#isProbing = false;
    if (!this.#error) return;
    this.#probesAt = Date.now() + this.#outage.pauseMs(pauses);
    // Each looks at what it waits for, and comes again.
    for (const { giveUp } of this.#waiting.splice(0)) giveUp(this.#error);
  }

  #answered(): void {
    this.#failedFor = undefined;
    if (!this.#error) return;
    this.#error = undefined;
    this.#alarm.stop();
    const { seconds } = this.#outage;
    this.#outage.over();
    this.#reports.log("info", `The policy functions answer again, after ${seconds} s`);
    for (const { ask, isAwaited } of this.#waiting.splice(0)) if (isAwaited()) ask(false);
  }

  #failed(error: Error, { name }: Caller): void {
    // A stage of one's own that fails is left alone by itself.
    if (!(error.cause instanceof OwnStageFailed)) this.#noAnswerFor(name, error);
    this.#reports.failures.inc();
    if (!this.#outage.noted()) return;
    const said = this.#error ? "do not answer, and gangs wait" : "did not answer";
    const why = whyOf((error.cause ?? error) as Error);
    const fields = error instanceof CallFailed ? { requestId: error.requestId } : {};
    this.#reports.log("warn", `The policy functions ${said}: ${why}`, fields);
  }

  #noAnswerFor(name: string, error: Error): void {
    const isOutage = this.#failedFor !== undefined && this.#failedFor !== name;
    this.#failedFor = name;
    if (!this.#error && isOutage) {
      this.#outage.over();
      this.#probesAt = Date.now() + pauses.least;
    }
    if (this.#error || isOutage) this.#error = error;
  }
}
