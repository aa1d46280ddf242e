/**
 * What a group needs, looked at once for each plan, or for all where nothing else changes it.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import type { QuorumSettings } from "../gang/quorum.ts";
import { requestsOf } from "../room/fit.ts";
import { addTo, demandOf, shapeOf } from "./demand.ts";
import { isPlain, partOf } from "./part.ts";
import { groundFor, type Looked, type Planning, type Rooms } from "./planning.ts";
import { refusedText } from "./refused_text.ts";
import type { Waiting } from "./world.ts";

/** Groups that are looked at alike on every ground: most of a long queue, in each plan. */
const alwaysAlike = new Carried<Waiting, { found: Looked; settings: QuorumSettings }>();

/** What a group needs; nodes that its members have to themselves are taken. */
export function lookAt(group: Waiting, planning: Planning): Looked {
  const { world: { settings }, looked } = planning;
  const before = alwaysAlike.of(group);
  const found = before?.settings === settings ? before.found : newlyLookedAt(group, planning);
  looked.set(group.id, found);
  return found;
}

function newlyLookedAt(group: Waiting, planning: Planning): Looked {
  const { world, rooms } = planning;
  const demands = group.gangs().map((gang) => demandOf(gang, world.settings));
  for (const { placed } of demands) {
    for (const { node, exclusive } of placed) {
      if (!exclusive) continue;
      const requests = requestsOf({ requests: new Map(), exclusive });
      rooms.table.take([{ node, requests, count: 1 }], { id: group.id, to: Infinity });
    }
  }
  const { composite, refused } = group;
  const asksOfAll = demands.some(({ minResources }) => minResources.size > 0);
  const ground = asksOfAll ? groundFor(group, planning) : rooms.table.free;
  const part = partOf(demands, { ground, composite, refused });
  // A composite knows which of its gangs are not there.
  const isKnown = composite !== undefined || group.id.split(",").length === demands.length;
  const isComplete = isKnown && !part.isBroken;
  const needsOnlyRoom = isComplete && !group.isNeverWhole;
  const nodes = [...refused ?? []].map(([kind, nodes]) => [kind, refusedText(nodes)]);
  const shape = `${demands.map(shapeOf).join()}${
    composite || nodes.length > 0 ? JSON.stringify([composite, nodes]) : ""
  }`;
  const found = { group, demands, part, isComplete, needsOnlyRoom, shape };
  const isAlike = demands.length === 1 && isPlain(demands[0]!, part) &&
    demands[0]!.placed.every(({ exclusive }) => !exclusive);
  if (isAlike) alwaysAlike.put(group, { found, settings: world.settings });
  return found;
}

/** What a group asks for that may become whole: members that do not exist yet are taken to be like the others. */
export function want({ group, demands }: Looked, { wanted }: Rooms): void {
  if (group.isNeverWhole) return;
  for (const { facts, candidates, needed } of demands) {
    const [member] = candidates;
    if (member && !facts.problem) addTo(wanted, member.requests, needed);
  }
}
