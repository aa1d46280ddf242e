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
import * as v from "./valibot.ts";

const share = {
  bound: v.optional(amount),
  held: v.optional(amount),
  planned: v.optional(amount),
};

const MapPlace = v.named(
  "MapPlace",
  v.object({
    domain: v.optional(list(shortText(limits.value), limits.mapLevels)),
    node: v.optional(text),
    nodes: count,
    allocatable: amount,
    gangs: list(
      v.object({ gang: v.pipe(count, v.maxValue(limits.mapGangs - 1)), ...share }),
      limits.placeGangs,
    ),
    others: v.object(share),
  }),
  "A node, or several together: how much of the resource gangs have there, by their number in the list of gangs, and all others",
);

/** What the nodes have of one resource, and who takes it. */
export const ClusterMap = v.named(
  "ClusterMap",
  v.pipe(
    v.object({
      at: time,
      resource: resourceName,
      levels: list(nodeLabel, limits.mapLevels),
      gangs: list(gangId, limits.mapGangs),
      places: list(MapPlace, limits.mapPlaces),
    }),
    v.check(
      ({ gangs, places }) => places.every((place) => hasKnown(place.gangs, gangs.length)),
      "must name each gang that has a number",
    ),
  ),
  "What nodes have of one resource, by domain or one by one, and which gangs take it: bound, held, and planned",
);

function hasKnown(shares: readonly { readonly gang: number }[], known: number): boolean {
  return shares.every(({ gang }) => gang < known);
}
