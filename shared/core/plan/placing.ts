/**
 * Where the gangs of a group find room at once.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import type { Part } from "./part.ts";
import type { Regions } from "./regions.ts";
import { Search } from "./search.ts";

/** Where a group is placed. */
export interface Placing {
  readonly regions: Regions;
  /** Places that are kept if all members find room there. */
  readonly before?: readonly Use[] | undefined;
}

/**
 * A node for each member that a group needs, on the ground too; or undefined, and nothing is placed. Earlier places are kept;
 * otherwise what fills domains and nodes best, and if that does not lead to a place, whatever does.
 */
export function placeTogether(part: Part, placing: Placing): Search | undefined {
  return placeAgain(part, placing) ?? placeAnew(part, placing);
}

/** Where a node is gone, its members are looked for elsewhere at once. */
function placeAgain(part: Part, { regions, before = [] }: Placing): Search | undefined {
  const nodes = before.flatMap(({ node }) => regions.ground.numberOf(node) ?? []);
  if (nodes.length === 0) return undefined;
  const region = [...new Set(nodes)];
  const quick = new Search(regions, { within: before });
  if (quick.place(part, { region })) return quick.loosened();
  if (part.all.length === 1 || nodes.length < before.length) return undefined;
  const thorough = new Search(regions, { within: before, isThorough: true });
  return thorough.place(part, { region }) ? thorough.loosened() : undefined;
}

function placeAnew(part: Part, { regions }: Placing): Search | undefined {
  const quick = new Search(regions);
  if (quick.place(part)) return quick;
  if (part.all.length === 1) return undefined;
  const thorough = new Search(regions, { isThorough: true });
  return thorough.place(part) ? thorough : undefined;
}
