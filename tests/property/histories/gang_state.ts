import type { GangSpec } from "../../../shared/core/gang/facts.ts";
import type { Composite } from "../../../shared/core/gang/topology.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import {
  type CompositePodGroup,
  type Hierarchy,
  parentOf,
} from "../../../shared/kubernetes/declaring/composite_pod_group.ts";
import { membershipOf } from "../../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import type { PodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { conditionOf } from "../../../tools/sandbox/objects.ts";
import { foreignGate } from "./gangs.ts";

/** The classes of members (DESIGN section 5). */
export const memberClasses = [
  "held",
  "pending",
  "gated",
  "bound",
  "succeeded",
  "failed",
  "terminating",
] as const;

/** A class of members. */
export type MemberClass = (typeof memberClasses)[number];

/** Pods, PodGroups of any kind and what these are in, as somebody knows them. */
export interface Known {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly podGroups: ReadonlyMap<string, PodGroup>;
  readonly composites: ReadonlyMap<string, CompositePodGroup>;
  /** Whether a pod without a node is held, or known to be bound. */
  readonly placeOf: (uid: string) => "held" | "bound" | undefined;
  /** Whether a pod is of an earlier run of its gang, as a relay tells them apart: what of that is right is tested apart. */
  readonly isPast: (gang: string, uid: string) => boolean;
}

/** A gang, counted once more from its pods, apart from the relay's own counting. */
export interface GangState {
  readonly id: string;
  readonly spec: GangSpec;
  /** The tree that it is in, where not all gangs of that are needed. */
  readonly tree: Composite | undefined;
  /** Its declaration can not be used, or it is parked. */
  readonly isUnusable: boolean;
  readonly members: Readonly<Record<MemberClass, readonly Pod[]>>;
}

const gangNames = new WeakMap<object, string>();

/** `namespace/name` of the pod's gang; undefined for a regular pod. */
export function gangOf(pod: Pod): string | undefined {
  const key = pod.spec.containers!;
  const known = gangNames.get(key);
  if (known !== undefined) return known || undefined;
  const membership = membershipOf(pod);
  const name = membership ? `${membership.namespace}/${membership.name}` : "";
  gangNames.set(key, name);
  return name || undefined;
}

/** All gangs that have pods, or those of them that are asked for. */
export function gangStates(known: Known, wanted?: ReadonlySet<string>): Map<string, GangState> {
  const byGang = new Map<string, Pod[]>();
  for (const pod of known.pods.values()) {
    const id = gangOf(pod);
    if (id === undefined || (wanted && !wanted.has(id))) continue;
    const members = byGang.get(id);
    if (members) members.push(pod);
    else byGang.set(id, [pod]);
  }
  return new Map([...byGang].map(([id, pods]) => [id, stateOf(id, pods, known)]));
}

function stateOf(id: string, pods: Pod[], known: Known): GangState {
  const podGroup = known.podGroups.get(id);
  const present = pods.filter(({ metadata }) => !known.isPast(id, metadata.uid));
  const { spec, problem, composite } = readGang(present, {
    findPodGroup: () => podGroup,
    hierarchyOf: (namespace) => hierarchyOf(namespace, known),
  });
  const members: Record<MemberClass, Pod[]> = {
    held: [],
    pending: [],
    gated: [],
    bound: [],
    succeeded: [],
    failed: [],
    terminating: [],
  };
  let isParked = false;
  for (const pod of pods) {
    const { uid, annotations } = pod.metadata;
    const place = pod.spec.nodeName ? "bound" : known.placeOf(uid);
    if (place !== "bound" && annotations?.["gang.scheduling.koordinator.sh/timeout"] === "true") {
      isParked = true;
    }
    if (spec.uid !== undefined && isOfEarlier(pod, podGroup!)) continue;
    if (known.isPast(id, uid)) continue;
    members[classOf(pod, place)].push(pod);
  }
  const isUnusable = problem !== undefined || isParked;
  return { id, spec, tree: composite, isUnusable, members };
}

function hierarchyOf(namespace: string, { podGroups, composites }: Known): Hierarchy {
  const within = (all: Known["podGroups"], parent: string) =>
    [...all.values()].filter((each) =>
      each.metadata.namespace === namespace && parentOf(each) === parent
    );
  return {
    find: (name) => composites.get(`${namespace}/${name}`),
    podGroupsIn: (name) => within(podGroups, name),
    compositesIn: (name) => within(composites, name),
  };
}

function classOf(pod: Pod, place: "held" | "bound" | undefined): MemberClass {
  if (place === "held") return "held";
  if (pod.status?.phase === "Succeeded") return "succeeded";
  if (pod.status?.phase === "Failed") return "failed";
  if (pod.metadata.deletionTimestamp) return "terminating";
  if (place) return place;
  return pod.spec.schedulingGates?.some(({ name }) => name === foreignGate) ? "gated" : "pending";
}

/** Pods that were bound before the PodGroup was created are not its members (S3). */
function isOfEarlier({ spec, status }: Pod, { metadata }: PodGroup): boolean {
  const boundAt = conditionOf({ status }, "PodScheduled")?.lastTransitionTime;
  return spec.nodeName !== undefined && boundAt !== undefined &&
    boundAt < metadata.creationTimestamp!;
}

/** Members that are still needed before the gang may bind (DESIGN section 6, permit); 0: it is satisfied. */
export function stillNeeded(gang: GangState, settings: Settings): number {
  const { spec: { minMember }, members } = gang;
  const inRoles = [...rolesNeeded(gang, settings).values()].reduce((sum, one) => sum + one, 0);
  if (isOnceSatisfied(gang, settings)) return inRoles;
  return Math.max(inRoles, lacking(minMember, members, policyOf(gang, settings)));
}

/** Members of each role that are still needed. */
export function rolesNeeded(gang: GangState, settings: Settings): ReadonlyMap<string, number> {
  const { spec: { roles = [] }, members } = gang;
  return new Map(roles.map(({ name, min }) => {
    const inRole = (some: readonly Pod[]) => some.filter((pod) => roleOf(pod) === name);
    const own = {
      held: inRole(members.held),
      bound: inRole(members.bound),
      pending: inRole(members.pending),
      succeeded: inRole(members.succeeded),
    };
    const isLeft = own.bound.length > 0 || own.held.length + own.pending.length === 0;
    const isDone = isOnceSatisfied(gang, settings) && isLeft;
    return [name, isDone ? 0 : lacking(min, own, policyOf(gang, settings))];
  }));
}

type Counted = Pick<GangState["members"], "held" | "bound" | "pending" | "succeeded">;

function lacking(
  min: number,
  { held, bound, pending, succeeded }: Counted,
  policy: string,
): number {
  const couldCome = held.length + bound.length + pending.length;
  const counted = couldCome < min ? succeeded.length : 0;
  const running = policy === "only-waiting" ? 0 : bound.length;
  return Math.max(0, min - held.length - running - counted);
}

function policyOf({ spec }: GangState, settings: Settings): string {
  return spec.matchPolicy ?? settings.matchPolicy;
}

function isOnceSatisfied(gang: GangState, settings: Settings): boolean {
  return policyOf(gang, settings) === "once-satisfied" && gang.members.bound.length > 0;
}

/** The role that a pod says. */
export function roleOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.["muster.scheduling/role"];
}

/** A gang group. */
export interface GroupState {
  /** Those that exist. */
  readonly gangs: readonly GangState[];
  /** Which of them are needed; a group that needs all of its gangs is a tree of these. */
  readonly tree: Composite;
}

/** The group of a gang. */
export function groupOf(gang: GangState, gangs: ReadonlyMap<string, GangState>): GroupState {
  const named = gang.spec.groups ?? [gang.id];
  return {
    gangs: named.flatMap((id) => gangs.get(id) ?? []),
    tree: gang.tree ?? { name: "all", children: named },
  };
}
