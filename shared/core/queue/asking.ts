/**
 * What queue-sort is asked, and when again.
 *
 * @module
 */
import { gangId, type GangSpec, groupId } from "../gang/facts.ts";
import { isGangId } from "../gang/limits.ts";
import { profiles } from "../gang/settings.ts";
import { isBroken, queueKeys, type QueueUnit } from "./order.ts";

/** What one call asks about at most, each body far below what the functions take. */
const most = { groups: 1000, bytes: 256 * 1024 };

/** A gang group as queue-sort is asked about it. */
export interface Queued {
  readonly units: readonly (QueueUnit & { readonly gang: GangSpec })[];
  /** When its last round failed, RFC 3339. */
  readonly failedAt: string | undefined;
}

/** All that the group's key depends on, as a text. */
export function basisOf({ units, failedAt }: Queued): string {
  const parts = units.map((unit) => {
    const { createdAt, priority, attributes } = unit.gang;
    const said = attributes ? JSON.stringify(attributes) : "";
    return `${createdAt} ${priority} ${isBroken(unit)}${said}`;
  });
  return `${parts} ${failedAt}`;
}

/** As many of the groups, from the first on, as one call asks about; of what can not be told nobody is asked. */
export function batchOf<Group extends Queued>(groups: readonly Group[]): Group[] {
  const batch: Group[] = [];
  let bytes = 0;
  for (const group of groups) {
    if (!group.units.every(({ gang }) => isGangId(gangId(gang)))) continue;
    // Names and numbers: letters are bytes.
    bytes += JSON.stringify(group.units).length;
    if (batch.length === most.groups || (batch.length > 0 && bytes > most.bytes)) break;
    batch.push(group);
  }
  return batch;
}

/** A batch that was refused, in halves: only the group that it is refused for is to be left out. */
export function halvesOf<Group>(batch: readonly Group[]): (readonly Group[])[] {
  const half = Math.ceil(batch.length / 2);
  return batch.length > 1 ? [batch.slice(0, half), batch.slice(half)] : [];
}

/** In the order of their keys; those without one come last, as queue-sort orders them where nobody sets anything. */
export function inKeyOrder<Group>(
  groups: readonly Group[],
  placeOf: (group: Group) => { key: string | undefined; queued: () => Queued },
): Group[] {
  return groups.map((group) => {
    const { key, queued } = placeOf(group);
    return { group, key: key ?? `~${ownKey(queued())}` };
  })
    .sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
    .map(({ group }) => group);
}

function ownKey({ units, failedAt }: Queued): string {
  const [{ gang }] = units as readonly [Queued["units"][number]];
  const failures = failedAt === undefined ? [] : [[groupId(gang), Date.parse(failedAt)] as const];
  const [first] = queueKeys(units, { failedAt: new Map(failures), settings: profiles.default });
  return first!.key;
}
