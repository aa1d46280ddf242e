/**
 * Nodes that the scheduler's own plugins refused where the plan had room: volumes, ports, anti-affinity and what else only
 * they know. Members of that kind are planned elsewhere until the node changes.
 *
 * @module
 */
import { times } from "./times.ts";

/** What is known of a node that was refused. */
export interface RefusedNode {
  /** When it was refused last, in ms since the epoch. */
  readonly at: number;
  /** Members are planned elsewhere. */
  readonly isRefused: boolean;
  /** So many times it was planned with again in vain. */
  readonly tries: number;
  /** No node took the member then: where one does, nothing is known of the others any more. */
  readonly isUntaken?: true;
}

/** By kind of member and node. */
export type RefusedNodes = ReadonlyMap<string, ReadonlyMap<string, RefusedNode>>;

/** With nodes that were refused now. */
export function learn(
  before: RefusedNodes,
  { kind, nodes, now, isUntaken = false }: {
    kind: string;
    nodes: readonly string[];
    now: number;
    isUntaken?: boolean;
  },
): RefusedNodes {
  const known = new Map(
    [...before.get(kind) ?? []].filter(([, { at }]) => now < at + times.refusedNode),
  );
  for (const node of nodes) {
    const before = known.get(node);
    const isAgain = before !== undefined && !(before.isRefused && now < standsUntil(before));
    const tries = (before?.tries ?? 0) + (isAgain ? 1 : 0);
    known.set(node, { at: now, isRefused: true, tries, ...(isUntaken && { isUntaken }) });
  }
  return new Map([...before, [kind, known]]);
}

/**
 * Those of the nodes that were refused: that the scheduler offers them says that they are not any more. One that takes a member
 * alone and not two is offered whenever none is held there: where that was in vain once, time alone brings it back.
 */
export function offeredAgain(
  refused: RefusedNodes,
  { kind, nodes }: { kind: string | undefined; nodes: readonly string[] },
): readonly string[] {
  const known = kind === undefined ? undefined : refused.get(kind);
  return nodes.filter((name) => {
    const node = known?.get(name);
    return node?.isRefused === true && node.tries === 0;
  });
}

/** Without these nodes, until they are refused again; where no node took the kind and these do, without any that were refused so. */
export function forget(
  refused: RefusedNodes,
  { kind, nodes }: { kind: string; nodes: readonly string[] },
): RefusedNodes {
  const known = new Map(refused.get(kind) ?? []);
  const taken = new Set(nodes);
  const isOneTaken = nodes.some((name) => known.get(name)?.isUntaken);
  for (const [name, node] of known) {
    const isTaken = taken.has(name) || (isOneTaken && node.isUntaken && node.tries === 0);
    if (isTaken) known.set(name, { ...node, isRefused: false });
  }
  return new Map([...refused, [kind, known]]);
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
const lastStanding = new WeakMap<ReadonlyMap<string, RefusedNode>, ReadonlySet<string>>();

function sameAsBefore(
  nodes: ReadonlyMap<string, RefusedNode>,
  standing: ReadonlySet<string>,
): ReadonlySet<string> {
  const last = lastStanding.get(nodes);
  if (last?.size === standing.size && last.isSubsetOf(standing)) return last;
  lastStanding.set(nodes, standing);
  return standing;
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

function reasonsIn(message: string): string[] {
  const [, reasons = ""] = /nodes are available: (.*?)(?:\. preemption:|\.?$)/s.exec(message) ?? [];
  return reasons.split(/, (?=\d)/).filter((reason) => reason !== "");
}

function isOfRoom(reason: string): boolean {
  return ofRoom.some((known) => known.test(reason));
}

function isModelled(reason: string): boolean {
  return modelled.some((known) => known.test(reason));
}
