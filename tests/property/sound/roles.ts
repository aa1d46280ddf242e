/**
 * Which roles of a gang are needed, read once more from their paths.
 *
 * @module
 */
import type { Composite, Role } from "../../../shared/core/gang/topology.ts";
import type { TreePart } from "./trees.ts";

/** Whether members of a role are of another: it is that one, or within it. */
export function isOf(role: string | undefined, name: string): boolean {
  return role === name || role?.startsWith(`${name}/`) === true;
}

/** The roles of a gang as a tree; its leaves are those of members. */
export function treeOfRoles(roles: readonly Role[]): Composite {
  const childrenOf = (prefix: string): TreePart[] => {
    const within = roles.filter(({ name }) => name.startsWith(prefix));
    const names = new Set(within.map(({ name }) => name.slice(prefix.length).split("/")[0]!));
    return [...names].map((name) => partOf(prefix + name));
  };
  const partOf = (path: string): TreePart => {
    const children = childrenOf(`${path}/`);
    const min = roles.find(({ name }) => name === path)?.min;
    return children.length === 0 ? path : { name: path, min, children };
  };
  return { name: "all", children: childrenOf("") };
}
