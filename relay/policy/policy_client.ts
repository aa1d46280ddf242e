/**
 * The stage functions, as the relay calls them.
 *
 * @module
 */
import type { Stages } from "../../functions/stages.ts";
import type { QueueSortRequest } from "../../shared/contract/types.ts";
import { CallRefused } from "../../shared/contract/call_refused.ts";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import type {
  Ahead,
  Fit,
  Group,
  Loss,
  MemberFailure,
  ResourceAmounts,
} from "../../shared/core/gang/facts.ts";
import { unsendable } from "../../shared/core/attend/unsendable.ts";
import { retry } from "../kube/retry.ts";
import { inSpan } from "../report/trace.ts";

/** A call that got no answer. */
export class CallFailed extends Error {
  override name = "CallFailed";
  /** By which the functions' log knows it. */
  readonly requestId: string;

  constructor(error: Error, requestId: string) {
    super(error.message, { cause: error });
    this.requestId = requestId;
  }

  /** Whether it is what this call says that can not be taken: others are answered. */
  get isRefusal(): boolean {
    return this.cause instanceof CallRefused;
  }
}

/** An answer, and by which request id the functions' log knows its call. */
export type Asked<Answer> = Answer & { readonly requestId: string };

/** Calls of the functions; a call that got no answer is repeated as it was, so that it gets the same one. */
export class PolicyClient {
  /** Where the functions are, for messages. */
  readonly url: string;
  readonly #stages: Stages;
  readonly #resources: (() => ResourceAmounts[] | undefined) | undefined;

  constructor(
    url: string,
    { stages, resources }: {
      stages: Stages;
      /** Gives what is to be told of the whole cluster with a group's facts, when it is time. */
      resources?: () => ResourceAmounts[] | undefined;
    },
  ) {
    this.url = url;
    this.#stages = stages;
    this.#resources = resources;
  }

  prefilter(
    request: Group & { readonly fit?: Fit; readonly ahead?: Ahead },
  ): Promise<Asked<Admission>> {
    const told = this.#toldWith(request);
    return ask<Admission>(
      "prefilter",
      (id) => answeredHere(request) ?? this.#stages.prefilter(told, id),
    );
  }

  permit(request: Group): Promise<Asked<Decision>> {
    const told = this.#toldWith(request);
    return ask("permit", (id) => answeredHere(request) ?? this.#stages.permit(told, id));
  }

  postfilter(
    request: Group & { readonly failed: readonly MemberFailure[] },
  ): Promise<Asked<Decision>> {
    const told = this.#toldWith(request);
    return ask("postfilter", (id) => answeredHere(request) ?? this.#stages.postfilter(told, id));
  }

  unreserve(request: Group & { readonly lost: readonly Loss[] }): Promise<Asked<Decision>> {
    const told = this.#toldWith(request);
    return ask("unreserve", (id) => answeredHere(request) ?? this.#stages.unreserve(told, id));
  }

  /** The same for every attempt of a call. */
  #toldWith<Request extends Group>(request: Request): Request {
    const resources = this.#resources?.();
    return resources ? { ...request, resources } : request;
  }

  async queueSort(units: QueueSortRequest["units"]): Promise<Map<string, string>> {
    const { keys } = await ask("queue-sort", (id) => this.#stages.queueSort({ units }, id));
    return new Map(keys.map(({ id, key }) => [id, key]));
  }
}

/** Of what can not be said to the functions they are not asked. */
function answeredHere(group: Group): Promise<Decision & { verdict: "reject" }> | undefined {
  const answer = unsendable(group);
  return answer && Promise.resolve(answer);
}

async function ask<Answer>(
  stage: string,
  attempt: (requestId: string) => Promise<Answer>,
): Promise<Asked<Answer>> {
  const requestId = crypto.randomUUID();
  try {
    const answer = await inSpan(
      { name: stage, attributes: { "muster.request_id": requestId } },
      () => retry(() => attempt(requestId), { retries: 2, maxTimeout: 500 }),
    );
    return { ...answer, requestId };
  } catch (error) {
    throw new CallFailed(error as Error, requestId);
  }
}
