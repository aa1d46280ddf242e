import { assertEquals } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { Decision } from "../../../shared/core/stage/decision.ts";
import {
  decisionAnswered,
  decisionAsked,
  decisionDueAt,
  decisionQuestion,
  decisionUnanswered,
  isDecisionDue,
  lastSaid,
} from "../../../shared/core/attend/decision.ts";
import type { DecisionQuestion } from "../../../shared/core/attend/question.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import type { Loss, MemberFailure } from "../../../shared/core/gang/facts.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, callOf, type Facts, letIn, snapshotOf, start } from "../../support/attending.ts";

const facts = snapshotOf({ pending: 2, calls: [callOf("a1")] });
const later = start + 10_000;

/** A group whose last answer was to wait, given when so many members were held. */
function waitingSince(held: number): Attended {
  const { specs, present } = facts;
  const decision: Decision = {
    verdict: "wait",
    allow: [],
    wait: [],
    reject: [],
    need: present - held,
    reason: "WaitingForMembers",
    message: "gang default/gang waits",
  };
  return attended({ round: { decision, specs, present, held, askAgainAt: Infinity } });
}

Deno.test("the first member held after an answer without any is asked about at once: the wait begins", () => {
  assertEquals(isDecisionDue(waitingSince(0), facts, later), true);
  assertEquals(isDecisionDue(waitingSince(1), facts, later), false);
});

/** What the group knows, what is so, and whether a stage is to be asked about held members. */
const due: [
  id: string,
  known: Partial<Attended>,
  more: Parameters<typeof snapshotOf>[0],
  isDue: boolean,
][] = [
  ["enough are held", {}, { pending: 1, calls: [callOf("a1"), callOf("a2")] }, true],
  ["the time to ask again has come", { round: round({ askAgainAt: later }) }, {}, true],
  ["it has not", { round: round({ askAgainAt: later + 1 }) }, {}, false],
  ["a member is gone", { round: round({ present: 4 }) }, {}, true],
  ["another was declared", { round: round({ specs: "other" }) }, {}, true],
  ["nobody is held", {}, { pending: 3, calls: [] }, false],
  ["a loss is to be told", { lost: [lossOf("a2")] }, { pending: 3, calls: [] }, true],
  ["a failure is to be told", { standing: letIn({ hasNewFailure: true }) }, { calls: [] }, true],
  ["none is", { standing: letIn() }, { pending: 2, calls: [] }, false],
];

function round(known: Partial<NonNullable<Attended["round"]>>): Attended["round"] {
  return { ...waitingSince(1).round!, ...known };
}

function lossOf(uid: string, cause: Loss["cause"] = "deleted"): Loss {
  return { pod: callOf(uid).pod, cause };
}

for (const [id, known, more, isDue] of due) {
  Deno.test(`isDecisionDue(): ${id}`, () => {
    const snapshot = snapshotOf({ pending: 2, calls: [callOf("a1")], ...more });
    assertEquals(isDecisionDue(attended(known), snapshot, later), isDue);
  });
}

Deno.test("isDecisionDue(): when one more is held than is needed, but none less", () => {
  const held = (count: number) =>
    snapshotOf({
      pending: 3 - count,
      calls: Array.from({ length: count }, (_, index) => callOf(`a${index}`)),
    });
  const known = attended({ round: round({ present: 3 }) });
  const needs = (need: number | undefined) => {
    const { decision } = known.round!;
    return { ...known, round: { ...known.round!, decision: { ...decision, need } } };
  };
  assertEquals([1, 2, 3].map((count) => isDecisionDue(known, held(count), later)), [
    false,
    false,
    true,
  ]);
  for (const need of [undefined, 0]) {
    const due = [1, 2].map((count) => isDecisionDue(needs(need), held(count), later));
    assertEquals(due, [false, true], `a policy says ${need}`);
  }
});

Deno.test("decisionDueAt(): when siblings are not likely to follow, and then when a round that is open ends", () => {
  const calls = [callOf("a1"), callOf("a2", { openedAt: start + 30 })];
  const open = attended({ round: round({ askAgainAt: later }) });
  const dueAt = (snapshot: Parameters<typeof snapshotOf>[0], now: number, known = open) =>
    decisionDueAt(known, snapshotOf(snapshot), now);
  assertEquals(dueAt({ pending: 1 }, start), Infinity);
  const gathered = dueAt({ pending: 1, calls }, start);
  assertEquals(gathered > start + 30, true);
  assertEquals(dueAt({ pending: 1, calls }, gathered - 1), gathered);
  assertEquals(dueAt({ pending: 1, calls }, gathered), later);
  assertEquals(dueAt({ calls }, start), later, "no sibling is to follow");
  const last = start + times.gatherMost - 10;
  const steady = [...calls, callOf("a3", { openedAt: last })];
  assertEquals(dueAt({ pending: 1, calls: steady }, last), start + times.gatherMost);
  const allowed: Decision = { ...open.round!.decision, verdict: "allow" };
  const over = attended({ round: round({ askAgainAt: later, decision: allowed }) });
  assertEquals(dueAt({ calls }, start, over), Infinity);
});

const { group } = facts;
const failed: Partial<Attended> = { standing: letIn({ hasNewFailure: true }) };
const silent: Partial<Attended> = { standing: letIn() };
const told = [lossOf("a2")];
/** What is known before and after a stage is asked, and when it does not answer. */
const questions: [
  question: DecisionQuestion,
  before: Partial<Attended>,
  asked: Partial<Attended>,
  unanswered: Partial<Attended>,
][] = [
  [{ stage: "unreserve", request: { ...group, lost: told } }, { lost: told }, {}, { lost: told }],
  [
    { stage: "unreserve", request: { ...group, lost: [lossOf("a", "gone"), ...told] } },
    {},
    {},
    {},
  ],
  [{ stage: "postfilter", request: { ...group, failed: [] } }, failed, silent, failed],
  [{ stage: "permit", request: group }, failed, failed, failed],
  [{ stage: "permit", request: group }, silent, silent, silent],
];

for (const [question, before, asked, unanswered] of questions) {
  const { stage } = question;
  Deno.test(`decisionAsked(), decisionUnanswered(): ${stage}, ${Object.keys(before)}`, () => {
    const after = decisionAsked(attended(before), question);
    assertEquals(after, attended(asked));
    assertEquals(decisionUnanswered(after, question), attended(unanswered));
  });
}

Deno.test("decisionUnanswered(): what was lost meanwhile is told after what was to be told", () => {
  const [first, second] = [lossOf("a2"), lossOf("a3")];
  const question = { stage: "unreserve", request: { ...group, lost: [first] } } as const;
  assertEquals(decisionUnanswered(attended({ lost: [second] }), question).lost, [first, second]);
});

const bothHeld = [callOf("a1", { openedAt: start + 50 }), callOf("a2")];
const plan = { fit: { members: 2, of: 2 }, isShort: false };

/** What is known of a group with two held members after permit has answered. */
function answered(decision: Partial<Decision>) {
  const snapshot = snapshotOf({ calls: bothHeld });
  const { specs, present } = snapshot;
  const question = { stage: "permit", request: group } as const;
  const words = { reason: "Satisfied", message: "both" } as const;
  return decisionAnswered(attended({ plan }), {
    decision: { verdict: "allow", allow: [], wait: [], reject: [], ...words, ...decision },
    asking: { question, weakened: 0, specs, present, calls: bothHeld, wasLetIn: true },
    snapshot,
    now: start + 900,
  });
}

Deno.test("decisionAnswered(): a round is counted with how long its first member was held, a wait is not", () => {
  const counted = (decision: Partial<Decision>) =>
    answered(decision).effects.flatMap((effect) =>
      effect.do === "count round" ? effect.heldMs : []
    );
  assertEquals(counted({}), [900]);
  assertEquals(counted({ verdict: "wait", askAgainSeconds: 5 }), []);
  const { specs, present } = snapshotOf({ calls: bothHeld });
  assertEquals(answered({ verdict: "wait", askAgainSeconds: 5 }).attended.round, {
    decision: { ...answered({ verdict: "wait", askAgainSeconds: 5 }).attended.round!.decision },
    specs,
    present,
    held: 2,
    askAgainAt: start + 5900,
  });
  assertEquals(answered({ allow: ["a1"] }).attended.plan, plan);
  assertEquals(answered({ reject: ["a1"] }).attended.plan, undefined, "it needs room again");
});

/** What was answered about two held members, and how many of them stay held. */
const staying: [decision: Partial<Decision>, held: number][] = [
  [{ verdict: "wait", wait: ["a1", "a2"] }, 2],
  [{ verdict: "wait", wait: ["a2"], reject: ["a1"] }, 1],
  [{ verdict: "wait", reject: ["a1", "a2"] }, 0],
  [{ allow: ["a1"], wait: ["a2"] }, 1],
  [{ allow: ["a1"], reject: ["a2"] }, 0],
  [{ verdict: "wait" }, 2],
];

for (const [decision, held] of staying) {
  Deno.test(`decisionAnswered(): ${held} stay held after ${JSON.stringify(decision)}`, () => {
    assertEquals(answered(decision).attended.round?.held, held);
  });
}

Deno.test("isDecisionDue(): as soon as those are held without whom the answer is the same, beside those that it lets stay", () => {
  const some: Partial<Decision> = { verdict: "wait", wait: ["a2"], reject: ["a1"], need: 1 };
  const { attended: known } = answered(some);
  const isDue = (...uids: string[]) => {
    const calls = uids.map((uid) => callOf(uid));
    return isDecisionDue(known, snapshotOf({ calls, pending: 2 - calls.length }), later);
  };
  assertEquals([isDue("a2"), isDue("a2", "a3")], [false, true]);
});

const meanwhile: [id: string, asked: Facts, now: Facts, bound: string[]][] = [
  ["nothing happened", { succeeded: 2 }, { succeeded: 2 }, ["a1"]],
  ["a member came", { bound: 2 }, { bound: 2, pending: 1 }, ["a1"]],
  ["a member came in whose stead one that succeeded was counted", { bound: 1, succeeded: 1 }, {
    bound: 1,
    succeeded: 1,
    pending: 1,
  }, []],
];

for (const [id, then, now, bound] of meanwhile) {
  Deno.test(`decisionAnswered(): who binds, and ${id}`, () => {
    const calls = [callOf("a1")];
    const { specs, present } = snapshotOf({ ...then, calls });
    const question = { stage: "permit", request: group } as const;
    const asking = { question, weakened: 0, specs, present, calls, wasLetIn: true };
    const words = { reason: "Satisfied", message: "all" } as const;
    const { effects } = decisionAnswered(attended(), {
      decision: { verdict: "allow", allow: ["a1"], wait: [], reject: [], ...words },
      asking,
      snapshot: snapshotOf({ ...now, calls }),
      now: later,
    });
    const binds = effects.flatMap((effect) => effect.do === "bind" ? effect.call.pod.uid : []);
    assertEquals(binds, bound);
  });
}

Deno.test("isDecisionDue(): after a decision by which nobody waits the calls that are open again are asked about at once", () => {
  const decided = (wait: string[]) => {
    const decision: Decision = { ...waitingSince(1).round!.decision, verdict: "allow", wait };
    return isDecisionDue(attended({ round: round({ decision }) }), facts, later);
  };
  assertEquals([decided([]), decided(["a1"])], [true, false]);
});

Deno.test("decisionQuestion(): every member that failed is named", () => {
  const failures = ["a1", "a2"].map((uid) => ({ uid, name: uid, message: "it is full" }));
  const failed = failures.reduce(
    (all, failure) => all.with(failure.uid, failure),
    SharedMap.empty<MemberFailure>(),
  );
  const standing = letIn({ hasNewFailure: true, failed });
  const question = decisionQuestion(attended({ standing }), facts);
  assertEquals(question, { stage: "postfilter", request: { ...group, failed: failures } });
});

Deno.test("lastSaid() is the verdict that stands, or the last decision about held members", () => {
  const collecting = waitingSince(1);
  assertEquals(lastSaid(collecting, { stage: "prefilter" }), undefined);
  assertEquals(lastSaid(collecting, { stage: "permit" }), "gang default/gang waits");
  const entered = attended({ standing: letIn() });
  assertEquals(lastSaid(entered, { stage: "prefilter" }), "gang default/gang may be scheduled");
  assertEquals(lastSaid(entered, { stage: "permit" }), undefined);
});
