/**
 * Whether a part might have room, before it is searched for: it has not where there is too little even if nobody takes any from
 * another. That costs a look at each node at most, and a search in vain thousands.
 *
 * @module
 */
import { amountOf, leastOf, type Resources } from "../room/fit.ts";
import type { Ground } from "../room/ground.ts";
import { neededOf, type Part } from "./part.ts";
import { type Region, type Regions, unknownNode } from "./regions.ts";

/** Whether a part might have room, by what all nodes have for each kind of its members. */
export function mayFit(part: Part, ground: Pick<Ground, "roomFor">): boolean {
  const needed = neededOf(part);
  let fits = 0;
  for (const alike of part.all) {
    fits += Math.min(alike.count, ground.roomFor(alike));
    if (fits >= needed) return true;
  }
  return fits >= needed;
}

/** Its members together ask for no less, whichever are chosen. */
export function leastAmounts(part: Part): Resources {
  const resources = new Set(part.all.flatMap(({ requests }) => [...requests.keys()]));
  const wanted = neededOf(part);
  return new Map([...resources].map((resource) => [resource, leastOf(resource, wanted, part.all)]));
}

/** The same of each part in it by itself, in each domain that it may be in, and of each resource. */
export function mayFitByParts(part: Part, regions: Regions, region?: Region): boolean {
  if (part.lack) return false;
  if (neededOf(part) === 0) return true;
  const siblings = part.placed.map((name) => regions.ground.numberOf(name) ?? unknownNode);
  const bounds = regions.bounds(part.topology, { region, siblings });
  return bounds
    ? bounds.some(({ nodes }) => mayFitIn(part, { regions, region: nodes }))
    : mayFitIn(part, { regions, region });
}

interface Area {
  readonly regions: Regions;
  readonly region: Region;
}

function mayFitIn(part: Part, { regions, region }: Area): boolean {
  const { ground } = regions;
  const roomFor: Ground["roomFor"] = (kind) => ground.roomFor(kind, region);
  if (!mayFit(part, { roomFor }) || isShort(part, { regions, region })) return false;
  if (part.is === "leaf") return true;
  return part.parts.filter((each) => mayFitByParts(each, regions, region)).length >= part.min;
}

/** Whether the nodes that take any of its members have too little of a resource for those that ask for the least. */
function isShort(part: Part, { regions: { ground }, region }: Area): boolean {
  const wanted = new Map([...leastAmounts(part)].filter(([, amount]) => amount > 0));
  for (const node of new Set(part.all.flatMap((alike) => ground.fullestFirst(alike, region)))) {
    if (wanted.size === 0) return false;
    const free = ground.rooms[node]!;
    for (const [resource, amount] of wanted) {
      const left = amount - Math.max(0, amountOf(free, resource));
      if (left > 0) wanted.set(resource, left);
      else wanted.delete(resource);
    }
  }
  return wanted.size > 0;
}
