/**
 * What must hold of whom the scheduler is left to evict.
 *
 * @module
 */
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
} from "../../../shared/kubernetes/extender.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { gangOf, type GangState } from "./gang_state.ts";

/** What is known of the pods and gangs that run. */
export interface Running {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly gangs: ReadonlyMap<string, GangState>;
  /** Pods that the scheduler was left to evict, by uid: it may not have begun. */
  readonly told: ReadonlySet<string>;
}

/**
 * What pods leave behind: first the gangs that are broken by it, and those of them that stay half alive; then the pods' highest
 * priority, and how many they are.
 */
type Harm = readonly [gangs: number, half: number, priority: number, pods: number];

/**
 * One rule that the answer breaks; undefined: none, or it is not looked at: the pod may run beside its siblings only, some of the
 * pods are held, others of their gangs or they themselves leave already, or another gang of their group is whole, which may leave
 * with them.
 */
export function faultOfPreemption(
  { Pod: pod, NodeNameToMetaVictims: proposed }: ExtenderPreemptionArgs,
  { NodeNameToMetaVictims: answered }: ExtenderPreemptionResult,
  running: Running,
): string | undefined {
  const named = (victims: ExtenderPreemptionResult["NodeNameToMetaVictims"]) =>
    Object.entries(victims).map(([node, { Pods }]) =>
      [node, (Pods ?? []).map(({ UID }) => UID)] as const
    );
  const offers = named(proposed ?? {});
  const [chosen, ...others] = named(answered);
  if (!chosen) return undefined;
  const [node, uids] = chosen;
  if (others.length > 0) return `pods are to leave on ${others.length + 1} nodes`;
  const offered = offers.find(([name]) => name === node);
  if (!offered) return `pods are to leave on ${node}, which was not proposed`;
  if (offered[1].length < uids.length) {
    return `${uids.length} pods are to leave, not ${offered[1].length}`;
  }
  if (isBoundToDomain(running.gangs.get(gangOf(pod) ?? ""))) return undefined;
  // The others leave already.
  if (uids.length < offered[1].length) return undefined;
  const all = [...offers.flatMap(([, uids]) => uids), ...uids];
  if (!all.every((uid) => runs(uid, running))) return undefined;
  const harm = harmOf(uids, running);
  for (const [other, victims] of offers) {
    if (isLess(harmOf(victims, running), harm)) return `less is lost on ${other} than on ${node}`;
  }
  return undefined;
}

function isBoundToDomain(gang: GangState | undefined): boolean {
  const { topology, roles = [] } = gang?.spec ?? {};
  return [{ topology }, ...roles].some(({ topology }) => topology?.required !== undefined);
}

function runs(uid: string, { pods, gangs, told }: Running): boolean {
  const pod = pods.get(uid);
  const gang = pod && gangs.get(gangOf(pod) ?? "");
  return pod?.spec.nodeName !== undefined && !pod.metadata.deletionTimestamp && !told.has(uid) &&
    !gang?.spec.roles?.length &&
    !gang?.members.bound.some(({ metadata }) => told.has(metadata.uid)) &&
    !gang?.spec.groups?.some((id) => id !== gang.id && isWhole(gangs.get(id)));
}

function isWhole(gang: GangState | undefined): boolean {
  return gang !== undefined && thereOf(gang) >= gang.spec.minMember;
}

function thereOf({ members: { bound, succeeded } }: GangState): number {
  return bound.length + succeeded.length;
}

function harmOf(uids: readonly string[], { pods, gangs }: Running): Harm {
  const victims = uids.map((uid) => pods.get(uid)!);
  const byGang = Map.groupBy(victims, (pod) => gangOf(pod) ?? "");
  const broken = [...byGang].filter(([id, own]) => {
    const gang = gangs.get(id);
    return gang && isWhole(gang) && thereOf(gang) - own.length < gang.spec.minMember;
  });
  const half = broken.filter(([id, own]) => gangs.get(id)!.members.bound.length > own.length);
  const priority = Math.max(...victims.map(({ spec }) => spec.priority ?? 0));
  return [broken.length, half.length, priority, victims.length];
}

function isLess(harm: Harm, than: Harm): boolean {
  const at = harm.findIndex((value, index) => value !== than[index]);
  return at >= 0 && harm[at]! < than[at]!;
}
