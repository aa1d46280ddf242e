/**
 * QueueSort, as section C of the scenarios and the seeds state it.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { type QueueKey, queueKeys, type QueueUnit } from "../../../shared/core/queue/order.ts";
import { type ProfileName, profiles } from "../../../shared/core/gang/settings.ts";
import { at, gang, type GangParts, now } from "../../support/facts.ts";

/** Units and the order that is expected of them. */
export interface OrderCase {
  readonly id: string;
  readonly units: readonly QueueUnit[];
  /** When gangs of namespace default last failed, by name, in ms since the epoch. */
  readonly failedAt?: Readonly<Record<string, number>>;
  /** Default: `default`. */
  readonly profile?: ProfileName;
  /** The ids, first to last. */
  readonly expect: string;
}

function regular(id: string, { priority = 0, queued = 0 } = {}): QueueUnit {
  return { id, priority, queuedAt: at(queued) };
}

/** A pod of a gang; its gang's name is the first part of the id. */
export function member(
  id: string,
  of: { created?: number; queued?: number; bound?: number; wholeAt?: number } & GangParts,
) {
  const { created = 0, queued = 0, bound, wholeAt, ...parts } = of;
  const spec = gang({ name: id.split(".")[0]!, createdAt: at(created), ...parts }).gang;
  return {
    id,
    gang: spec,
    priority: spec.priority ?? 0,
    queuedAt: at(queued),
    ...(bound !== undefined && { bound }),
    ...(wholeAt !== undefined && { wholeAt }),
  };
}

/** Every row of queue-sort. */
export const orderCases: readonly OrderCase[] = [
  // Section C of the scenarios.
  {
    id: "SP-LS-1/2 regular pods, different priority",
    units: [regular("low", { queued: -9 }), regular("high", { priority: 10 })],
    expect: "high low",
  },
  {
    id: "SP-LS-3/4 regular pods, same priority",
    units: [regular("late", { queued: 2 }), regular("early", { queued: 1 })],
    expect: "early late",
  },
  {
    id: "SP-LS-5/6 gang pod and regular pod, different priority",
    units: [
      regular("low", { queued: -9 }),
      member("g.0", { priority: 10 }),
      regular("top", { priority: 11, queued: 9 }),
    ],
    expect: "top g.0 low",
  },
  {
    id: "SP-LS-7/8 gang pod and regular pod: the gang's creation against the pod's queue time",
    units: [
      regular("later", { queued: 6 }),
      member("g.0", { created: 5, queued: 90 }),
      regular("earlier", { queued: 4 }),
    ],
    expect: "earlier g.0 later",
  },
  {
    id: "SP-LS-9/10 gangs, different priority",
    units: [member("a.0", { created: -9 }), member("b.0", { priority: 10 })],
    expect: "b.0 a.0",
  },
  {
    id: "SP-LS-11/12 gangs, same priority: creation, whatever the pod times",
    units: [
      member("young.0", { created: 2, queued: 0 }),
      member("old.0", { created: 1, queued: 9 }),
    ],
    expect: "old.0 young.0",
  },
  {
    id: "SP-LS-13/14 gangs of equal time do not interleave (S0)",
    units: [member("b.0", {}), member("a.0", {}), member("b.1", {}), member("a.1", {})],
    expect: "a.0 a.1 b.0 b.1",
  },
  {
    id: "SP-LS-15 a gang that just failed is behind one created before the failure",
    units: [member("pg1.0", { created: -20 }), member("pg2.0", { created: -10 })],
    failedAt: { pg1: now },
    expect: "pg2.0 pg1.0",
  },
  {
    id: "SP-LS-16 SP-FT-1 without the mark it is first again",
    units: [member("pg1.0", { created: -20 }), member("pg2.0", { created: -10 })],
    expect: "pg1.0 pg2.0",
  },
  {
    id: "SP-FT-1 a failure of one gang leaves the others where they are",
    units: [
      member("pg1.0", { created: -30 }),
      member("pg2.0", { created: -20 }),
      member("pg3.0", { created: -10 }),
    ],
    failedAt: { pg2: now },
    expect: "pg1.0 pg3.0 pg2.0",
  },
  {
    id: "SP-FT-1 a failure before the gang's creation does not move it forward",
    units: [member("pg1.0", { created: -10 }), regular("pod", { queued: -15 })],
    failedAt: { pg1: now - 99_000 },
    expect: "pod pg1.0",
  },
  {
    id: "S1 in profile sigs a failure does not move a gang",
    units: [member("pg1.0", { created: -20 }), member("pg2.0", { created: -10 })],
    failedAt: { pg1: now },
    profile: "sigs",
    expect: "pg1.0 pg2.0",
  },
  {
    id: "BUG-10 a gang that was whole and has too few bound members goes before its equals",
    units: [
      regular("pod", { queued: -99 }),
      member("broken.0", { minMember: 3, bound: 2, wholeAt: 3, created: 0 }),
      member("whole.0", { minMember: 3, bound: 3, wholeAt: 3, created: -50 }),
    ],
    expect: "broken.0 pod whole.0",
  },
  {
    id: "BUG-10 but not before a higher priority",
    units: [
      member("broken.0", { minMember: 3, bound: 2, wholeAt: 3 }),
      regular("pod", { priority: 1 }),
    ],
    expect: "pod broken.0",
  },
  {
    id: "BUG-10 nor does a gang that never was whole: one pod that got a node by itself",
    units: [member("stray.0", { minMember: 100, bound: 1 }), member("older.0", { created: -1 })],
    expect: "older.0 stray.0",
  },
  {
    id: "BUG-10 nor one whose minMember was raised since it was whole",
    units: [
      member("raised.0", { minMember: 100, bound: 2, wholeAt: 2 }),
      member("older.0", { created: -1 }),
    ],
    expect: "older.0 raised.0",
  },
  {
    id: "BUG-10 nor one of which nothing is left",
    units: [
      member("gone.0", { minMember: 3, bound: 0, wholeAt: 3 }),
      member("older.0", { created: -1 }),
    ],
    expect: "older.0 gone.0",
  },
  {
    id: "BUG-9 gangs of the same name in two namespaces do not interleave",
    units: [
      member("g.0", { namespace: "y" }),
      member("g.1", { namespace: "x" }),
      member("g.2", { namespace: "y" }),
    ],
    expect: "g.1 g.0 g.2",
  },
  {
    id: "priorities from the lowest to the highest there are",
    units: [
      regular("min", { priority: -(2 ** 31) }),
      regular("max", { priority: 2 ** 31 - 1 }),
      regular("minus", { priority: -1 }),
      regular("zero"),
    ],
    expect: "max zero minus min",
  },
  {
    id: "Go's zero time is early",
    units: [
      regular("now"),
      { ...regular("zero"), queuedAt: "0001-01-01T00:00:00Z" },
      { ...regular("seventies"), queuedAt: "1970-01-01T00:00:01Z" },
    ],
    expect: "zero seventies now",
  },
  {
    id: "a regular pod with the identity of a gang does not come between its members",
    units: [member("g.0", {}), regular("default/g"), member("g.1", {})],
    expect: "g.0 g.1 default/g",
  },
];

/** The keys that core gives. */
export function keysOfCore({ units, failedAt = {}, profile = "default" }: OrderCase): QueueKey[] {
  const failures = Object.entries(failedAt).map(([name, ms]) => [`default/${name}`, ms] as const);
  return queueKeys(units, { failedAt: new Map(failures), settings: profiles[profile] });
}

/** Throws where the keys are not in the order of the units, or do not sort as expected. */
export function checkOrder(keys: readonly QueueKey[], { units, expect }: OrderCase): void {
  assertEquals(keys.map((key) => key.id), units.map((unit) => unit.id));
  const sorted = keys.toSorted((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  assertEquals(sorted.map((key) => key.id).join(" "), expect);
}
