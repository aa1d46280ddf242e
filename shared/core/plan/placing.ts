/**
 * Where the gangs of a group find room at once.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import { Looks } from "./looks.ts";
import { mayFitByParts } from "./may_fit.ts";
import type { Part } from "./part.ts";
import type { Region, Regions } from "./regions.ts";
import { Search } from "./search.ts";

/** Where a group is placed. */
export interface Placing {
  readonly regions: Regions;
  /** Places that are kept if all members find room there. */
  readonly before?: readonly Use[] | undefined;
  /** What is left to look at, where the same is looked for several times. */
  readonly looks?: Looks;
}

/**
 * A node for each member that a group needs, on the ground too; or undefined, and nothing is placed. Earlier places are kept;
 * otherwise what fills domains and nodes best, and if that does not lead to a place, whatever does.
 */
export function placeTogether(part: Part, placing: Placing): Search | undefined {
  return placeAgain(part, placing) ?? placeAnew(part, placing);
}

/** Where a node is gone, its members are looked for elsewhere at once. */
function placeAgain(part: Part, { regions, before = [], looks: own }: Placing): Search | undefined {
  const nodes = before.flatMap(({ node }) => regions.ground.numberOf(node) ?? []);
  if (nodes.length === 0) return undefined;
  const region = [...new Set(nodes)];
  const looks = own?.another() ?? new Looks();
  const quick = new Search(regions, { within: before, looks });
  if (quick.place(part, { region })) return quick.loosened();
  if (part.all.length === 1 || nodes.length < before.length) return undefined;
  const thorough = new Search(regions, { within: before, isThorough: true, looks });
  return thorough.place(part, { region }) ? thorough.loosened() : undefined;
}

/** The same within a region, or anywhere, whatever was there before: the largest first, then the scarcest, then anyhow. */
export function placeAnew(
  part: Part,
  { regions, region, looks = new Looks() }: Omit<Placing, "before"> & { region?: Region },
): Search | undefined {
  // Of one kind a search finds at once what there is, or sees that there is nothing.
  const isMixed = part.all.length > 1;
  if (isMixed && !mayFitByParts(part, regions, region)) return undefined;
  const quick = new Search(regions, { looks });
  if (quick.place(part, { region })) return quick;
  if (!isMixed) return undefined;
  for (const isThorough of [false, true]) {
    if (isThorough && looks.areOver) return undefined;
    const search = new Search(regions, { rivals: part.all, isThorough, looks });
    if (search.place(part, { region })) return search;
  }
  return undefined;
}
