/**
 * Which labels of nodes plans are made by.
 *
 * @module
 */
import type { Composite, Topology } from "../gang/topology.ts";
import type { PlannedGang } from "../plan/demand.ts";

/** The node labels that gangs name. */
export function keysIn(
  gangs: Iterable<readonly PlannedGang[]>,
  composites: readonly Composite[],
): Set<string> {
  const topologies = [...gangs].flat().flatMap(({ facts: { gang } }) => [
    gang.topology,
    ...gang.roles?.map(({ topology }) => topology) ?? [],
  ]);
  const all = [...topologies, ...composites.flatMap(topologiesIn)];
  return new Set(all.flatMap((topology) => [
    ...topology?.required === undefined ? [] : [topology.required],
    ...topology?.preferred ?? [],
    ...topology?.slice ? [topology.slice.key] : [],
  ]));
}

function topologiesIn({ topology, children }: Composite): (Topology | undefined)[] {
  return [
    topology,
    ...children.flatMap((each) => typeof each === "string" ? [] : topologiesIn(each)),
  ];
}
