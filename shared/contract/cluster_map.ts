/**
 * Who has the nodes, as a relay tells it for the page.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import {
  amount,
  count,
  gangId,
  list,
  nodeLabel,
  resourceName,
  shortText,
  text,
  time,
} from "./values.ts";
import * as z from "./zod.ts";

const share = {
  bound: z.optional(amount),
  held: z.optional(amount),
  planned: z.optional(amount),
};

const MapPlace = z.named(
  "MapPlace",
  z.object(() => ({
    domain: z.optional(list(shortText(limits.value), limits.mapLevels)),
    node: z.optional(text),
    nodes: count,
    allocatable: amount,
    gangs: list(
      z.object(() => ({ gang: count.check(z.maximum(limits.mapGangs - 1)), ...share })),
      limits.placeGangs,
    ),
    others: z.object(() => share),
  })),
  "A node, or several together: how much of the resource gangs have there, by their number in the list of gangs, and all others",
);

/** What the nodes have of one resource, and who takes it. */
export const ClusterMap = z.named(
  "ClusterMap",
  z.object(() => ({
    at: time,
    resource: resourceName,
    levels: list(nodeLabel, limits.mapLevels),
    gangs: list(gangId, limits.mapGangs),
    places: list(MapPlace, limits.mapPlaces),
  })).check(
    z.refine(({ gangs, places }) => places.every((place) => hasKnown(place.gangs, gangs.length)), {
      error: "must name each gang that has a number",
    }),
  ),
  "What nodes have of one resource, by domain or one by one, and which gangs take it: bound, held, and planned",
);

function hasKnown(shares: readonly { readonly gang: number }[], known: number): boolean {
  return shares.every(({ gang }) => gang < known);
}
