/**
 * The stage functions, as the relay calls them.
 *
 * @module
 */
import type { SortedQueue, Stages } from "../../functions/stages.ts";
import type { QueueSortRequest } from "../../shared/contract/types.ts";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import type { Question } from "../../shared/core/attend/question.ts";
import type { Group } from "../../shared/core/gang/facts.ts";
import { unsendable } from "../../shared/core/attend/unsendable.ts";
import { type Asked, askStage } from "../../shared/client/stage_call.ts";

/** The functions, and what goes beside a group's facts. */
export interface PolicyClientOptions {
  /** Where the functions are, for messages. */
  readonly url: string;
  readonly stages: Stages;
  /** What goes with a group's facts for whoever looks, as it is at the time of an attempt. */
  readonly shown: (group: Group) => Pick<Group, "resources" | "map" | "pods" | "times">;
  /** Told how long gangs like those of a group ran. */
  readonly learnt: (group: Group, runTimes: NonNullable<Admission["runTimes"]>) => void;
}

/** Calls of the functions; a call that got no answer is repeated as it was, so that it gets the same one. */
export class PolicyClient {
  readonly #options: PolicyClientOptions;

  constructor(options: PolicyClientOptions) {
    this.#options = options;
  }

  /** Where the functions are, for messages. */
  get url(): string {
    return this.#options.url;
  }

  /** Asks a stage about a gang group. */
  async ask(question: Question): Promise<Asked<Admission | Decision>> {
    const { stage, request } = question;
    const answer = await askStage<Admission | Decision>(stage, (id) => {
      const shown = { ...request, ...this.#options.shown(request) };
      return answeredHere(request) ?? this.#options.stages[stage](shown as never, id);
    });
    if (!("runTimes" in answer)) return answer;
    const { runTimes, ...rest } = answer;
    if (runTimes) this.#options.learnt(request, runTimes);
    return rest;
  }

  /** Asks for the keys by which gang groups queue. */
  queueSort(units: QueueSortRequest["units"]): Promise<SortedQueue> {
    return askStage("queue-sort", (id) => this.#options.stages.queueSort({ units }, id));
  }
}

/** Of what can not be said to the functions they are not asked. */
function answeredHere(group: Group): Promise<Decision & { verdict: "reject" }> | undefined {
  const answer = unsendable(group);
  return answer && Promise.resolve(answer);
}
