/**
 * The domain that a node is in for a member of a gang, for whoever looks.
 *
 * @module
 */
import { pathsTo } from "../core/gang/roles.ts";
import type { Topology } from "../core/gang/topology.ts";
import { domainName, pathOf } from "../core/room/domains.ts";
import { labelText } from "../core/words/text.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { PodRecord } from "./pod_record.ts";

/** `rack r1`, of the level that its topology wants first; undefined: it declares none, or the node has no such label. */
export function domainOf(
  node: string,
  { record, gang, cluster }: { record: PodRecord; gang: Gang; cluster: Cluster },
): string | undefined {
  const topology = topologyOf(gang, record);
  const key = topology?.required ?? topology?.preferred?.[0] ?? topology?.slice?.key;
  if (!topology || key === undefined) return undefined;
  const levels = cluster.levels.map(({ key }) => key);
  const labels = cluster.room.nodes.get(node)?.metadata.labels ?? {};
  const name = domainName(pathOf(key, { topology, levels }), labels);
  return name === undefined ? undefined : `${labelText(key)} ${name}`;
}

/** Of its role where that has one, of the role around it, of the gang, or of what that is part of. */
function topologyOf(gang: Gang, record: PodRecord): Topology | undefined {
  const { spec, around: [beyond] = [] } = gang.read();
  const { roles = [], topology } = spec;
  const role = gang.roleOf(record);
  const paths = role === undefined ? [] : pathsTo(role).toReversed();
  const declared = paths.flatMap((name) =>
    roles.find((role) => role.name === name)?.topology ?? []
  );
  return declared.find(isPlaced) ?? topology ?? beyond;
}

function isPlaced({ required, preferred = [], slice }: Topology): boolean {
  return required !== undefined || preferred.length > 0 || slice !== undefined;
}
