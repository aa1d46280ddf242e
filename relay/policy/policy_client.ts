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

type Shown = Pick<Group, "resources" | "map" | "pods" | "times">;
type Learnt = (group: Group, runTimes: NonNullable<Admission["runTimes"]>) => void;

/** Calls of the functions; a call that got no answer is repeated as it was, so that it gets the same one. */
export class PolicyClient {
  /** Where the functions are, for messages. */
  readonly url: string;
  readonly #stages: Stages;
  readonly #shown: (group: Group) => Shown;
  readonly #learnt: Learnt;

  constructor(
    url: string,
    { stages, shown = () => ({}), learnt = () => {} }: {
      stages: Stages;
      /** What goes with a group's facts for whoever looks, as it is at the time of an attempt. */
      shown?: (group: Group) => Shown;
      /** Told how long gangs like those of a group ran. */
      learnt?: Learnt;
    },
  ) {
    this.url = url;
    this.#stages = stages;
    this.#shown = shown;
    this.#learnt = learnt;
  }

  /** Asks a stage about a gang group. */
  async ask(question: Question): Promise<Asked<Admission | Decision>> {
    const { stage, request } = question;
    const answer = await askStage<Admission | Decision>(stage, (id) => {
      const shown = { ...request, ...this.#shown(request) };
      return answeredHere(request) ?? this.#stages[stage](shown as never, id);
    });
    if (!("runTimes" in answer)) return answer;
    const { runTimes, ...rest } = answer;
    if (runTimes) this.#learnt(request, runTimes);
    return rest;
  }

  /** Asks for the keys by which gang groups queue. */
  queueSort(units: QueueSortRequest["units"]): Promise<SortedQueue> {
    return askStage("queue-sort", (id) => this.#stages.queueSort({ units }, id));
  }
}

/** Of what can not be said to the functions they are not asked. */
function answeredHere(group: Group): Promise<Decision & { verdict: "reject" }> | undefined {
  const answer = unsendable(group);
  return answer && Promise.resolve(answer);
}
