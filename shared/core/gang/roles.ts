/**
 * The arithmetic of a gang's roles: a tree by their paths, whose leaves count members and whose inner roles count roles.
 *
 * @module
 */
import type { GangFacts } from "./facts.ts";
import type { Role, RoleCensus } from "./topology.ts";

/** A role with those within it; one that only the path of another names needs all of these. */
export interface RoleNode extends Role {
  readonly within: readonly RoleNode[];
}

/** Spec's roles stay the same list until what the gang declares changes. */
const trees = new WeakMap<readonly Role[], readonly RoleNode[]>();

/** The roles at the top of their paths, all of which a gang needs. */
export function roleTree(roles: readonly Role[]): readonly RoleNode[] {
  const known = trees.get(roles);
  if (known) return known;
  const declared = new Map(roles.map((role) => [role.name, role]));
  const names = namesWithin([...declared.keys()]);
  const nodesWithin = (parent: string): RoleNode[] =>
    (names.get(parent) ?? []).map((name) => {
      const within = nodesWithin(name);
      return { name, min: within.length, ...declared.get(name), within };
    });
  const tree = nodesWithin("");
  trees.set(roles, tree);
  return tree;
}

/** The roles that are within each other one, declared or not; those at the top are within the empty path. */
export function namesWithin(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(new Set(names.flatMap(pathsTo)), parentOf);
}

/** The path of a role, and before it those of the roles that it is within, the widest first. */
export function pathsTo(name: string): string[] {
  const parts = name.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The roles that have no roles within them, which are those of members. */
export function leavesOf(nodes: readonly RoleNode[]): RoleNode[] {
  return nodes.flatMap((node) => node.within.length === 0 ? [node] : leavesOf(node.within));
}

/** What each role at the least takes, by what a leaf does: an inner role takes the cheapest of those within it. */
export function leastOf(node: RoleNode, ofLeaf: (leaf: RoleNode) => number): number {
  if (node.within.length === 0) return ofLeaf(node);
  const each = node.within.map((inner) => leastOf(inner, ofLeaf)).sort((a, b) => a - b);
  // A role that nobody has named yet takes a member at the least.
  const unnamed = Math.max(0, node.min - each.length);
  return each.slice(0, node.min).reduce((sum, least) => sum + least, unnamed);
}

/** As many members as the roles ask for at the least. */
export function membersOfRoles(roles: readonly Role[]): number {
  return roleTree(roles).reduce((sum, node) => sum + leastOf(node, ({ min }) => min), 0);
}

/** The roles of a gang of which members have been counted. */
export function rolesOf({ gang, roles }: GangFacts): readonly RoleNode[] {
  return roles && gang.roles ? roleTree(gang.roles) : [];
}

/** Members of a role; of one that nobody has counted there are none. */
export function censusOf({ roles }: GangFacts, name: string): RoleCensus {
  const none = { name, pending: 0, gated: 0, bound: 0, succeeded: 0, held: 0 };
  return roles?.find((role) => role.name === name) ?? none;
}

/** Members of a role that have a node or may still get one. */
export function aliveIn({ held, bound, pending }: RoleCensus): number {
  return held + bound + pending;
}
