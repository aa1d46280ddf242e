/**
 * What is said while the API server of a relay that starts is away.
 *
 * @module
 */
import { Outage } from "../shared/client/outage.ts";
import { whyOf } from "../shared/client/why_of.ts";
import type { log } from "../shared/http/log.ts";

/** The time until the API server answers. */
export class ApiServerAway {
  readonly #server: string;
  readonly #log: typeof log;
  readonly #began: () => Promise<void>;
  readonly #outage = new Outage();
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
    this.#why = `the API server at "${this.#server}" does not answer: ${whyOf(error)}`;
    const isFirst = this.#outage.seconds === undefined;
    const isSaid = this.#outage.noted();
    if (isFirst) await this.#began();
    if (isSaid) this.#log("warn", `Waiting: ${this.#why}`);
  };

  /** The relay knows its cluster. */
  over(): void {
    this.#isOver = true;
    const { seconds } = this.#outage;
    if (seconds !== undefined) this.#log("info", `The API server answers, after ${seconds} s`);
  }

  /** What kubelet is told: the relay lives, and is not ready. */
  answer(path: string): Response {
    return path === "/healthz" ? new Response("ok") : new Response(this.#why, { status: 503 });
  }
}
