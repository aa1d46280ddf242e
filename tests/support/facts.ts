/**
 * Builders for the facts of gangs, short enough for a line of a table.
 *
 * @module
 */
import { membersOfRoles } from "../../shared/core/gang/roles.ts";
import type { RoleCensus } from "../../shared/core/gang/topology.ts";
import type { Census, GangFacts, GangSpec, Group, PodRef } from "../../shared/core/gang/facts.ts";

/** The moment at which tables happen, in milliseconds since the epoch. */
export const now = Date.parse("2026-01-01T12:00:00Z");

/** RFC 3339 time so many seconds after {@linkcode now}. */
export function at(seconds: number): string {
  return new Date(now + seconds * 1000).toISOString();
}

/** A gang by what matters about it: `held` is the uids of its open bind calls, or how many. */
export interface GangParts extends Partial<GangSpec>, Partial<Census> {
  held?: number | readonly string[];
  problem?: GangFacts["problem"];
  parked?: boolean;
  stray?: GangFacts["foreign"];
}

/** Facts of gang default/a with minMember 1 and no members, but for `parts`. */
export function gang(parts: GangParts = {}): GangFacts {
  const { held = 0, problem, parked, stray, ...rest } = parts;
  const { pending, gated, bound, running, succeeded, failed, terminating, foreign, ...spec } = rest;
  const named = { namespace: "default", name: "a", minMember: 1, createdAt: at(-60), ...spec };
  const uids = typeof held === "number"
    ? Array.from({ length: held }, (_, index) => `${named.name}-${index}`)
    : held;
  return {
    gang: named,
    census: {
      pending: pending ?? 0,
      gated: gated ?? 0,
      bound: bound ?? running ?? 0,
      running: running ?? 0,
      succeeded: succeeded ?? 0,
      failed: failed ?? 0,
      terminating: terminating ?? 0,
      ...(foreign && { foreign }),
    },
    held: uids.map((uid) => pod(uid, named)),
    ...(problem && { problem }),
    ...(parked && { parked }),
    ...(stray && { foreign: stray }),
  };
}

/** A role by its minimum and its members; `held` is their uids. A role that only others are within has none. */
export interface RoleParts extends Partial<Omit<RoleCensus, "name" | "held">> {
  min: number;
  held?: readonly string[];
}

/** Facts of a gang whose members are those of its roles; minMember is what these ask for. */
export function gangOfRoles(parts: Record<string, RoleParts>, more: GangParts = {}): GangFacts {
  const entries = Object.entries(parts).map(([name, { min, ...members }]) => ({
    name,
    min,
    members: { pending: 0, gated: 0, bound: 0, succeeded: 0, held: [], ...members },
  }));
  const roles = entries.map(({ name, min }) => ({ name, min }));
  const sum = (of: "pending" | "gated" | "bound" | "succeeded") =>
    entries.reduce((total, { members }) => total + members[of], 0);
  const facts = gang({
    minMember: membersOfRoles(roles),
    pending: sum("pending"),
    gated: sum("gated"),
    bound: sum("bound"),
    succeeded: sum("succeeded"),
    ...more,
  });
  const held = entries.flatMap(({ name, members }) =>
    members.held.map((uid) => ({ ...pod(uid), role: name }))
  );
  const census = entries.map(({ name, members }) => ({
    name,
    ...members,
    held: members.held.length,
  }));
  return { ...facts, gang: { ...facts.gang, roles }, held, roles: census };
}

/** A member of a gang; its name is its uid. */
export function pod(uid: string, of: { namespace: string } = { namespace: "default" }): PodRef {
  return { namespace: of.namespace, name: uid, uid, node: "node-1" };
}

/** The gangs as a gang group, told by relay "relay" as its first facts. */
export function group(...gangs: GangFacts[]): Group {
  return { relay: { id: "relay", epoch: 1 }, gangs };
}

/** The gangs, each declaring all of them as its gang group. */
export function together(...gangs: GangFacts[]): Group {
  const groups = gangs.map(({ gang }) => `${gang.namespace}/${gang.name}`);
  return group(...gangs.map((facts) => ({ ...facts, gang: { ...facts.gang, groups } })));
}
