/**
 * What is said while the API server of a relay that starts is away.
 *
 * @module
 */
import { whyOf } from "../shared/client/until_answered.ts";
import type { log } from "../shared/http/log.ts";

/** It is said again after so long, in ms: the first time, and at most; each time after twice as long. */
const silences = { first: 10_000, most: 600_000 };

/** The time until the API server answers. */
export class ApiServerAway {
  readonly #server: string;
  readonly #log: typeof log;
  readonly #began: () => Promise<void>;
  #since: number | undefined;
  #saysAt = 0;
  #silence = silences.first;
  #why = "";
  #isOver = false;

  /** `began` is called when it has not answered for the first time. */
  constructor(server: string, options: { log: typeof log; began: () => Promise<void> }) {
    this.#server = server;
    this.#log = options.log;
    this.#began = options.began;
  }

  /** The relay knows its cluster. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It did not answer. */
  readonly noted = async (error: Error): Promise<void> => {
    const now = Date.now();
    this.#why = `the API server at "${this.#server}" does not answer: ${whyOf(error)}`;
    if (this.#since === undefined) {
      this.#since = now;
      await this.#began();
    }
    if (now < this.#saysAt) return;
    this.#log("warn", `Waiting: ${this.#why}`);
    this.#saysAt = now + this.#silence;
    this.#silence = Math.min(2 * this.#silence, silences.most);
  };

  /** The relay knows its cluster. */
  over(): void {
    this.#isOver = true;
    if (this.#since === undefined) return;
    const seconds = Math.round((Date.now() - this.#since) / 1000);
    this.#log("info", `The API server answers, after ${seconds} s`);
  }

  /** What kubelet is told: the relay lives, and is not ready. */
  answer(path: string): Response {
    return path === "/healthz" ? new Response("ok") : new Response(this.#why, { status: 503 });
  }
}
