import { AbortError } from "p-retry";
import type { Fetch } from "../../../shared/client/fetch.ts";
import type { Chance } from "../../../tools/chance.ts";
import type { PolicyHost } from "./policy_host.ts";
import type { VirtualClock } from "./virtual_clock.ts";

/** What the network between a relay and the functions does to calls, in percent of them. */
export interface NetworkFaults {
  /** Neither the functions nor the relay ever hear of it. */
  readonly loseRequest: number;
  /** The functions carry it out, and the relay does not hear of it. */
  readonly loseAnswer: number;
  /** It is delivered once more, somewhat later. */
  readonly repeat: number;
  /** It takes up to seven seconds each way, longer than a relay waits. */
  readonly delay: number;
  /** The functions are down. */
  readonly refuse: number;
}

/** A network that works. */
export const noFaults: NetworkFaults = {
  loseRequest: 0,
  loseAnswer: 0,
  repeat: 0,
  delay: 0,
  refuse: 0,
};

const latencyMs = 1;
const longestDelayMs = 7000;

/** Told of every call that the functions answered, and of each that they failed at. */
export interface ServedListener {
  readonly served: (call: { stage: string; body: string; answer: string }) => void;
  readonly failed: (stage: string, error: Error) => void;
}

/** The network between relays and the functions. */
export class Network {
  faults = noFaults;
  readonly #clock: VirtualClock;
  readonly #chance: Chance;
  readonly #host: PolicyHost;
  readonly #listener: ServedListener;

  constructor(
    host: PolicyHost,
    { clock, chance, listener }: {
      clock: VirtualClock;
      chance: Chance;
      listener: ServedListener;
    },
  ) {
    this.#host = host;
    this.#clock = clock;
    this.#chance = chance;
    this.#listener = listener;
  }

  /** The `fetch` of a relay, which no answer reaches when it is dead. */
  fetchFor(isDead: () => boolean): Fetch {
    return (url, init) => {
      if (isDead()) return Promise.reject(new AbortError("killed"));
      return new Promise((resolve, reject) => {
        const signal = init.signal!;
        signal.addEventListener(
          "abort",
          () => reject(isDead() ? new AbortError("killed") : signal.reason),
        );
        const stage = url.slice(url.lastIndexOf("/") + 1);
        this.#send(stage, String(init.body), {
          resolve: (answer) => {
            this.#clock.release(signal);
            resolve(answer);
          },
          reject,
        });
      });
    };
  }

  #send(
    stage: string,
    body: string,
    { resolve, reject }: { resolve: (answer: Response) => void; reject: (error: unknown) => void },
  ): void {
    const { loseRequest, loseAnswer, repeat, delay, refuse } = this.faults;
    const chance = this.#chance;
    const time = () => latencyMs + (chance.percent(delay) ? chance.below(longestDelayMs) : 0);
    if (chance.percent(loseRequest)) return;
    if (chance.percent(refuse)) {
      this.#clock.set(() => resolve(respond(503, "the functions are down")), time());
      return;
    }
    const isAnswerLost = chance.percent(loseAnswer);
    const back = time();
    this.#clock.set(() => {
      this.#serve(stage, body).then((answer) => {
        if (!isAnswerLost) this.#clock.set(() => resolve(respond(200, answer)), back);
      }, reject);
    }, time());
    if (chance.percent(repeat)) {
      this.#clock.set(() => void this.#serve(stage, body).catch(reject), time() + time());
    }
  }

  async #serve(stage: string, body: string): Promise<string> {
    try {
      const answer = await this.#clock.during(this.#host.answer(stage, body));
      this.#listener.served({ stage, body, answer });
      return answer;
    } catch (error) {
      this.#listener.failed(stage, error as Error);
      throw error;
    }
  }
}

/** Its body is at hand: streams would take time that no clock knows of. */
function respond(status: number, text: string): Response {
  return {
    ok: status < 300,
    status,
    headers: new Headers(),
    body: [new TextEncoder().encode(text)] as unknown,
    json: () => Promise.resolve(JSON.parse(text)),
    text: () => Promise.resolve(text),
  } as Response;
}
