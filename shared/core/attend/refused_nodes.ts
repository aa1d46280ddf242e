/**
 * Nodes that the scheduler's own plugins refused where the plan had room: volumes, ports, anti-affinity and what else only
 * they know. Members of that kind are planned elsewhere until the node changes.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import { times } from "./times.ts";

/** What is known of a node that was refused. */
export interface RefusedNode {
  /** When it was refused last, in ms since the epoch. */
  readonly at: number;
  /** Members are planned elsewhere. */
  readonly isRefused: boolean;
  /** So many times it was planned with again in vain. */
  readonly tries: number;
  /** The member that no node took then, by uid: where one takes it, nothing is known of the others any more. */
  readonly untaken?: string;
}

/** By kind of member and node. */
export type RefusedNodes = ReadonlyMap<string, ReadonlyMap<string, RefusedNode>>;

/** With nodes that were refused now. */
export function learn(
  before: RefusedNodes,
  { kind, nodes, now, untaken }: {
    kind: string;
    nodes: readonly string[];
    now: number;
    untaken?: string;
  },
): RefusedNodes {
  const known = new Map(
    [...before.get(kind) ?? []].filter(([, { at }]) => now < at + times.refusedNode),
  );
  for (const node of nodes) {
    const before = known.get(node);
    const isAgain = before !== undefined && !(before.isRefused && now < standsUntil(before));
    const tries = (before?.tries ?? 0) + (isAgain ? 1 : 0);
    known.set(node, { at: now, isRefused: true, tries, ...(untaken !== undefined && { untaken }) });
  }
  return new Map([...before, [kind, known]]);
}

/**
 * Those of the nodes that were refused: that the scheduler offers them says that they are not any more. One that takes a member
 * alone and not two is offered whenever none is held there: where that was in vain once, time alone brings it back. Where no node
 * took a member, that others of its kind are taken was so before.
 */
export function offeredAgain(
  refused: RefusedNodes,
  { uid, kind, nodes }: { uid: string; kind: string | undefined; nodes: readonly string[] },
): readonly string[] {
  const known = kind === undefined ? undefined : refused.get(kind);
  return nodes.filter((name) => {
    const node = known?.get(name);
    if (!node?.isRefused || node.tries > 0) return false;
    return node.untaken === undefined || node.untaken === uid;
  });
}

/** Without these nodes, until they are refused again; where no node took a member and these do, without all that were refused so. */
export function forget(
  refused: RefusedNodes,
  { kind, nodes }: { kind: string; nodes: readonly string[] },
): RefusedNodes {
  const known = refused.get(kind) ?? new Map<string, RefusedNode>();
  const taken = new Set(nodes);
  const members = new Set(nodes.flatMap((name) => known.get(name)?.untaken ?? []));
  return new Map([
    ...refused,
    [
      kind,
      believed(
        known,
        (name, { untaken = "", tries }) => taken.has(name) || (members.has(untaken) && tries === 0),
      ),
    ],
  ]);
}

/** Without what is known by a member that no node took and that is held or gone now, unless that was in vain before. */
export function withoutUntaken(refused: RefusedNodes, uid: string): RefusedNodes {
  const isBy = ({ untaken, tries }: RefusedNode) => untaken === uid && tries === 0;
  if (!refused.values().some((nodes) => nodes.values().some(isBy))) return refused;
  return new Map(
    [...refused].map(([kind, nodes]) => [kind, believed(nodes, (_, node) => isBy(node))]),
  );
}

function believed(
  nodes: ReadonlyMap<string, RefusedNode>,
  isBelieved: (name: string, node: RefusedNode) => boolean,
): ReadonlyMap<string, RefusedNode> {
  return new Map(
    [...nodes].map(([name, node]) =>
      [name, isBelieved(name, node) ? { ...node, isRefused: false } : node] as const
    ),
  );
}

/** Until when it is not planned with, unless it changes or is offered; the longer the more often that was in vain. */
function standsUntil({ at, tries }: RefusedNode): number {
  if (tries === 0) return at + times.refusedNode;
  return at + Math.min(times.triedNodeMost, times.triedNode * 2 ** (tries - 1));
}

/** Those that still are: they have not changed since, as `changedAt` says, and it is not too long ago. */
export function stillRefused(
  refused: RefusedNodes,
  { changedAt, now }: { changedAt: (node: string) => number; now: number },
): ReadonlyMap<string, ReadonlySet<string>> {
  const still = new Map<string, ReadonlySet<string>>();
  for (const [kind, nodes] of refused) {
    const standing = new Set<string>();
    for (const [name, node] of nodes) {
      const isStanding = node.isRefused && changedAt(name) <= node.at && now < standsUntil(node);
      if (isStanding) standing.add(name);
    }
    if (standing.size > 0) still.set(kind, sameAsBefore(nodes, standing));
  }
  return still;
}

/** What stood last of these: plans remember more of it. */
const lastStanding = new Carried<ReadonlyMap<string, RefusedNode>, ReadonlySet<string>>();

function sameAsBefore(
  nodes: ReadonlyMap<string, RefusedNode>,
  standing: ReadonlySet<string>,
): ReadonlySet<string> {
  const last = lastStanding.of(nodes);
  if (last?.size === standing.size && last.isSubsetOf(standing)) return last;
  return lastStanding.put(nodes, standing);
}

/** When the first of them is planned for again though nothing has changed, in ms since the epoch; Infinity: there are none. */
export function nextForgottenAt(
  groups: readonly { readonly attended: { readonly refusedNodes: RefusedNodes } }[],
  now: number,
): number {
  let next = Infinity;
  for (const { attended: { refusedNodes } } of groups) {
    if (refusedNodes.size === 0) continue;
    for (const node of [...refusedNodes.values()].flatMap((all) => [...all.values()])) {
      const until = standsUntil(node);
      if (node.isRefused && until > now) next = Math.min(next, until);
    }
  }
  return next;
}

/** The room that others take, who may leave. */
const ofRoom = [/Insufficient /, /Too many pods/];

/** What plans know of: more of it is no reason to plan elsewhere, because they will know. */
const modelled = [
  ...ofRoom,
  /untolerated taint/,
  /were unschedulable/,
  /didn't match Pod's node affinity\/selector/,
];

/** Over as soon as the claim that members share is allocated for the first of them, which wakes the others. */
const passing = /is in the process of being allocated/;

/** Whether the scheduler refuses a pod for what passes by itself: it says nothing of nodes. */
export function isPassing(message: string): boolean {
  return passing.test(message);
}

/** Whether the scheduler has reasons against some node that no plan knows of. */
export function isBeyondPlans(message: string): boolean {
  return !reasonsIn(message).every(isModelled);
}

/** Whether the scheduler has reasons, and plans know of all of them. */
export function isWithinPlans(message: string): boolean {
  const reasons = reasonsIn(message);
  return reasons.length > 0 && reasons.every(isModelled);
}

/** Whether the scheduler takes a pod on no node, and would on none if there were more room, for reasons that no plan knows of. */
export function isBeyondRoom(message: string): boolean {
  return isBeyondPlans(message) && !reasonsIn(message).some(isOfRoom);
}

/**
 * Where the reasons against nodes end, and what was tried in vain to get round them begins: by preemption, which has reasons of
 * its own against nodes, and before that, on Kubernetes 1.34 to 1.36, by other claims of the pod (`no new claims to deallocate`).
 */
const vainAttempts = /\. (?:[^.]*, )?preemption:/;

function reasonsIn(message: string): string[] {
  const [, all = ""] = /nodes are available: (.*)$/s.exec(message) ?? [];
  const [reasons = ""] = all.replace(/\.$/, "").split(vainAttempts);
  return reasons.split(/, (?=\d)/).filter((reason) => reason !== "" && !isPassing(reason));
}

function isOfRoom(reason: string): boolean {
  return ofRoom.some((known) => known.test(reason));
}

function isModelled(reason: string): boolean {
  return modelled.some((known) => known.test(reason));
}
