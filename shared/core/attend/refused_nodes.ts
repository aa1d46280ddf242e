/**
 * Nodes that the scheduler's own plugins refused where the plan had room: for volumes, devices, ports, anti-affinity and what else
 * only they know. Until such a node changes members of that kind are planned elsewhere: all of them, or all beyond those that were
 * there already.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import type { Refusing } from "../plan/world.ts";
import { times } from "./times.ts";

/** What is known of a node that was refused. */
export interface RefusedNode {
  /** When it was refused last, in ms since the epoch. */
  readonly at: number;
  /** Members are planned elsewhere. */
  readonly isRefused: boolean;
  /** So many of the kind were there when it refused one more: it takes them; absent: none. */
  readonly takes?: number;
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
  { kind, nodes, now, untaken, thereOn = () => 0 }: {
    kind: string;
    nodes: readonly string[];
    now: number;
    untaken?: string;
    /** How many of the kind are there. */
    thereOn?: (node: string) => number;
  },
): RefusedNodes {
  const known = new Map(
    [...before.get(kind) ?? []].filter(([, { at }]) => now < at + times.refusedNode),
  );
  for (const node of nodes) {
    const before = known.get(node);
    const takes = thereOn(node);
    const isAgain = before !== undefined && !(before.isRefused && now < standsUntil(before));
    known.set(node, {
      at: now,
      isRefused: true,
      tries: (before?.tries ?? 0) + (isAgain && takes === 0 ? 1 : 0),
      ...(takes > 0 && { takes }),
      ...(untaken !== undefined && { untaken }),
    });
  }
  return new Map([...before, [kind, known]]);
}

/**
 * Those of the nodes that were refused and are not any more, because the scheduler offers them. That an offer is made says nothing
 * - of a node that takes some, while fewer are there;
 * - of one that was planned with again in vain. One that takes a member of this kind or of another is offered whenever neither is
 *   there, so only time brings it back;
 * - of one that was refused because no node took a member, except to that member: others of its kind were taken before, too.
 */
export function offeredAgain(
  refused: RefusedNodes,
  { uid, kind, nodes, thereOn = () => 0 }: {
    uid: string;
    kind: string | undefined;
    nodes: readonly string[];
    thereOn?: (node: string) => number;
  },
): readonly string[] {
  const known = kind === undefined ? undefined : refused.get(kind);
  return nodes.filter((name) => {
    const node = known?.get(name);
    if (!node?.isRefused) return false;
    if (node.takes ? thereOn(name) < node.takes : node.tries > 0) return false;
    return node.untaken === undefined || node.untaken === uid;
  });
}

/**
 * These nodes are not refused any more, until they are again. Where one was refused because no node took a member, nor are the
 * others that were refused for that, unless they were planned with again in vain.
 */
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

/**
 * A member that no node took is held now, or gone: nodes that were refused for that are not any more, unless they were planned with
 * again in vain.
 */
export function withoutUntaken(refused: RefusedNodes, uid: string): RefusedNodes {
  const isBy = ({ untaken, tries }: RefusedNode) => untaken === uid && tries === 0;
  if (!refused.values().some((nodes) => nodes.values().some(isBy))) return refused;
  return new Map(
    [...refused].map(([kind, nodes]) => [kind, believed(nodes, (_, node) => isBy(node))]),
  );
}

/** Whether nodes have been refused since then. */
export function isLearntSince(refused: RefusedNodes, at: number): boolean {
  return refused.values().some((nodes) =>
    nodes.values().some((node) => node.isRefused && node.at >= at)
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

/**
 * Until when it is not planned with, unless it changes or is offered; the longer the more often that was in vain. One that takes
 * some is not offered for more: what others are held for there may be free again.
 */
function standsUntil({ at, tries, takes }: RefusedNode): number {
  if (takes) return at + times.triedNodeMost;
  if (tries === 0) return at + times.refusedNode;
  return at + Math.min(times.triedNodeMost, times.triedNode * 2 ** (tries - 1));
}

/**
 * Those that still are, and how many more members each takes: they have not changed since, as `changedAt` says, and it is not too
 * long ago. `alikeOn` says how many members of a kind have their nodes.
 */
export function stillRefused(
  refused: RefusedNodes,
  { changedAt, now, alikeOn }: {
    changedAt: (node: string) => number;
    now: number;
    alikeOn: (kind: string) => ReadonlyMap<string, number>;
  },
): ReadonlyMap<string, Refusing> {
  const still = new Map<string, Refusing>();
  for (const [kind, nodes] of refused) {
    const more = new Map<string, number>();
    let alike: ReadonlyMap<string, number> | undefined;
    let each = Infinity;
    for (const [name, node] of nodes) {
      const isStanding = node.isRefused && changedAt(name) <= node.at && now < standsUntil(node);
      if (!isStanding) continue;
      const { takes = 0 } = node;
      if (takes > 0) {
        alike ??= alikeOn(kind);
        each = Math.min(each, takes);
      }
      more.set(name, Math.max(0, takes - (alike?.get(name) ?? 0)));
    }
    const refusing = { more, ...(each < Infinity && { each }) };
    if (more.size > 0) still.set(kind, sameAsBefore(nodes, refusing));
  }
  return still;
}

/** What stood last of these: plans remember more of it. */
const lastStanding = new Carried<ReadonlyMap<string, RefusedNode>, Refusing>();

function sameAsBefore(nodes: ReadonlyMap<string, RefusedNode>, now: Refusing): Refusing {
  const last = lastStanding.of(nodes);
  const isSame = last?.each === now.each && last?.more.size === now.more.size &&
    last.more.entries().every(([name, more]) => now.more.get(name) === more);
  return isSame ? last : lastStanding.put(nodes, now);
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
