/**
 * Which members of gangs leave a node where the scheduler has chosen among them without knowing of gangs.
 *
 * @module
 */
import { isSame } from "../room/fit.ts";
import { isWholeWithout, type RunningGang, type RunningPod } from "./running.ts";

/**
 * Pods that are to leave in place of those that were proposed. Where these would leave a gang with less than it needs, as many of its
 * members with the same requests that it can spare, the youngest first, if there are so many.
 */
export function spareable(
  proposed: readonly RunningPod[],
  { here, gangs }: { here: readonly RunningPod[]; gangs: ReadonlyMap<string, RunningGang> },
): readonly RunningPod[] {
  const byGang = Map.groupBy(proposed, ({ gang }) => gang);
  return [...byGang].flatMap(([id, victims]) => {
    const gang = id === undefined ? undefined : gangs.get(id);
    if (!gang || isWholeWithout(gang, victims)) return victims;
    const others = here.filter((pod) => pod.gang === id);
    return exchanged(victims, { gang, others }) ?? victims;
  });
}

/** Undefined: the gang can not spare so many of them. */
function exchanged(
  victims: readonly RunningPod[],
  { gang, others }: { gang: RunningGang; others: readonly RunningPod[] },
): RunningPod[] | undefined {
  const chosen: RunningPod[] = [];
  const youngestFirst = others.toSorted((a, b) => b.startedAt - a.startedAt);
  for (const { requests } of victims) {
    const found = youngestFirst.find((pod) =>
      !chosen.includes(pod) && isSame(pod.requests, requests) &&
      isWholeWithout(gang, [...chosen, pod])
    );
    if (!found) return undefined;
    chosen.push(found);
  }
  return chosen;
}
