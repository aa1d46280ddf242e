/**
 * Whom a preemptor may evict: nobody where room comes anyway, no member that is only held, and running gangs stay whole
 * where there is another choice.
 *
 * @module
 */

import { compare, partition } from "./ranks.ts";

/** A pod that would have to go. */
export interface Victim {
  readonly uid: string;
  readonly priority: number;
  /** In ms since the epoch. */
  readonly startedAt: number;
  /** `waits`: it is held, or on its way to be, and gives its place back when its gang is let go. `leaves`: since just now. */
  readonly state: "runs" | "leaves" | "waits";
}

/** What the victims that run are to a gang. */
export interface GangLoss {
  readonly minMember: number;
  /** A role would have fewer members than it needs, which has enough. */
  readonly isRoleBroken?: boolean;
  /** Members with a node that do not leave yet. */
  readonly bound: number;
  readonly succeeded: number;
  /** Those of the bound members that would be evicted. */
  readonly victims: number;
}

/** A node where the preemptor has room once the victims have gone, as the scheduler proposes it. */
export interface PreemptionCandidate {
  readonly node: string;
  readonly pdbViolations: number;
  /** Pods leave it for the preemptor already: their end, of which the scheduler will hear, wakes it. */
  readonly isComing?: boolean;
  /** Empty, from Kubernetes 1.38 on: only what another extender counts is short there, and that one may name victims. */
  readonly victims: readonly Victim[];
  /** One entry for each gang that has victims among them. */
  readonly gangs: readonly GangLoss[];
  /** So many other gangs leave with those that fall below what they need. */
  readonly fallingBeside?: number;
}

/** What becomes of a preemptor. */
export interface Preemption {
  /** The candidates left to the scheduler, and whom it is to evict there, by uid: one of those that have victims, at most. */
  readonly evict: readonly { readonly node: string; readonly uids: readonly string[] }[];
  /** Members that wait, by uid, whose gangs are to be let go instead. */
  readonly letGo: readonly string[];
}

/** A candidate, with its victims told apart. */
interface Choice extends PreemptionCandidate {
  readonly running: readonly Victim[];
  readonly waiting: readonly string[];
}

/**
 * Evicts on the node where it does the least harm, if no place can be had for less. Who just began to leave is not evicted
 * again: the scheduler would wait for an end that has come before (kubernetes #141694), and so it tries the preemptor anew
 * when it comes.
 */
export function preemption(candidates: readonly PreemptionCandidate[]): Preemption {
  if (candidates.some(({ isComing }) => isComing)) return nothing;
  const [empty, others] = partition(candidates, ({ victims }) => victims.length === 0);
  const choices = others.map(toldApart);
  const isPure = (choice: Choice) => choice.waiting.length === 0;
  if (choices.some((choice) => isPure(choice) && choice.running.length === 0)) return nothing;

  const evictable = choices.filter(isPure);
  const free = choices.filter((choice) => choice.running.length === 0);
  const yielding = fewest(free) ?? (evictable.length === 0 ? fewest(choices) : undefined);
  if (yielding) return { evict: [], letGo: yielding.waiting };
  const chosen = evictable.length === 0 ? [] : [leastHarmful(evictable)];
  return {
    evict: [
      ...chosen.map(({ node, running }) => ({ node, uids: running.map(({ uid }) => uid) })),
      ...empty.map(({ node }) => ({ node, uids: [] })),
    ],
    letGo: [],
  };
}

const nothing: Preemption = { evict: [], letGo: [] };

function toldApart(candidate: PreemptionCandidate): Choice {
  const { victims } = candidate;
  return {
    ...candidate,
    running: victims.filter(({ state }) => state === "runs"),
    waiting: victims.filter(({ state }) => state === "waits").map(({ uid }) => uid),
  };
}

/** Higher than any priority. */
const priorityOffset = 2 ** 31;

/**
 * Of the nodes that violate the fewest disruption budgets (the scheduler's own first rule) those where the fewest gangs fall
 * below minMember, and of these the ones where the fewest stay half alive. Then as the scheduler chooses: one alone, so that
 * it is known who leaves.
 */
function leastHarmful(choices: readonly Choice[]): Choice {
  return least(choices, ({ pdbViolations, gangs, running, fallingBeside = 0 }) => {
    const broken = gangs.filter(isBroken);
    const highest = Math.max(...running.map(({ priority }) => priority));
    return [
      pdbViolations,
      broken.length + fallingBeside,
      broken.filter(({ bound, victims }) => bound > victims).length,
      highest,
      running.reduce((sum, { priority }) => sum + priority + priorityOffset, 0),
      -Math.min(
        ...running.flatMap(({ priority, startedAt }) => priority === highest ? [startedAt] : []),
      ),
    ];
  });
}

/** Whether a gang that is whole would not be any more: one that is broken already has no more to lose. */
function isBroken(
  { minMember, isRoleBroken = false, bound, succeeded, victims }: GangLoss,
): boolean {
  const whole = bound + succeeded;
  return whole >= minMember && (isRoleBroken || whole - victims < minMember);
}

function fewest(choices: readonly Choice[]): Choice | undefined {
  return choices.length === 0 ? undefined : least(choices, ({ waiting }) => [waiting.length]);
}

/** The first item of the least rank; ranks are compared number by number. */
function least<T>(items: readonly T[], rankOf: (item: T) => readonly number[]): T {
  const ranked = items.map((item) => ({ item, rank: rankOf(item) }));
  return ranked.reduce((a, b) => compare(b.rank, a.rank) < 0 ? b : a).item;
}
