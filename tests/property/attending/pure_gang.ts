import {
  type GangFacts,
  gangId,
  type GangSpec,
  groupId,
  noMembers,
  type PodRef,
} from "../../../shared/core/gang/facts.ts";
import type { Call } from "../../../shared/core/attend/snapshot.ts";
import type { PlacedMember, PlannedGang } from "../../../shared/core/plan/demand.ts";
import { candidateOf } from "./pure_room.ts";

/** Where a member is. */
export interface Whereabouts {
  readonly node?: string | undefined;
  readonly call?: Call | undefined;
  /** Where the scheduler is about to bind it, which the relay has not heard yet. */
  readonly assumed?: string | undefined;
}

/** A pod of a gang. */
export interface Member extends Whereabouts {
  readonly pod: PodRef;
  readonly gang: PureGang;
  readonly gpus: number;
  node: string | undefined;
  call: Call | undefined;
  assumed: string | undefined;
  /** A device that it claims was allocated there when it was held, and stays so until it is tried in vain. */
  pin?: string | undefined;
  /** What the scheduler's own plugins say of it. */
  failure: string | undefined;
  attempts: number;
  /** Nothing but an event wakes it. */
  isAsleep: boolean;
  /** In the scheduler's back-off until then. */
  readyAt: number;
}

/** One that has just been created, at `now`. */
export function newMember(
  gang: PureGang,
  { name, gpus, now }: { name: string; gpus: number; now: number },
): Member {
  return {
    pod: { namespace: gang.spec.namespace, name, uid: name },
    gang,
    gpus,
    node: undefined,
    call: undefined,
    assumed: undefined,
    failure: undefined,
    attempts: 0,
    isAsleep: false,
    readyAt: now,
  };
}

/** Where a member is bound or held. */
export function nodeOf({ node, call }: Whereabouts): string | undefined {
  return node ?? call?.pod.node;
}

/** The same, as the scheduler has it. */
export function assumedNodeOf(member: Whereabouts): string | undefined {
  return nodeOf(member) ?? member.assumed;
}

/** Whether the relay takes a member for one that needs a node. */
export function isWaiting(member: Member | undefined): boolean {
  return member !== undefined && nodeOf(member) === undefined;
}

/** What the relay knows of a gang. */
interface Counted {
  readonly facts: GangFacts;
  readonly planned: PlannedGang;
  readonly calls: readonly Call[];
  /** Its census as a text. */
  readonly counts: string;
}

/** A gang and its members, which are counted when one of them has changed: the relay does not count them anew either. */
export class PureGang {
  readonly spec: GangSpec;
  /** `namespace/name`. */
  readonly id: string;
  /** Canonical name of its group. */
  readonly group: string;
  #members: readonly Member[] = [];
  #counted: Counted | undefined;

  constructor(spec: GangSpec) {
    this.spec = spec;
    this.id = gangId(spec);
    this.group = groupId(spec);
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  add(member: Member): void {
    this.#members = [...this.#members, member];
    this.#counted = undefined;
  }

  remove(member: Member): void {
    this.#members = this.#members.filter((other) => other !== member);
    this.#counted = undefined;
  }

  /** A member is elsewhere. */
  put(member: Member, { node, call, assumed }: Whereabouts): void {
    member.node = node;
    member.call = call;
    member.assumed = assumed;
    this.#counted = undefined;
  }

  get counted(): Counted {
    return this.#counted ??= countedOf(this);
  }

  /** Whether members wait for a node. */
  get isWaiting(): boolean {
    return this.counted.planned.candidates.length > 0;
  }

  /** Members with a node. */
  get bound(): number {
    return this.counted.facts.census.bound;
  }

  /** Whether too few members are bound or held. */
  get isShort(): boolean {
    return this.placed() < this.spec.minMember;
  }

  /** Whether it has fewer members than it needs. */
  get isIncomplete(): boolean {
    return this.#members.length < this.spec.minMember;
  }

  /** Members that have a node, are held, or are about to be. */
  placed(comes?: (uid: string) => boolean): number {
    const { placed, candidates } = this.counted.planned;
    if (!comes || candidates.length === 0) return placed.length;
    return this.#members.filter((member) => !isWaiting(member) || comes(member.pod.uid)).length;
  }
}

/** How many members of a kind have a node or are held for it, by node. */
export function alikeIn(gangs: readonly PureGang[], kind: string): ReadonlyMap<string, number> {
  const alike = new Map<string, number>();
  for (const member of gangs.flatMap(({ members }) => members)) {
    const node = nodeOf(member);
    if (node === undefined || candidateOf(member.gpus).kind !== kind) continue;
    alike.set(node, (alike.get(node) ?? 0) + 1);
  }
  return alike;
}

function countedOf({ spec, members }: PureGang): Counted {
  const candidates: PlannedGang["candidates"][number][] = [];
  const placed: PlacedMember[] = [];
  const calls: Call[] = [];
  for (const member of members) {
    const candidate = candidateOf(member.gpus);
    const node = nodeOf(member);
    if (node === undefined) candidates.push(candidate);
    else placed.push({ node, requests: candidate.requests });
    if (member.call && !member.node) calls.push(member.call);
  }
  const bound = placed.length - calls.length;
  const pending = candidates.length;
  const census = { ...noMembers, pending, bound, running: bound };
  const facts = { gang: spec, census, held: calls.map(({ pod }) => pod) };
  return {
    facts,
    planned: { facts, candidates, placed, minResources: new Map(), evictsBelow: -Infinity },
    calls,
    counts: `${pending} ${bound} ${calls.length}`,
  };
}
