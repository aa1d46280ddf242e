import { type Attended, attendedSince } from "../../shared/core/attend/attended.ts";
import type { LetIn, Refused } from "../../shared/core/attend/standing.ts";
import { SharedMap } from "../../shared/core/attend/shared_map.ts";
import type { OfferedMember } from "../../shared/core/attend/offer.ts";
import type { Call, Snapshot } from "../../shared/core/attend/snapshot.ts";
import { times } from "../../shared/core/attend/times.ts";
import type { Census, GangFacts } from "../../shared/core/gang/facts.ts";

/** The gang that these tests are about. */
export const gang = "default/gang";

/** A time at which nothing has happened yet, in ms since the epoch. */
export const start = 1_000_000;

/** What prefilter was told last of a gang for which pods are to leave. */
export const told: NonNullable<Attended["told"]> = {
  specs: "",
  counts: "",
  present: 1,
  fits: false,
  plan: "",
  leaving: true,
  at: start,
  reportAfter: times.reportLeast,
  isNewlyLetIn: false,
};

/** A gang group as it is attended to, otherwise as when its first member came. */
export function attended(known: Partial<Attended> = {}): Attended {
  return { ...attendedSince(gang, start), ...known };
}

/** A group that was let in. */
export function letIn(known: Partial<LetIn> = {}): LetIn {
  return {
    phase: "let in",
    why: { reason: "Admitted", message: `gang ${gang} may be scheduled` },
    at: start,
    judgedAt: 0,
    failed: SharedMap.empty(),
    hasNewFailure: false,
    doubtedAt: Infinity,
    quotas: new Map(),
    ...known,
  };
}

/** A group that finds no room. */
export const kept: Refused = {
  phase: "refused",
  why: { reason: "InsufficientResources", message: "it finds no room" },
  since: start,
};

/** A bind call of a member. */
export function callOf(uid: string, known: Partial<Call> = {}): Call {
  const pod = { namespace: "default", name: uid, uid, node: "node-1" };
  return {
    id: Number(uid.replace(/\D/g, "")) || 1,
    pod,
    gang,
    openedAt: start,
    isGranted: false,
    ...known,
  };
}

/** A member that `filter` would let through: it may go to any of these nodes. */
export function offeredOf(
  { kind, nodes }: Pick<OfferedMember, "kind" | "nodes">,
): OfferedMember {
  return {
    uid: "a1",
    gang,
    kind,
    nodes,
    nominated: undefined,
    isPart: false,
    isIndifferent: false,
    alikeOn: () => new Map(),
    roomOn: () => "spare",
    hasJustChanged: () => false,
    fullestOf: (nodes) => nodes[0],
  };
}

/** What is so of a gang of `minMember`. */
export interface Facts {
  readonly minMember?: number;
  readonly pending?: number;
  readonly bound?: number;
  readonly succeeded?: number;
  readonly calls?: readonly Call[];
  /** By uid. */
  readonly stranded?: readonly string[];
  readonly unschedulable?: ReturnType<Snapshot["unschedulable"]>;
  readonly gated?: ReturnType<Snapshot["gated"]>;
  readonly gatedByOthers?: number;
  /** By kind. */
  readonly untaken?: Readonly<Record<string, readonly string[]>>;
  /** By kind and node. */
  readonly alikeOn?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly untriedFrom?: number;
}

/** The facts of a lone gang. */
export function snapshotOf(facts: Facts): Snapshot {
  const { minMember = 3, pending = 0, bound = 0, succeeded = 0, calls = [] } = facts;
  const { unschedulable = [], gated = [] } = facts;
  const census: Census = {
    pending,
    gated: facts.gatedByOthers ?? 0,
    bound,
    running: bound,
    succeeded,
    failed: 0,
    terminating: 0,
  };
  const [namespace, name] = gang.split("/") as [string, string];
  const createdAt = new Date(start).toISOString();
  const gangFacts: GangFacts = {
    gang: { namespace, name, minMember, createdAt },
    census,
    held: calls.map(({ pod }) => pod),
  };
  return {
    group: { relay: { id: "relay", epoch: 1 }, gangs: [gangFacts] },
    title: `gang ${gang}`,
    calls: new Map(calls.map((call) => [call.pod.uid, call])),
    stranded: facts.stranded ?? [],
    specs: JSON.stringify(gangFacts.gang),
    counts: JSON.stringify(census),
    present: pending + bound + succeeded + calls.length,
    pending,
    isGone: pending + bound + calls.length === 0,
    isForeign: false,
    lacksMap: false,
    untriedFrom: facts.untriedFrom,
    unschedulable: () => unschedulable,
    untaken: (kind) => facts.untaken?.[kind] ?? [],
    alikeOn: (kind) => new Map(Object.entries(facts.alikeOn?.[kind] ?? {})),
    gated: () => gated,
    nominated: () => [],
    placed: () => bound + calls.length,
  };
}
