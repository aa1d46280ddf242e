/**
 * QueueSort: the order in which units are scheduled, as sortable keys.
 *
 * @module
 */
import { type GangSpec, groupId } from "./facts.ts";
import type { Settings } from "./settings.ts";

/** Something that queues: a regular pod, or one pod of a gang, or a gang. */
export interface QueueUnit {
  readonly id: string;
  readonly gang?: GangSpec | undefined;
  readonly priority: number;
  /** RFC 3339 time at which it entered the queue. */
  readonly queuedAt: string;
  /** Members of its gang that are bound. */
  readonly bound?: number | undefined;
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
  const groups = groupBy(units);
  return units.map((unit) => {
    if (!unit.gang) {
      return {
        id: unit.id,
        key: key({ ...unit, whole: true, time: Date.parse(unit.queuedAt), identity: unit.id }),
      };
    }
    const group = groupId(unit.gang);
    const siblings = groups.get(group)!;
    const priority = Math.max(
      ...siblings.map((sibling) => sibling.gang?.priority ?? sibling.priority),
    );
    const created = Math.min(...siblings.map((sibling) => Date.parse(sibling.gang!.createdAt)));
    const failed = options.settings.queueTime === "creation" ? 0 : options.failedAt.get(group) ?? 0;
    const whole = !siblings.some((sibling) => isBroken(sibling));
    return {
      id: unit.id,
      key: key({ priority, whole, time: Math.max(created, failed), identity: group }),
    };
  });
}

/** A gang that has bound members, but fewer than it needs. */
function isBroken(unit: QueueUnit): boolean {
  const bound = unit.bound ?? 0;
  return bound > 0 && bound < (unit.gang?.minMember ?? 0);
}

function groupBy(units: readonly QueueUnit[]): Map<string, QueueUnit[]> {
  const groups = new Map<string, QueueUnit[]>();
  for (const unit of units) {
    if (!unit.gang) continue;
    const id = groupId(unit.gang);
    groups.set(id, [...(groups.get(id) ?? []), unit]);
  }
  return groups;
}

function key(parts: { priority: number; whole: boolean; time: number; identity: string }): string {
  const highestFirst = (2 ** 31 - parts.priority).toString().padStart(10, "0");
  return [
    highestFirst,
    parts.whole ? "1" : "0",
    parts.time.toString().padStart(15, "0"),
    parts.identity,
  ].join(" ");
}
