import type { ClusterMap } from "../../shared/core/gang/cluster_map.ts";
import type { GangFacts } from "../../shared/core/gang/facts.ts";
import type { GangTimes } from "../../shared/core/gang/gang_times.ts";
import type { Changes } from "./changes.ts";

/** One call of the functions. */
export interface PolicyCall {
  /** The last part of its path: `prefilter`, `permit`, … */
  readonly stage: string;
  readonly requestId: string | null;
  /** The request's body, and the answer's once there is one. */
  readonly body: {
    relay?: { id: string; epoch: number };
    gangs?: GangFacts[];
    map?: ClusterMap;
    times?: Record<string, GangTimes>;
    units?: { id: string; bound?: number; wholeAt?: number }[];
  };
  answer?: { verdict?: string; reason?: string; message?: string };
}

/** The functions, over HTTP. */
export interface PolicyFunctions {
  fetch(request: Request): Promise<Response>;
}

/** Stands between a relay and the functions: records the calls, and delays, fails or drops them. */
export class PolicyCalls {
  /** All calls that a relay made, oldest first, but for those of queue-sort that time alone makes. */
  readonly made: PolicyCall[] = [];
  /** Answers that were no success although no fault was injected. */
  readonly refused: string[] = [];
  /** A fault to inject; `answer` asks the functions. */
  intercept: ((call: PolicyCall, answer: () => Promise<Response>) => Promise<Response>) | undefined;
  readonly #host: PolicyFunctions;
  readonly #changes: Changes;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(host: PolicyFunctions, changes: Changes) {
    this.#host = host;
    this.#changes = changes;
  }

  /** How many calls were made of these stages, or of all. */
  count(...stages: string[]): number {
    return this.made.filter(({ stage }) => stages.length === 0 || stages.includes(stage)).length;
  }

  /** The `fetch` of a relay. */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const answered = this.#answer(new Request(input, init));
    this.#pending.add(answered);
    const done = () => {
      this.#pending.delete(answered);
      this.#changes.happened();
    };
    answered.then(done, done);
    return answered;
  }

  /** Resolves when no call is open. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled([...this.#pending]);
  }

  async #answer(request: Request): Promise<Response> {
    const stage = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const requestId = request.headers.get("x-request-id");
    const call: PolicyCall = { stage, requestId, body: await request.clone().json() };
    if (call.body.units?.length !== 0) this.made.push(call);
    this.#changes.happened();
    const ask = async () => {
      const response = await this.#host.fetch(request.clone());
      const answer = await response.clone().json();
      call.answer = answer;
      if (!response.ok) this.refused.push(`${stage}: ${JSON.stringify(answer)}`);
      return response;
    };
    return await (this.intercept?.(call, ask) ?? ask());
  }
}
