/**
 * Builders of rooms and of members that look for one.
 *
 * @module
 */
import type { Candidate, Resources, Room } from "../../shared/core/room/fit.ts";

/** Amounts by resource name. */
export type Amounts = Record<string, number>;

/** Amounts as the fit takes them. */
export function resources(amounts: Amounts): Resources {
  return new Map(Object.entries(amounts));
}

/** What is free, by node. */
export function nodes(free: Record<string, Amounts>): Room {
  return roomOf(
    Object.entries(free).map(([name, amounts]) => ({ name, free: resources(amounts) })),
  );
}

/** Room to place members into; the nodes are not changed by it. */
export function roomOf(
  nodes: readonly { readonly name: string; readonly free: Resources }[],
): Room {
  return new Map(nodes.map(({ name, free }) => [name, new Map(free)]));
}

/** Members of a kind that may run on the nodes whose names match. */
export function members(count: number, requests: Amounts, on = /./): Candidate[] {
  const kind = JSON.stringify([requests, on.source]);
  return Array.from({ length: count }, () => ({
    requests: resources(requests),
    kind,
    mayRunOn: (node: string) => on.test(node),
  }));
}
