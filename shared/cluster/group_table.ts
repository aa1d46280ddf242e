/**
 * Which gang group each gang belongs to, by what its members declare.
 *
 * @module
 */
import { Carried } from "../core/gang/carried.ts";
import type { EventOf } from "../core/attend/event.ts";
import type { Call } from "../core/attend/snapshot.ts";
import { type GangSpec, groupId } from "../core/gang/facts.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import { GangGroup } from "./gang_group.ts";

/** A spec stays the same object until what its gang declares changes. */
const ids = new Carried<GangSpec, string>();

function idOf(spec: GangSpec): string {
  return ids.of(spec) ?? ids.put(spec, groupId(spec));
}

/** A gang that declares another group than before. */
export interface Move {
  readonly gang: Gang;
  readonly from: GangGroup;
  readonly to: GangGroup;
}

/** The groups of these pods, each with those of their open bind calls that can still be taken back. */
export function callsByGroup(
  uids: readonly string[],
  { pods, groups }: { pods: Cluster["pods"]; groups: GroupTable },
): Map<GangGroup, Call[]> {
  const calls = new Map<GangGroup, Call[]>();
  for (const { gang, call } of uids.flatMap((uid) => pods.get(uid) ?? [])) {
    const group = groups.of(gang);
    if (!group) continue;
    const own = calls.get(group) ?? [];
    calls.set(group, own);
    if (call && !call.isGranted) own.push(call);
  }
  return calls;
}

/** What a group hears of a gang that came from another: what that knew of its members, also of those that are still to be seen. */
export function gangCame({ gang, from }: Move): EventOf<"gang came"> {
  const { refused, lost, preempted } = from.attended;
  return {
    is: "gang came",
    refused: [...refused].filter(([, refusal]) => refusal.gang === gang.id),
    lost: lost.filter((loss) => loss.gang === gang.id),
    gang: gang.id,
    preempted: preempted.get(gang.id),
  };
}

/** The gang groups that have members, or had some until a moment ago. */
export class GroupTable {
  readonly #cluster: Cluster;
  readonly #moved: (move: Move) => void;
  readonly #groups = new Map<string, GangGroup>();
  /** The groups that name a gang, whether it names them or not. */
  readonly #naming = new Map<string, Set<GangGroup>>();
  readonly #groupOfGang = new Map<string, GangGroup>();

  /** `moved` is told when a gang has left a group for another. */
  constructor(cluster: Cluster, moved: (move: Move) => void) {
    this.#cluster = cluster;
    this.#moved = moved;
  }

  /** The group of a gang, by its `namespace/name`; undefined for a gang not seen yet. */
  of(gang: string | undefined): GangGroup | undefined {
    return gang === undefined ? undefined : this.#groupOfGang.get(gang);
  }

  /** A group by its canonical name. */
  byId(id: string): GangGroup | undefined {
    return this.#groups.get(id);
  }

  /** The group of a gang, found anew from its members where there are any. */
  find(gangName: string): GangGroup | undefined {
    const known = this.#groupOfGang.get(gangName);
    const gang = this.#cluster.gangs.get(gangName);
    if (!gang) return known;
    const id = idOf(gang.read().spec);
    if (known?.id === id && known.gangs.includes(gang)) return known;
    const group = this.#groups.get(id) ?? this.#create(id);
    const index = group.gangs.findIndex((other) => other.id === gang.id);
    if (index < 0) group.gangs.push(gang);
    else group.gangs[index] = gang;
    this.#groupOfGang.set(gangName, group);
    if (known && known !== group) this.#move(gang, { from: known, to: group });
    return group;
  }

  /** A gang declares another group than before: it is in that one only. */
  #move(gang: Gang, { from, to }: { from: GangGroup; to: GangGroup }): void {
    from.gangs.splice(from.gangs.findIndex(({ id }) => id === gang.id), 1);
    if (from.gangs.length === 0) this.#remove(from);
    this.#moved({ gang, from, to });
  }

  #create(id: string): GangGroup {
    const group = new GangGroup(id, this.#cluster.now());
    this.#groups.set(id, group);
    for (const gang of id.split(",")) {
      const naming = this.#naming.get(gang) ?? new Set();
      this.#naming.set(gang, naming.add(group));
    }
    return group;
  }

  #remove(group: GangGroup): void {
    this.#groups.delete(group.id);
    for (const gang of group.id.split(",")) {
      const naming = this.#naming.get(gang);
      naming?.delete(group);
      if (naming?.size === 0) this.#naming.delete(gang);
    }
  }

  /** Other groups that name the gang: what it declares, and whether it exists, is a matter of theirs too. */
  naming(gang: string): GangGroup[] {
    const own = this.of(gang);
    return [...this.#naming.get(gang) ?? []].filter((group) => group !== own);
  }

  /** Forgets a group. */
  delete(group: GangGroup): void {
    this.#remove(group);
    for (const gang of group.gangs) {
      if (this.#groupOfGang.get(gang.id) === group) this.#groupOfGang.delete(gang.id);
    }
  }

  /** Whether the group has not been forgotten. */
  has(group: GangGroup): boolean {
    return this.#groups.get(group.id) === group;
  }

  /** All groups. */
  [Symbol.iterator](): IterableIterator<GangGroup> {
    return this.#groups.values();
  }
}
