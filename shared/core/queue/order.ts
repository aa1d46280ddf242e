/**
 * QueueSort: the order in which units are scheduled, as sortable keys.
 *
 * @module
 */
import { type GangSpec, groupId } from "../gang/facts.ts";
import type { Settings } from "../gang/settings.ts";

/** Something that queues: a regular pod, or one pod of a gang, or a gang. */
export interface QueueUnit {
  readonly id: string;
  readonly gang?: GangSpec | undefined;
  readonly priority: number;
  /** RFC 3339 time at which it entered the queue. */
  readonly queuedAt: string;
  /** Members of its gang that are bound. */
  readonly bound?: number | undefined;
  /** The largest minMember that its gang was whole with, as the last answer about it says. Absent: it never was. */
  readonly wholeAt?: number | undefined;
}

/** A unit's place: string order is scheduling order. */
export interface QueueKey {
  readonly id: string;
  readonly key: string;
}

/**
 * Keys by priority descending; then gangs that must become whole again; then time ascending (a regular pod's
 * `queuedAt`, a gang group's creation or last failure); then identity, so that equal times never interleave two gangs (S0).
 * `failedAt` gives the last failure by group id, in milliseconds since the epoch.
 */
export function queueKeys(
  units: readonly QueueUnit[],
  options: { failedAt: ReadonlyMap<string, number>; settings: Settings },
): QueueKey[] {
  const ids = units.map(({ gang }) => gang && groupId(gang));
  const groups = new Map<string, string>();
  for (const [group, siblings] of groupBy(units, ids)) {
    groups.set(group, groupKey(siblings, { ...options, group }));
  }
  return units.map((unit, index) => {
    const group = ids[index];
    return { id: unit.id, key: group === undefined ? podKey(unit) : groups.get(group)! };
  });
}

function podKey({ id, priority, queuedAt }: QueueUnit): string {
  return key({ priority, whole: true, time: Date.parse(queuedAt), identity: `pod ${id}` });
}

function groupKey(
  siblings: readonly QueueUnit[],
  { group, failedAt, settings }: {
    group: string;
    failedAt: ReadonlyMap<string, number>;
    settings: Settings;
  },
): string {
  let priority = -Infinity;
  let created = Infinity;
  for (const { gang, priority: own } of siblings) {
    priority = Math.max(priority, gang?.priority ?? own);
    created = Math.min(created, Date.parse(gang!.createdAt));
  }
  const time = queueTime(created, { failedAt: failedAt.get(group), settings });
  const whole = !siblings.some((sibling) => isBroken(sibling));
  return key({ priority, whole, time, identity: `gang ${group}` });
}

/** S0 orders by the last failure alone, which is first set when the gang is first seen; S1 to S4 by creation. */
function queueTime(
  created: number,
  { failedAt, settings }: { failedAt: number | undefined; settings: Settings },
): number {
  switch (settings.queueTime) {
    case "creation":
      return created;
    case "creation-or-failure":
      return Math.max(created, failedAt ?? created);
    case "failure":
      return failedAt ?? created;
  }
}

/**
 * Whether a gang was whole and has lost members since, but not all: it has to become whole again. A member that got a node by
 * itself makes no such gang.
 */
export function isBroken(
  { gang, bound = 0, wholeAt = -Infinity }: Pick<QueueUnit, "gang" | "bound" | "wholeAt">,
): boolean {
  return gang !== undefined && bound > 0 && bound < gang.minMember && wholeAt >= gang.minMember;
}

/** Units by the canonical name of their group, of which `ids` has one for each unit. */
function groupBy(
  units: readonly QueueUnit[],
  ids: readonly (string | undefined)[],
): Map<string, QueueUnit[]> {
  const groups = new Map<string, QueueUnit[]>();
  for (const [index, unit] of units.entries()) {
    const id = ids[index];
    if (id === undefined) continue;
    const siblings = groups.get(id);
    if (siblings) siblings.push(unit);
    else groups.set(id, [unit]);
  }
  return groups;
}

function key(parts: { priority: number; whole: boolean; time: number; identity: string }): string {
  const highestFirst = (2 ** 31 - parts.priority).toString().padStart(10, "0");
  return [
    highestFirst,
    parts.whole ? "1" : "0",
    // Go's zero time is long before 1970.
    Math.max(0, parts.time).toString().padStart(15, "0"),
    parts.identity,
  ].join(" ");
}
