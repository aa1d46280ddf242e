/**
 * Who leaves for a gang group that finds no room: nobody unless all of it starts by that. No PodDisruptionBudget is broken, and
 * no gang left with a part of its minimum; then the lowest priority goes, the fewest gangs, the fewest pods, the youngest.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import { compare } from "../room/ranks.ts";
import { Clearing, type Floor } from "./clearing.ts";
import { Looks } from "./looks.ts";
import { isBroken, isWholeWithout, lossesOf, mayLeave, overdrawn } from "./running.ts";
import type { Running, RunningGang, RunningPod } from "./running.ts";
import { fallsWith, mayFall } from "./running_tree.ts";
import { clearFallen, spare, spareFar, type Unit } from "./sparing.ts";

/** Pods that leave, and where the members go then. */
export interface Eviction {
  readonly victims: readonly RunningPod[];
  readonly taken: readonly Use[];
}

/** What is searched. */
export interface EvictionSearch {
  /** What is free, and what others leave already: another one at each call. */
  readonly floor: () => Floor;
  readonly running: Running;
  /** What is left to look at for members that are placed. */
  readonly looks: Looks;
}

interface Sized extends EvictionSearch {
  /** Pods and gangs that may still be looked at while one is kept after another. */
  readonly looks: Looks;
  /** The largest amount of each resource that a pod asks for. */
  readonly largest: ReadonlyMap<string, number>;
}

/** Which pods may leave. */
interface Bounds {
  readonly priority: number;
  /** Gangs may be broken that are whole. */
  readonly breaksGangs: boolean;
  readonly kept: ReadonlySet<RunningPod>;
  /** Budgets under which pods are spared before others are. */
  readonly tight?: ReadonlySet<string>;
}

/** Of equals, which are spared first, each of which may spare more: also those on nodes that many others would have to leave. */
type Sparing = "small" | "large" | "crowded";

/** Of more, those are not looked at one by one that are nowhere near the members. */
const manyUnits = 200;
/** To look for those who leave costs as much for each pod as a look at so many nodes. */
const looksPerPod = 25;
/** So much is looked at while one is kept after another of those that may not leave together. */
const mostLooked = 2000;
/** So often are all kept at once that may not leave together: then others show that may not either. */
const mostRounds = 8;

/** Undefined: no pods may leave by which all members find room. */
export function evictionFor({ floor, running, looks }: EvictionSearch): Eviction | undefined {
  const { pods } = running;
  const taken = floor().place();
  if (taken) return { victims: [], taken };
  const largest = largestOf(pods);
  const search = { floor, running, largest, looks: new Looks(mostLooked, looks) };
  const kept = new Set(pods.filter((pod) => !mayBeEvicted(pod, running)));
  const [lowest, ...higher] = prioritiesOf(pods);
  if (lowest === undefined) return undefined;
  const isAfforded = pods.length <= manyUnits ||
    looks.affords(0) && isEnough(kept, search) && looks.affords(looksPerPod * pods.length);
  if (!isAfforded) return undefined;
  const found = evictionUpTo(lowest, { kept, search });
  if (found || higher.length === 0 || !isEnough(kept, search)) return found;
  for (const priority of higher) {
    const found = evictionUpTo(priority, { kept, search });
    if (found) return found;
  }
  return undefined;
}

function evictionUpTo(
  priority: number,
  { kept, search }: { kept: Bounds["kept"]; search: Sized },
): Eviction | undefined {
  return evictionWithin({ priority, breaksGangs: false, kept }, search) ??
    evictionWithin({ priority, breaksGangs: true, kept }, search);
}

/** Whether the members find room when all have left that may. */
function isEnough(kept: Bounds["kept"], search: Sized): boolean {
  const all = unitsWithin({ priority: Infinity, breaksGangs: true, kept }, search);
  return clearingOf(all, search) !== undefined;
}

/** The Eviction API refuses a pod under several budgets. */
function mayBeEvicted({ budgets: own, isHeld }: RunningPod, { budgets }: Running): boolean {
  return isHeld || (own.length < 2 && own.every((budget) => (budgets.get(budget) ?? 0) > 0));
}

function prioritiesOf(pods: readonly RunningPod[]): number[] {
  return [...new Set(pods.map(({ priority }) => priority))].sort((a, b) => a - b);
}

/** The best that is found within these bounds; of those that may not leave together one after another is kept. */
function evictionWithin(bounds: Bounds, search: Sized): Eviction | undefined {
  const { running, looks } = search;
  const left: Bounds[] = [];
  let next: Bounds | undefined = bounds;
  do {
    const within: Bounds = next;
    const units = unitsWithin(within, search);
    looks.spend(units.length);
    const found = ordersOf(units).flatMap((units, index) =>
      index > 0 && looks.areOver ? [] : evictionFrom(units, search) ?? []
    );
    const conflicts = found.map(({ victims }) => conflictIn(victims, { running, ...within }));
    const allowed = found.filter((_, index) => conflicts[index]!.length === 0);
    if (allowed.length > 0) return leastHarmful(allowed, running);
    // The last is tried first: that the oldest stays.
    for (const pod of (conflicts[0] ?? []).toSorted((a, b) => b.startedAt - a.startedAt)) {
      left.push({ ...within, kept: new Set([...within.kept, pod]) });
    }
    next = left.pop();
  } while (next && !looks.areOver);
  return next && coarselyWithin(bounds, search);
}

/**
 * Somebody who may leave, where there are too many to keep one after another: of those under a budget all are kept at once but as
 * many as may leave, or else all are spared that can be.
 */
function coarselyWithin(bounds: Bounds, search: Sized): Eviction | undefined {
  const { running } = search;
  const tight = new Set<string>();
  let next = bounds;
  for (let round = 0; round < mostRounds; round++) {
    const units = unitsWithin(next, search);
    const found = evictionFrom(inOrder(units, { sparing: "small", tight: next.tight }), search);
    if (!found) {
      if (tight.size === 0 || next.tight) return undefined;
      next = { ...bounds, tight };
      continue;
    }
    const { victims } = found;
    const conflict = conflictIn(victims, { running, ...next });
    if (conflict.length === 0) return found;
    const budgets = overdrawn(victims, running.budgets);
    for (const budget of budgets) tight.add(budget);
    const kept = budgets.length > 0
      ? budgets.flatMap((budget) => keptUnder(budget, { victims, running }))
      : conflict;
    next = { ...next, kept: new Set([...next.kept, ...kept]) };
  }
  return undefined;
}

/** All under a budget but as many as may leave, of those that were to: the lowest, then the youngest. */
function keptUnder(
  budget: string,
  { victims, running }: { victims: readonly RunningPod[]; running: Running },
): RunningPod[] {
  const isUnder = ({ budgets }: RunningPod) => budgets.includes(budget);
  const leaving = victims.filter(isUnder)
    .sort((a, b) => a.priority - b.priority || b.startedAt - a.startedAt)
    .slice(0, running.budgets.get(budget) ?? 0);
  return running.pods.filter((pod) => isUnder(pod) && !leaving.includes(pod));
}

/** What may leave, as far as it is within the bounds. */
function unitsWithin(
  { priority, breaksGangs, kept }: Bounds,
  { running, largest }: Sized,
): Unit[] {
  // A gang is in one tree, or in none.
  const breaksOf = (gang: RunningGang | undefined, pods: readonly RunningPod[]) =>
    isBroken(gang, pods) ? fallsWith(pods, running)[0]?.broken.length ?? 1 : 0;
  const pods = running.pods.filter((pod) => pod.priority <= priority && !kept.has(pod));
  const units: Unit[] = [];
  for (const [id, own] of Map.groupBy(pods, ({ gang }) => gang)) {
    const gang = id === undefined ? undefined : running.gangs.get(id);
    const [held, bound] = [own.filter(({ isHeld }) => isHeld), own.filter((pod) => !pod.isHeld)];
    if (held.length > 0) {
      units.push({ pods: held, breaks: 0, size: 0 });
    }
    if (!gang || gang.disruption === "member") {
      for (const pod of bound) {
        const breaks = breaksOf(gang, [pod]);
        if (breaks > 0 && !breaksGangs) continue;
        units.push({ pods: [pod], breaks, size: sizeOf(pod, largest) });
      }
      continue;
    }
    const mayGoWhole = (breaksGangs || isBrokenAlready(gang)) && bound.length === gang.bound;
    const hasSurplus = bound.some((pod) => isWholeWithout(gang, [pod]));
    if (!mayGoWhole && !hasSurplus) continue;
    const size = bound.reduce((sum, pod) => sum + sizeOf(pod, largest), 0);
    units.push({ pods: bound, gang, mayGoWhole, breaks: breaksOf(gang, bound), size });
  }
  return units;
}

function isBrokenAlready(gang: RunningGang): boolean {
  return !isWholeWithout(gang, []);
}

function largestOf(pods: readonly RunningPod[]): ReadonlyMap<string, number> {
  const largest = new Map<string, number>();
  for (const { requests } of pods) {
    for (const [resource, amount] of requests) {
      largest.set(resource, Math.max(largest.get(resource) ?? 0, amount));
    }
  }
  return largest;
}

function sizeOf({ requests }: RunningPod, largest: ReadonlyMap<string, number>): number {
  let size = 0;
  for (const [resource, amount] of requests) size += amount / (largest.get(resource) || 1);
  return size;
}

/** Those to be spared first first: held ones last, which lose nothing but time. */
function inOrder(
  units: readonly Unit[],
  { sparing, tight = new Set() }: { sparing: Sparing; tight?: Bounds["tight"] },
): Unit[] {
  const sign = sparing === "large" ? -1 : 1;
  const crowds = sparing === "crowded" ? crowdsOf(units) : undefined;
  const ranked = units.map((unit) => ({
    unit,
    rank: [
      unit.pods.some(({ isHeld }) => isHeld) ? 1 : 0,
      unit.pods.some(({ budgets }) => budgets.some((budget) => tight.has(budget))) ? 0 : 1,
      -Math.max(...unit.pods.map(({ priority }) => priority)),
      -unit.breaks,
      unit.mayGoWhole ? -unit.pods.length : -1,
      crowds ? -Math.max(...unit.pods.map(({ node }) => crowds.get(node)!)) : 0,
      sign * unit.size,
      Math.min(...unit.pods.map(({ startedAt }) => startedAt)),
    ],
  }));
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ unit }) => unit);
}

/** How many pods may leave each node. */
function crowdsOf(units: readonly Unit[]): ReadonlyMap<string, number> {
  const crowds = new Map<string, number>();
  for (const { pods } of units) {
    for (const { node } of pods) crowds.set(node, (crowds.get(node) ?? 0) + 1);
  }
  return crowds;
}

/** By each sparing; one order where pods are of one size, say, and as many on each node. */
function ordersOf(units: readonly Unit[]): Unit[][] {
  const orders: Unit[][] = [];
  for (const sparing of ["small", "large", "crowded"] as const) {
    const order = inOrder(units, { sparing });
    const isKnown = orders.some((other) => other.every((unit, index) => unit === order[index]));
    if (!isKnown) orders.push(order);
  }
  return orders;
}

function evictionFrom(units: readonly Unit[], search: Sized): Eviction | undefined {
  for (let many = manyUnits;; many *= 4) {
    // Those that are spared last: of the others all are, if these are enough.
    const last = units.slice(-many);
    const clearing = clearingOf(last, search);
    if (!clearing && last.length < units.length) continue;
    if (!clearing) return undefined;
    spare(units.length > manyUnits ? spareFar(last, clearing) : last, clearing);
    clearFallen(last, { clearing, running: search.running });
    return { victims: clearing.leaving, taken: clearing.taken };
  }
}

/** All of them leave; undefined where the members find no room even then. */
function clearingOf(units: readonly Unit[], { floor }: Sized): Clearing | undefined {
  return Clearing.of(floor(), units.flatMap(({ pods }) => pods));
}

/** Those that may not leave together: the first that there are. */
function conflictIn(
  victims: readonly RunningPod[],
  { running, priority, breaksGangs, kept }: Bounds & { running: Running },
): readonly RunningPod[] {
  const isKept = (pod: RunningPod) => pod.priority > priority || kept.has(pod);
  const fall = fallsWith(victims, running).find((fall) => !mayFall(fall, running, isKept));
  if (fall) return fall.pods;
  const [budget] = overdrawn(victims, running.budgets);
  if (budget !== undefined) return victims.filter(({ budgets }) => budgets.includes(budget));
  for (const [id, own] of lossesOf(victims)) {
    const gang = running.gangs.get(id);
    if (!gang) continue;
    if (!mayLeave(gang, own) || (!breaksGangs && isBroken(gang, own))) return own;
  }
  return [];
}

function leastHarmful(evictions: readonly Eviction[], running: Running): Eviction {
  const harm = ({ victims }: Eviction) => {
    const runs = victims.filter(({ isHeld }) => !isHeld);
    return [
      Math.max(-Infinity, ...runs.map(({ priority }) => priority)),
      [...lossesOf(runs)].filter(([id, own]) => isBroken(running.gangs.get(id), own)).length,
      runs.length,
      -Math.min(...runs.map(({ startedAt }) => startedAt)),
    ];
  };
  return evictions.reduce((a, b) => compare(harm(b), harm(a)) < 0 ? b : a);
}
