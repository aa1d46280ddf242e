/**
 * What must hold when the world has been left alone for long enough.
 *
 * @module
 */
import { type OwnRoom, requestsOf, take } from "../../../shared/core/room/fit.ts";
import { place } from "../../support/rooms.ts";
import { type Member, nodeOf, type PureGang } from "./pure_gang.ts";
import { candidateOf, rackOf } from "./pure_room.ts";
import type { PureWorld } from "./pure_world.ts";

/** Nodes that are refused again and again are planned with so often in the time of a history. */
const mostTries = 14;

/** Nobody is forgotten: what fits is bound, and no gang is bound in part that could be whole. */
export function settled(world: PureWorld, apart: readonly string[]): string | undefined {
  for (const { gangs, attended } of world.groups.values()) {
    const refused = [...attended.refusedNodes.values()].flatMap((all) => [...all.values()]);
    if (refused.some(({ tries }) => tries > mostTries)) {
      return `${attended.id}: nodes are refused and planned with for ever`;
    }
    const ids = attended.id.split(",");
    const siblings = ids.map((id) => world.gangs.get(id)!);
    const lacks = siblings.sort((a, b) => sizeOf(b) - sizeOf(a)).map((gang) => {
      const { spec: { minMember }, bound } = gang;
      const waiting = gang.members.filter(({ node }) => !node);
      return { gang, needed: Math.max(0, minMember - bound), waiting, bound, minMember };
    });
    const needs = ids.length > 1 ? world.needs : undefined;
    if (gangs.length < ids.length && !needs) continue;
    const starving = ids.length === 1 && starvingIn(lacks[0]!, { world, apart });
    if (starving) return `${ids[0]}: there is room for ${starving}, which is not bound`;
    const possible = lacks.filter(({ needed, waiting }) => waiting.length >= needed);
    // By other rules than that one a gang that has lost members does not count until it is whole again.
    const countsInPart = world.settings.matchPolicy === "once-satisfied";
    const isRunning = ({ needed, bound }: (typeof lacks)[number]) =>
      needed === 0 || (countsInPart && bound > 0);
    const running = needs ? lacks.filter(isRunning).length : 0;
    const wanted = needs ? Math.max(1, needs.min! - running) : ids.length;
    const others = needs ? possible.filter((one) => !isRunning(one)) : possible;
    if (others.length < wanted || others.every(({ needed }) => needed === 0)) continue;
    if (attended.standing.phase === "refused" && attended.standing.why.reason === "Parked") {
      continue;
    }
    // Of several gangs' nodes the plan learns one after another, for which it may need the time that nobody else does.
    if (ids.length > 1 && ids.some((gang) => apart.includes(gang))) continue;
    const fits = choicesOf(others, wanted).some((choice) => {
      const room = roomFor(apart, world);
      return choice.every(({ gang, needed, waiting }) => {
        const exclusive = apart.includes(gang.id) ? [gang.id] : [];
        return homesOf(gang).some((mayRunOn) => {
          const alike = { exclusive, mayRunOn };
          const candidates = waiting.map(({ gpus }) => ({ ...candidateOf(gpus), ...alike }));
          return place(candidates, { room, enough: needed }).fit.members === needed;
        });
      });
    });
    if (fits) {
      const counts = lacks.map(({ gang: { id }, bound, minMember }) =>
        `${id} ${bound} of ${minMember}`
      );
      return `${counts.join(", ")}: there is room, but it is not whole`;
    }
  }
  return undefined;
}

/** So many of these, in every way. */
function choicesOf<T>(all: readonly T[], count: number): T[][] {
  if (count === 0) return [[]];
  return all.flatMap((one, index) =>
    choicesOf(all.slice(index + 1), count - 1).map((rest) => [one, ...rest])
  );
}

/** The nodes among which a gang may run: of the rack where it is, of either one, or all. */
function homesOf({ spec, members }: PureGang): ((node: string) => boolean)[] {
  if (spec.topology?.required === undefined) return [() => true];
  const nodes = members.flatMap((member) => nodeOf(member) ?? []);
  const racks = nodes.length > 0 ? [rackOf(nodes[0]!)] : ["r0", "r1"];
  return racks.map((rack) => (node) => rackOf(node) === rack);
}

/** A member that its gang, which is whole, does not need: for it there is room that at most gangs hold which can not be placed. */
function starvingIn(
  { gang, needed, waiting }: { gang: PureGang; needed: number; waiting: readonly Member[] },
  { world, apart }: { world: PureWorld; apart: readonly string[] },
): string | undefined {
  // What the scheduler said of members before their gang was whole it does not say again.
  if (needed > 0 || apart.includes(gang.id)) return undefined;
  if (apart.some((other) => hasMore(world.gangs.get(other)!))) return undefined;
  const free = world.room.freeGpus;
  for (const { gang, call, node, gpus } of world.members.values()) {
    if (call && !node && apart.includes(gang.id)) {
      free.set(call.pod.node!, free.get(call.pod.node!)! + gpus);
    }
  }
  const [isHome] = homesOf(gang);
  const roomiest = Math.max(0, ...[...free].map(([node, gpus]) => isHome!(node) ? gpus : 0));
  return waiting.find(({ gpus, call }) => !call && gpus <= roomiest)?.pod.uid;
}

/** Whether a gang has more members than it needs. */
function hasMore({ members, spec }: PureGang): boolean {
  return members.length > spec.minMember;
}

/** What is free; of gangs that are kept apart no second member goes to a node. */
function roomFor(apart: readonly string[], world: PureWorld): OwnRoom {
  const room = new Map(world.room.free);
  for (const { gang, node } of world.members.values()) {
    if (node === undefined || !apart.includes(gang.id)) continue;
    take(room, node, { requests: requestsOf({ requests: new Map(), exclusive: [gang.id] }) });
  }
  return room;
}

/** GPUs of a gang's members, which are alike. */
function sizeOf({ members }: PureGang): number {
  return members[0]?.gpus ?? 0;
}
