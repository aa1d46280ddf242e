import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import {
  type Asking,
  type Attended,
  attendedSince,
  isJudged,
} from "../../../shared/core/attend/attended.ts";
import { evict } from "../../../shared/core/attend/eviction.ts";
import {
  nominateCleared,
  nominationsEndAt,
  takeBack,
  takesBackAt,
} from "../../../shared/core/attend/nomination.ts";
import { look } from "../../../shared/core/attend/look.ts";
import { isBeyondNeed } from "../../../shared/core/attend/surplus.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import type { Snapshot } from "../../../shared/core/attend/snapshot.ts";
import { callOf, gang, letIn, snapshotOf, told } from "../../support/attending.ts";

const now = 1_000_000;
const clearance = {
  taken: [],
  members: [{ uid: "m-0", node: "node-1" }],
  victims: ["low-0"],
  names: ["default/low-0"],
};
const plan: Plan = { fit: { members: 0, of: 1 }, clearance, isShort: true };

/** A gang that is refused for this reason, and planned; policy knows that pods are to leave for it. */
function refused(
  reason: "InsufficientResources" | "BehindInQueue" | "TimedOut" | "CustomPolicy",
): Attended {
  const why = { reason, message: "" };
  const attended = attendedSince("default/high", now);
  return { ...attended, standing: { phase: "refused", why, since: now }, told, plan, clearance };
}

const snapshot = snapshotOf({});

Deno.test("evict() asks those to leave who are in the way of a gang that lacks nothing but room", () => {
  const { effects } = evict(refused("InsufficientResources"), snapshot);
  const by = `${snapshot.title} of higher priority`;
  assertEquals(effects, [{ do: "evict", uids: ["low-0"], by, group: "default/high" }]);
});

Deno.test("evict() asks nobody for a gang that something else keeps out, or of which policy has said nothing", () => {
  const collecting = { ...attendedSince("default/high", now), plan, clearance };
  const others = ["BehindInQueue", "TimedOut", "CustomPolicy"] as const;
  for (const attended of [...others.map(refused), collecting]) {
    assertEquals(evict(attended, snapshot).effects, []);
    assertEquals(nominateCleared(attended).effects, []);
  }
});

Deno.test("evict() asks nobody before policy has answered knowing that they are to leave", () => {
  const waits = snapshotOf({ minMember: 1, pending: 1 });
  const known = { ...told, specs: waits.specs, counts: waits.counts, leaving: false };
  const untold = { ...refused("InsufficientResources"), told: known };
  assertEquals(evict(untold, waits).effects, []);
  assertEquals(nominateCleared(untold).effects, []);

  const leaving = { pods: 1, first: clearance.names };
  const cleared: Plan = { ...plan, fit: { ...plan.fit, leaving } };
  const sight = { snapshot: waits, longestHold: 1000 };
  const { attended, effects } = look({ ...untold, plan: cleared }, sight, now);
  assertEquals(effects.map((effect) => effect.do), ["ask"]);
  assertEquals(evict(attended, waits).effects, [], "the answer is on its way");

  const answer = { verdict: "reject", reason: "InsufficientResources", message: "" } as const;
  const agreed = advance(attended, { is: "answered", answer, snapshot: waits }, now).attended;
  assertEquals(evict(agreed, waits).effects.length, 1);
  const waited = { ...answer, reason: "CustomPolicy" } as const;
  const kept = advance(attended, { is: "answered", answer: waited, snapshot: waits }, now).attended;
  assertEquals(evict(kept, waits).effects, []);
});

Deno.test("evict() asks the rest of a gang to leave that others have broken, until they have", () => {
  const lost = { is: "place lost", uid: "a", gang: "default/low", isTooFew: true } as const;
  const by = "pod default/high of higher priority";
  const before = attendedSince("default/low", now);
  const broken = advance(before, { ...lost, by, rest: ["b", "c"] }, now).attended;
  assertEquals(evict(broken, snapshot).effects, [{ do: "evict", uids: ["b", "c"], by }]);
  const { attended } = advance(broken, { is: "member left", uid: "b", isIncomplete: false }, now);
  assertEquals(evict(attended, snapshot).effects, [{ do: "evict", uids: ["c"], by }]);
  const gone =
    advance(attended, { is: "member left", uid: "c", isIncomplete: false }, now).attended;
  assertEquals(evict(gone, snapshot).effects, []);
});

for (
  const [id, facts, expect] of [
    ["it lacks one", { bound: 2 }, ["b", "c"]],
    ["one is held", { bound: 2, calls: [callOf("a2")] }, ["b", "c"]],
    ["it is whole again", { bound: 3 }, []],
    ["the others have done their work", { bound: 2, succeeded: 1 }, []],
  ] as const
) {
  Deno.test(`evict() asks the rest of a broken gang to leave while it is: ${id}`, () => {
    const lost = { is: "place lost", uid: "a", gang, isTooFew: true } as const;
    const by = "pod default/high of higher priority";
    const { attended } = advance(attendedSince(gang, now), { ...lost, by, rest: ["b", "c"] }, now);
    const asked = (before: Attended, seen: Snapshot) => {
      const { attended, effects } = evict(before, seen);
      return {
        attended,
        uids: effects.flatMap((effect) => effect.do === "evict" ? effect.uids : []),
      };
    };
    const first = asked(attended, snapshotOf(facts));
    assertEquals(first.uids, [...expect]);
    // What has come to be whole is not broken by what happens later.
    assertEquals(asked(first.attended, snapshotOf({ bound: 2 })).uids, [...expect]);
  });
}

Deno.test("evict() asks nobody where a member has left for nobody", () => {
  const lost = { is: "place lost", uid: "a", gang: "default/low", isTooFew: true } as const;
  const { attended } = advance(attendedSince("default/low", now), lost, now);
  assertEquals(evict(attended, snapshot).effects, []);
});

Deno.test("nominateCleared() says once where members are to go, and it is not taken back while room comes", () => {
  const { attended, effects } = nominateCleared(refused("InsufficientResources"));
  assertEquals(effects, [{ do: "nominate", members: clearance.members }]);
  assertEquals(nominateCleared(attended).effects, []);
  assertEquals(nominationsEndAt(attended), Infinity);
  assertEquals(nominationsEndAt({ ...attended, clearance: undefined }) < Infinity, true);
});

/** A gang whose member was nominated to room that was being left for it, planned anew when that is there. */
function cleared(reason: "InsufficientResources" | "FunctionsUnreachable") {
  const before = nominateCleared(refused("InsufficientResources")).attended;
  const standing = {
    phase: "refused",
    why: { reason, message: "" },
    since: now - 10_000,
  } as const;
  const taken = [{ node: "node-1", kind: "m", requests: new Map(), count: 1 }];
  const whole: Plan = { fit: { members: 1, of: 1 }, taken, isShort: false };
  return advance({ ...before, standing }, { is: "planned", plan: whole, waits: () => true }, now)
    .attended;
}

const nominated = {
  ...snapshotOf({ minMember: 1, pending: 1 }),
  nominated: () => [{ uid: "m-0", node: "node-1", version: "1" }],
};

Deno.test("takeBack() leaves members nominated to cleared room between its coming and their being let in", () => {
  assertEquals(takeBack(cleared("InsufficientResources"), nominated, now).effects, []);
  const unnominate = [{ do: "unnominate", uids: ["m-0"] }] as const;
  assertEquals(takeBack(cleared("FunctionsUnreachable"), nominated, now).effects, unnominate);
});

Deno.test("takeBack() ends nominations to cleared room when the scheduler should have tried it", () => {
  const asking: Asking = {
    question: { stage: "prefilter", request: nominated.group },
    weakened: 0,
    specs: "",
    present: 1,
    calls: [],
    wasLetIn: false,
  };
  const answer = { verdict: "allow", reason: "Admitted", message: "" } as const;
  const { attended } = advance({ ...cleared("InsufficientResources"), asking }, {
    is: "answered",
    answer,
    snapshot: nominated,
  }, now);
  assertEquals(isBeyondNeed(attended, "m-1", now), true);
  assertEquals(takesBackAt(attended, nominated), now + times.settled);
});

Deno.test("isJudged(): a gang that was kept out for want of room is not while the room that has come is to be told", () => {
  assertEquals(isJudged(refused("InsufficientResources")), true);
  assertEquals(isJudged(cleared("InsufficientResources")), false);
  assertEquals(isJudged(cleared("FunctionsUnreachable")), true);
});

Deno.test("evict() asks those to leave who have taken the room of a gang since it was let in", () => {
  const { effects } = evict({ ...refused("TimedOut"), standing: letIn() }, snapshot);
  assertEquals(effects.map((effect) => effect.do), ["evict"]);
});

Deno.test("evict() asks the rest of each broken gang to leave, whichever of them a member was of", () => {
  const broken = new Map([
    ["default/a", { uids: ["a1", "a2"], by: "x" }],
    ["default/b", { uids: ["b1"], by: "x" }],
  ]);
  const group = { ...attendedSince("default/a,default/b", now), broken };
  const { attended } = advance(group, { is: "member left", uid: "a1", isIncomplete: false }, now);
  assertEquals(evict(attended, snapshot).effects, [
    { do: "evict", uids: ["a2"], by: "x" },
    { do: "evict", uids: ["b1"], by: "x" },
  ]);
});
