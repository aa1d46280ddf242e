import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { Checks } from "./checks.ts";
import { gangOf, type GangState, gangStates, groupOf, stillNeeded } from "./gang_state.ts";
import { NodeRoom } from "../../../tools/sandbox/node_room.ts";
import { isOver } from "../../../tools/sandbox/objects.ts";
import type { Scheduler } from "../../../tools/sandbox/scheduler.ts";
import type { ModelApi } from "./model_api.ts";
import { mayRunOn } from "../../../shared/kubernetes/counting/node_match.ts";
import { requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import { place, roomOf } from "../../support/rooms.ts";

/** A cluster that is left alone. */
export interface LeftAlone {
  readonly api: ModelApi;
  readonly scheduler: Scheduler;
  readonly settings: Settings;
  readonly checks: Checks;
  /** Bind calls that were opened before are held; those opened later may be a round that is about to end. */
  readonly heldSince: number;
}

/** What is still to be done in a cluster that is left alone; in the end nothing may be. */
export function debts({ api, scheduler, settings, checks, heldSince }: LeftAlone): string[] {
  const owed = [...scheduler.calls.values()].filter(({ openedAt }) => openedAt <= heldSince)
    .map(({ pod, node }) => `the bind call for pod ${pod.metadata.uid} to ${node} is not answered`);
  const gangs = gangStates({ ...api, placeOf: () => undefined });
  for (const gang of gangs.values()) {
    if (isPartial(gang) && !checks.isBinding(gang.id) && checks.setbacksOf(gang).length === 0) {
      const { bound } = gang.members;
      owed.push(`gang ${gang.id} has ${bound.length} of ${gang.spec.minMember} members bound`);
    }
  }
  const spaces = spacesOf(api);
  const groups = [...gangs.values()].flatMap((gang) => {
    const group = groupOf(gang, gangs);
    const isFirst = group.isComplete && group.gangs[0] === gang;
    return isFirst ? [roomFor(group.gangs, { spaces, settings })] : [];
  });
  for (const { ids, needed, room } of groups) {
    if (needed <= room) owed.push(`members of ${ids} fit and are not bound`);
  }
  for (const pod of api.pods.values()) {
    const isPending = gangOf(pod) === undefined && !pod.spec.nodeName;
    if (isPending && spaces.some((space) => space.takes(pod))) {
      owed.push(`regular pod ${pod.metadata.uid} fits and is not bound`);
    }
  }
  return owed;
}

function spacesOf(api: ModelApi): NodeRoom[] {
  const spaces = new Map([...api.nodes].map(([name, node]) => [name, new NodeRoom(node)]));
  for (const pod of api.pods.values()) {
    if (pod.spec.nodeName && !isOver(pod)) spaces.get(pod.spec.nodeName)?.add(pod);
  }
  return [...spaces.values()];
}

/** Fewer members are bound than the gang needs, though some are; succeeded ones count where they do for quorum (S4). */
function isPartial({ spec, members }: GangState): boolean {
  const { bound, pending, succeeded } = members;
  const counted = bound.length + pending.length < spec.minMember ? succeeded.length : 0;
  return bound.length > 0 && bound.length + counted < spec.minMember;
}

/** How many members of a group must find room at once, and how many do; Infinity: they may not bind. */
interface GroupRoom {
  readonly ids: string;
  readonly needed: number;
  readonly room: number;
}

function roomFor(
  gangs: readonly GangState[],
  { spaces, settings }: { spaces: readonly NodeRoom[]; settings: Settings },
): GroupRoom {
  const ids = gangs.map(({ id }) => id).join(", ");
  const needs = gangs.map((gang) => ({
    needed: stillNeeded(gang, settings),
    pending: gang.members.pending,
  }));
  const waiting = needs.flatMap(({ pending }) => pending);
  const canNot = waiting.length === 0 || gangs.some(({ isUnusable }) => isUnusable) ||
    needs.some(({ needed, pending }) => pending.length < needed);
  if (canNot) return { ids, needed: Infinity, room: 0 };
  const needed = needs.reduce((sum, need) => sum + need.needed, 0);
  if (needed === 0) {
    const fitting = waiting.filter((pod) => spaces.some((space) => space.takes(pod)));
    return { ids, needed: 1, room: fitting.length };
  }
  // The relay looks for room gang by gang, in the order in which it found them.
  const fits = [needs, needs.toReversed()].every((order) => fitOneAfterAnother(order, spaces));
  return { ids, needed, room: fits ? needed : 0 };
}

function fitOneAfterAnother(
  needs: readonly { needed: number; pending: readonly Pod[] }[],
  spaces: readonly NodeRoom[],
): boolean {
  const room = roomOf(spaces.map(({ node, free }) => ({ name: node.metadata.name, free })));
  const nodes = new Map(spaces.map(({ node }) => [node.metadata.name, node]));
  return needs.every(({ needed, pending }) => {
    // The members of one gang are alike.
    const candidates = pending.map((pod) => ({
      requests: requestsOf(pod),
      kind: "alike",
      mayRunOn: (name: string) => mayRunOn(pod, nodes.get(name) as Node),
    }));
    return place(candidates, { room, enough: needed }).fit.members === needed;
  });
}
