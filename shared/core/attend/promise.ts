/**
 * What is said to a group that waits of its start: rounded, and seldom anew, because each time costs a call of the functions and a
 * write for each of its pods.
 *
 * @module
 */
import type { StartEstimate } from "../gang/gang_times.ts";
import type { Estimate } from "../plan/estimate.ts";
import type { Plan } from "../plan/plan.ts";
import { lastTime } from "../words/start_text.ts";
import { times } from "./times.ts";

/** What was said of a start. */
export interface Promised {
  /** Undefined: that it is not known any more. */
  readonly said: StartEstimate | undefined;
  /** Since when that is said, in ms since the epoch. */
  readonly at: number;
  /** The start that was promised first, in ms since the epoch. */
  readonly first: number;
}

/** Why a start comes later than was promised. */
export type BrokenBy =
  /** The gang that it waits for runs for longer than was expected. */
  | "overrun"
  /** Another gang has gone before it. */
  | "overtaken"
  /** How long what runs is going to run is not known any more. */
  | "unknown"
  /** Others start or end otherwise than was planned, or nodes have gone. */
  | "replanned";

/** Steps to which a start is rounded up, the nearer it is the smaller, in ms. */
const steps = [
  { within: 600_000, step: 60_000 },
  { within: 2 * 3_600_000, step: 300_000 },
  { within: 12 * 3_600_000, step: 900_000 },
  { within: Infinity, step: 3_600_000 },
];

/** What is said of the start that a plan has now, and whether what was said before is broken by it. */
export function followPromise(
  before: Promised | undefined,
  { plan, now }: { plan: Plan; now: number },
): { promised: Promised | undefined; brokenBy?: BrokenBy } {
  const estimate = estimateOf(plan);
  // It starts at once, or waits for its own members.
  if (!plan.isShort) return { promised: before };
  if (!before?.said) {
    if (!estimate || (before && now < before.at + times.promiseAgain)) return { promised: before };
    const first = before?.first ?? estimate.startsAt;
    return { promised: { said: toldOf(estimate, now), at: now, first } };
  }
  // Nobody is left to believe in a start that is not kept any more.
  if (estimate && now < before.at + times.promiseAgain) return { promised: before };
  if (!estimate) {
    return {
      promised: { ...before, said: undefined, at: now },
      brokenBy: plan.ahead ? "overtaken" : "unknown",
    };
  }
  if (stillHolds(before.said, estimate, now)) return { promised: before };
  const said = toldOf(estimate, now);
  const isLater = said.startsAt > before.said.startsAt;
  return {
    promised: { ...before, said, at: now },
    ...(isLater && { brokenBy: whoBroke(before.said, said, plan) }),
  };
}

/** When a plan that time alone may change is to be made again, in ms since the epoch; Infinity: never. */
export function nextPromiseAt(
  groups: Iterable<{
    readonly attended: {
      readonly promise: Promised | undefined;
      readonly plan: Plan | undefined;
    };
  }>,
  now: number,
): number {
  const notYet = (at: number) => at > now ? at : Infinity;
  let soonest = Infinity;
  for (const { attended: { promise, plan } } of groups) {
    const reservation = plan && estimateOf(plan);
    const again = (promise?.at ?? -Infinity) + times.promiseAgain;
    const isSaid = promise?.said && reservation && stillHolds(promise.said, reservation, now);
    soonest = Math.min(
      soonest,
      notYet(reservation?.startsAt ?? Infinity),
      isSaid ? Infinity : notYet(again),
    );
  }
  return soonest;
}

/** The start of a plan; undefined: nobody knows it, or nobody lives to see it. */
function estimateOf({ reservation }: Plan): Estimate | undefined {
  return reservation && reservation.startsAt < lastTime ? reservation : undefined;
}

function toldOf({ startsAt, after, isOverdue, domain }: Estimate, now: number): StartEstimate {
  const step = stepAt(startsAt, now);
  return {
    startsAt: new Date(Math.ceil(startsAt / step) * step).toISOString(),
    // Of a gang group the first.
    ...(after !== undefined && { after: after.split(",")[0] }),
    ...(isOverdue && { isOverdue }),
    ...(domain !== undefined && { domain }),
  };
}

function stepAt(startsAt: number, now: number): number {
  return steps.find(({ within }) => startsAt - now <= within)!.step;
}

/** Whether it is as true as it was: near enough, and for the same reason. */
function stillHolds(said: StartEstimate, estimate: Estimate, now: number): boolean {
  const fresh = toldOf(estimate, now);
  const { startsAt, ...why } = said;
  const { startsAt: freshAt, ...freshWhy } = fresh;
  const step = stepAt(estimate.startsAt, now);
  const isNear = Math.abs(Date.parse(startsAt) - Date.parse(freshAt)) <= step;
  return isNear && Date.parse(startsAt) > now && JSON.stringify(why) === JSON.stringify(freshWhy);
}

function whoBroke(before: StartEstimate, said: StartEstimate, { ahead }: Plan): BrokenBy {
  if (said.isOverdue && said.after === before.after) return "overrun";
  return ahead ? "overtaken" : "replanned";
}
