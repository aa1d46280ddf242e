/**
 * The arithmetic of a gang's roles: a tree by their paths, whose leaves count members and whose inner roles count roles.
 *
 * @module
 */
import type { GangFacts } from "./facts.ts";
import type { Role, RoleCensus } from "./topology.ts";

/** A role with those within it; one that only the path of another names needs all of these. */
export interface RoleNode {
  readonly name: string;
  readonly min: number;
  readonly within: readonly RoleNode[];
}

/** Spec's roles stay the same list until what the gang declares changes. */
const trees = new WeakMap<readonly Role[], readonly RoleNode[]>();

/** The roles at the top of their paths, all of which a gang needs. */
export function roleTree(roles: readonly Role[]): readonly RoleNode[] {
  const known = trees.get(roles);
  if (known) return known;
  const tree = nodesWithin("", { roles, paths: pathsOf(roles) });
  trees.set(roles, tree);
  return tree;
}

/** Every path that a role has or lies within. */
function pathsOf(roles: readonly Role[]): string[] {
  const paths = roles.flatMap(({ name }) => {
    const parts = name.split("/");
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  });
  return [...new Set(paths)].sort();
}

function nodesWithin(
  parent: string,
  all: { roles: readonly Role[]; paths: readonly string[] },
): RoleNode[] {
  return all.paths.filter((path) => parentOf(path) === parent).map((name) => {
    const within = nodesWithin(name, all);
    const declared = all.roles.find((role) => role.name === name);
    return { name, min: declared?.min ?? within.length, within };
  });
}

/** The path of the role that one is within; empty for one at the top. */
export function parentOf(path: string): string {
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
