/**
 * The nodes on which a member may run beside its siblings, whoever has them now.
 *
 * @module
 */
import { pathsTo } from "../core/gang/roles.ts";
import type { Composite, Topology } from "../core/gang/topology.ts";
import { domainName, pathOf } from "../core/room/domains.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { nodeOf, type PodRecord } from "./pod_record.ts";

/** Members that have one topology: a role's, their gang's, or that of the composite around it. */
interface Scope {
  readonly topology: Topology | undefined;
  readonly members: () => readonly PodRecord[];
}

/** A group as far as it decides that. */
type Family = Pick<GangGroup, "gangs" | "composite" | "attended">;

/** Whether the topologies that are required of a member allow it to run on a node, with its siblings where they are. */
export function mayRunBeside(
  record: PodRecord,
  { group, cluster }: { group: Family; cluster: Cluster },
): (node: string) => boolean {
  const required = scopesOf(record, group).flatMap(({ topology, members }) => {
    if (topology?.required === undefined) return [];
    const levels = cluster.levels.map(({ key }) => key);
    const path = pathOf(topology.required, { topology, levels });
    const domainOf = (node: string) =>
      domainName(path, cluster.room.nodes.get(node)?.metadata.labels ?? {});
    const nodes = nodesOf(members().filter((member) => member !== record), group);
    const theirs = new Set(nodes.flatMap((node) => domainOf(node) ?? []));
    const isOpen = theirs.size === 0 && nodes.every((node) => cluster.room.nodes.has(node));
    return (node: string) => {
      const domain = domainOf(node);
      return domain !== undefined && (isOpen || theirs.has(domain));
    };
  });
  return (node) => required.every((allows) => allows(node));
}

function scopesOf(record: PodRecord, { gangs, composite }: Family): Scope[] {
  const gang = gangs.find(({ id }) => id === record.gang);
  if (!gang) return [];
  const { topology } = gang.read().spec;
  const around = composite ? pathIn(composite, gang.id) ?? [] : [];
  return [
    ...rolesOf(record, gang),
    { topology, members: () => gang.counted() },
    ...around.map((part) => ({
      topology: part.topology,
      members: () => gangs.filter(({ id }) => pathIn(part, id)).flatMap((each) => each.counted()),
    })),
  ];
}

function rolesOf(record: PodRecord, gang: Gang): Scope[] {
  const { roles = [] } = gang.read().spec;
  const own = gang.roleOf(record);
  return (own === undefined ? [] : pathsTo(own)).map((name) => ({
    topology: roles.find((role) => role.name === name)?.topology,
    members: () =>
      gang.counted().filter((member) => pathsTo(gang.roleOf(member) ?? "").includes(name)),
  }));
}

/** The composites that a gang is in, the widest first; undefined: it is in none of them. */
function pathIn(composite: Composite, gang: string): Composite[] | undefined {
  for (const child of composite.children) {
    if (child === gang) return [composite];
    const path = typeof child === "string" ? undefined : pathIn(child, gang);
    if (path) return [composite, ...path];
  }
  return undefined;
}

/** Of those that have one or are held for one; where none does, of those that were sent to one. */
function nodesOf(members: readonly PodRecord[], { attended }: Family): readonly string[] {
  const placed = members.flatMap((member) => nodeOf(member) ?? []);
  if (placed.length > 0) return placed;
  const { placement: { chosen }, nominated } = attended;
  return members.flatMap(({ pod: { metadata: { uid } } }) =>
    chosen.get(uid)?.node ?? nominated.get(uid) ?? []
  );
}
