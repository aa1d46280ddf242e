/**
 * Who stays of pods that may leave for others: as many as can, those to be spared first first.
 *
 * @module
 */
import type { Clearing } from "./clearing.ts";
import { isWholeWithout } from "./running.ts";
import type { Running, RunningGang, RunningPod, RunningRole } from "./running.ts";
import { fallsWith } from "./running_tree.ts";

/** Pods that are looked at together: one, those of a gang, or the held ones of a gang. */
export interface Unit {
  readonly pods: readonly RunningPod[];
  /** Set where it stays whole, or leaves as a whole if it may. */
  readonly gang?: RunningGang;
  readonly mayGoWhole?: boolean;
  /** A gang that is whole would not be any more if all of them left, and so many gangs with it; 0: none would. */
  readonly breaks: number;
  readonly size: number;
}

/** Spares one after another, as many as possible at a time. */
export function spare(units: readonly Unit[], clearing: Clearing): void {
  if (units.length === 0 || clearing.spare(units.flatMap(({ pods }) => pods))) return;
  if (units.length > 1) {
    const middle = units.length >> 1;
    spare(units.slice(0, middle), clearing);
    spare(units.slice(middle), clearing);
    return;
  }
  const [unit] = units as [Unit];
  if (unit.gang) spareMembers({ ...unit, gang: unit.gang }, clearing);
}

/** Spares as many members of a gang as it needs, and then what more it can; all of them leave where these are too many. */
function spareMembers(
  { pods, gang, mayGoWhole }: Pick<Unit, "pods" | "mayGoWhole"> & { gang: RunningGang },
  clearing: Clearing,
): void {
  if (!pods.some((pod) => isWholeWithout(gang, [pod]))) return;
  const oldestFirst = pods.toSorted((a, b) => a.startedAt - b.startedAt);
  const leaving = new Set(pods);
  const ofRole = new Map<string | undefined, number>();
  for (const { role } of pods) ofRole.set(role, (ofRole.get(role) ?? 0) + 1);
  const isRoleWhole = ({ name, min, bound }: RunningRole) => bound - (ofRole.get(name) ?? 0) >= min;
  const isWhole = () =>
    gang.bound + gang.succeeded - leaving.size >= gang.minMember && gang.roles.every(isRoleWhole);
  const spareIf = (isNeeded: (pod: RunningPod) => boolean) => {
    for (const pod of oldestFirst) {
      if (!leaving.has(pod) || !isNeeded(pod) || !clearing.spare([pod])) continue;
      leaving.delete(pod);
      ofRole.set(pod.role, ofRole.get(pod.role)! - 1);
    }
  };
  const roles = new Map(gang.roles.map((role) => [role.name, role]));
  spareIf(({ role = "" }) => roles.has(role) && !isRoleWhole(roles.get(role)!));
  spareIf(() => !isWhole());
  if (isWhole()) return spareIf(() => true);
  if (mayGoWhole) clearing.clear(pods.filter((pod) => !leaving.has(pod)));
}

/** Of many, the first are spared for as long as the members find room, and then those that are not where the members go; the rest. */
export function spareFar(units: readonly Unit[], clearing: Clearing): Unit[] {
  let [spared, most] = [0, units.length];
  while (spared < most) {
    const middle = Math.ceil((spared + most) / 2);
    const next = units.slice(spared, middle).flatMap(({ pods }) => pods);
    if (clearing.spare(next)) spared = middle;
    else most = middle - 1;
  }
  const nodes = new Set(clearing.taken.map(({ node }) => node));
  const isNear = ({ pods }: Unit) => pods.some(({ node }) => nodes.has(node));
  const rest = units.slice(spared);
  const far = rest.filter((unit) => !isNear(unit)).flatMap(({ pods }) => pods);
  return clearing.spare(far) ? rest.filter(isNear) : rest;
}

/** What falls with those that leave leaves too, and may make room enough without others of them. */
export function clearFallen(
  units: readonly Unit[],
  { clearing, running }: { clearing: Clearing; running: Running },
): void {
  const before = new Set(clearing.leaving);
  const gangs = new Set(fallsWith([...before], running).flatMap(({ gangs }) => gangs));
  const isFallen = ({ gang }: RunningPod) => gang !== undefined && gangs.has(gang);
  const fallen = running.pods.filter((pod) => isFallen(pod) && !before.has(pod));
  if (fallen.length === 0) return;
  clearing.clear(fallen);
  const others = units.map((unit) => ({
    ...unit,
    pods: unit.pods.filter((pod) => before.has(pod) && !isFallen(pod)),
  }));
  spare(others, clearing);
}
