/**
 * Calls of the functions while they do not answer: one now and then finds out whether they do again, and few others ask.
 *
 * @module
 */
import { OwnStageFailed } from "../contract/own_stage_failed.ts";
import type { Log } from "./log.ts";
import { Outage } from "./outage.ts";
import { CallFailed } from "./stage_call.ts";
import { whyOf } from "./why_of.ts";

/** In ms, from one call in an outage to the next; and to that of somebody who got an answer last, or never asked. */
const pause = 1000;
const pauseOfOthers = 500;
/** Where they answer now and then, that is said as seldom as if they never did: an outage is another one after so long, in ms. */
const calm = 60_000;

/** Told of calls without an answer, each of which is counted, and of what is to be said of them. */
export interface CircuitReports {
  readonly failures: { inc(): void };
  readonly log: Log;
}

/**
 * All calls of the functions pass through it. It opens when two callers got no answer, one after the other. What is to be asked
 * is not kept meanwhile, since it is another thing by then: callers come again with what is so.
 */
export class Circuit {
  readonly #reports: CircuitReports;
  /** Since when no call has been answered, and since when that is an outage. */
  readonly #failing = new Outage(calm);
  readonly #outage = new Outage(calm);
  #isOutageSaid = false;
  #failedFor: string | undefined;
  /** Whoever got no answer since one was given. */
  readonly #unanswered = new Set<string>();
  /** What a call failed by; undefined: it is closed. */
  #error: Error | undefined;
  #probedAt = 0;
  #probing = 0;

  constructor(reports: CircuitReports) {
    this.#reports = reports;
  }

  /**
   * Makes a call, in an outage if it is time to find out whether it is over. One name alone that gets no answer may be asking what
   * nobody can answer.
   *
   * @throws {Error} what the call failed by; in an outage what another one did.
   */
  async call<T>(name: string, ask: () => Promise<T>): Promise<T> {
    if (!this.#error) return await this.#try(name, ask);
    if (!this.#isTurnOf(name)) throw this.#error;
    this.#probedAt = Date.now();
    this.#probing++;
    try {
      return await this.#try(name, ask);
    } finally {
      this.#probing--;
    }
  }

  async #try<T>(name: string, ask: () => Promise<T>): Promise<T> {
    try {
      const answer = await ask();
      this.#answered();
      return answer;
    } catch (error) {
      if (error instanceof CallFailed && error.isRefusal) this.#answered();
      else this.#failed(error as Error, name);
      throw error;
    }
  }

  /**
   * Whoever found out that they do not answer leaves it to others to find out that they do, if there are any; those may not be
   * concerned, and wait for no call that is not answered.
   */
  #isTurnOf(name: string): boolean {
    const restedMs = Date.now() - this.#probedAt;
    if (!this.#unanswered.has(name)) return restedMs >= pauseOfOthers;
    return this.#probing === 0 && restedMs >= (name === this.#failedFor ? 2 * pause : pause);
  }

  #answered(): void {
    this.#failedFor = undefined;
    this.#unanswered.clear();
    this.#error = undefined;
    const { seconds } = this.#failing;
    this.#failing.over();
    this.#outage.over();
    if (!this.#isOutageSaid) return;
    this.#isOutageSaid = false;
    this.#reports.log("info", `The policy functions answer again, after ${seconds} s`);
  }

  #failed(error: Error, name: string): void {
    // A stage of one's own that fails is left alone by itself.
    if (!(error.cause instanceof OwnStageFailed)) this.#noAnswerFor(name, error);
    this.#reports.failures.inc();
    const isOutage = this.#error !== undefined;
    if (!(isOutage ? this.#outage : this.#failing).noted()) return;
    this.#isOutageSaid ||= isOutage;
    const said = isOutage ? "do not answer, and gangs wait" : "did not answer";
    const why = whyOf((error.cause ?? error) as Error);
    const fields = error instanceof CallFailed ? { requestId: error.requestId } : {};
    this.#reports.log("warn", `The policy functions ${said}: ${why}`, fields);
  }

  #noAnswerFor(name: string, error: Error): void {
    const isOutage = this.#failedFor !== undefined && this.#failedFor !== name;
    this.#failedFor = name;
    this.#unanswered.add(name);
    if (!this.#error && !isOutage) return;
    this.#error = error;
    this.#probedAt = Date.now();
  }
}
