import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import { type Attended, attendedSince } from "../../../shared/core/attend/attended.ts";
import { decisionAnswered } from "../../../shared/core/attend/decision.ts";
import { evict } from "../../../shared/core/attend/eviction.ts";
import { planAgainAt } from "../../../shared/core/attend/plan_again.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { learn } from "../../../shared/core/attend/refused_nodes.ts";
import { times } from "../../../shared/core/attend/times.ts";
import {
  evictsNow,
  maySpendEvictions,
  nextEvictionAt,
  roundFailed,
} from "../../../shared/core/attend/vain_evictions.ts";
import { gang, letIn, snapshotOf, start, told } from "../../support/attending.ts";

const snapshot = snapshotOf({ pending: 1 });
const noVolume = '0/1 nodes are available: persistentvolumeclaim "data" not found.';
const clearance = { taken: [], members: [], victims: ["low-0"], names: ["default/low-0"] };
const why = { reason: "InsufficientResources", message: "" } as const;

/** Pods are evicted for the group, it is let in, and then the scheduler refuses a member. */
function evictsInVain(before: Attended, message: string, now: number): Attended {
  const plan = { fit: { members: 0, of: 1 }, clearance, isShort: true };
  const standing = { phase: "refused", why, since: now } as const;
  const evicts = evict({ ...before, standing, plan, told }, snapshot);
  assertEquals(evicts.effects.map((effect) => effect.do), ["evict"]);
  return failsRound(evicts.attended, message, now);
}

function failsRound(before: Attended, message: string, now: number): Attended {
  const failure = { uid: "a", name: "a", message };
  const standing = letIn({ failed: SharedMap.empty<typeof failure>().with("a", failure) });
  const question = { stage: "permit", request: snapshot.group } as const;
  const known = { specs: "", present: 1, calls: [], wasLetIn: true, weakened: 0 };
  const lists = { allow: [], wait: [], reject: [] };
  return decisionAnswered({ ...before, standing }, {
    decision: { verdict: "reject", ...lists, reason: "MemberUnschedulable", message: "" },
    asking: { ...known, question },
    snapshot,
    now,
  }).attended;
}

/** From then on pods may be evicted for it; undefined: at once. */
function evictsAt(attended: Attended, now: number): number | undefined {
  return maySpendEvictions(attended, now) ? undefined : planAgainAt([{ attended }], now);
}

function evictedInVain(): Attended {
  return evictsInVain(attendedSince(gang, start), noVolume, start);
}

Deno.test("a group for which pods left in vain evicts nobody for a while, and for twice as long each time", () => {
  const first = evictedInVain();
  const firstAt = start + times.refusedNode;
  assertEquals(evictsAt(first, start), firstAt);
  assertEquals(evictsAt(first, firstAt), undefined);
  const second = evictsInVain(first, noVolume, firstAt);
  assertEquals(evictsAt(second, firstAt), firstAt + 2 * times.refusedNode);
  let last = second;
  for (let more = 0; more < 20; more++) last = evictsInVain(last, noVolume, firstAt);
  assertEquals(evictsAt(last, firstAt), firstAt + times.vainEvictionMost);
});

Deno.test("rounds that fail without that count for nothing, nor do those for a reason that plans know of", () => {
  const never = failsRound(attendedSince(gang, start), noVolume, start);
  assertEquals(evictsAt(never, start), undefined);
  const again = failsRound(evictedInVain(), noVolume, start + 1);
  assertEquals(evictsAt(again, start + 1), start + times.refusedNode);
  const noRoom = "0/1 nodes are available: 1 Insufficient cpu.";
  const taken = evictsInVain(attendedSince(gang, start), noRoom, start);
  assertEquals(evictsAt(taken, start), undefined);
  const replanned = "Muster: gang default/a is planned anew";
  const moved = evictsInVain(attendedSince(gang, start), replanned, start);
  assertEquals(evictsAt(moved, start), undefined);
});

Deno.test("of a round in which nodes were refused a member without a place says that pods left in vain", () => {
  const replanned = "Muster: gang default/a is planned anew";
  const pod = { namespace: "default", name: "a" };
  const refusal = { pod, gang, reason: "NoPlace", sentence: replanned, at: start };
  const waits = SharedMap.empty<typeof refusal>().with("a", refusal);
  const thereOn = () => 1;
  const fails = (refused: Attended["refused"], at: number) => {
    const refusedNodes = learn(new Map(), { kind: "k", nodes: ["n1"], now: at, thereOn });
    const before = { ...attendedSince(gang, start), refused, refusedNodes };
    return nextEvictionAt([{ attended: evictsInVain(before, replanned, start) }], start);
  };
  assertEquals(fails(waits, start), start + times.refusedNode);
  assertEquals(fails(waits, start - 1), Infinity, "they were known before");
  assertEquals(fails(SharedMap.empty(), start), Infinity, "it failed for another reason");
});

Deno.test("a group that has become whole evicts as one that never did", () => {
  const whole = advance(evictedInVain(), { is: "bound", gang, isWhole: true }, start).attended;
  assertEquals(evictsAt(whole, start), undefined);
});

Deno.test("of a group for which pods are evicted for the first time nothing was in vain yet", () => {
  assertEquals(evictsNow(), { count: 0, until: 0, isOpen: true });
  assertEquals(evictsNow({ count: 2, until: 7, isOpen: false }), {
    count: 2,
    until: 7,
    isOpen: true,
  });
});

Deno.test("of a round's failures one is enough that no plan knows of", () => {
  const failed = ["0/1 nodes are available: 1 Insufficient cpu.", noVolume]
    .map((message, index) => ({ uid: `a${index}`, name: `a${index}`, message }));
  const open = { count: 2, until: 7, isOpen: true };
  const after = { count: 3, until: start + 4 * times.refusedNode, isOpen: false };
  assertEquals(roundFailed(open, { failed, now: start }), after);
  assertEquals(roundFailed(after, { failed, now: start + 1 }), after);
});

Deno.test("evictions that may be spent now are not waited for", () => {
  const groups = [start, start + 5].map((until) => ({
    attended: { vainEvictions: { count: 1, until, isOpen: false } },
  }));
  assertEquals(nextEvictionAt(groups, start), start + 5);
  assertEquals(nextEvictionAt(groups, start + 5), Infinity);
});
