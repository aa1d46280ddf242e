import { assertEquals } from "@std/assert";
import {
  admissionAnswered,
  admissionAsked,
  admissionDueAt,
  isAdmissionDue,
  onlyPauses,
  prefilterQuestion,
  refuse,
} from "../../../shared/core/attend/admission.ts";
import { type Attended, attendedSince } from "../../../shared/core/attend/attended.ts";
import type { LetIn, Standing } from "../../../shared/core/attend/standing.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Census } from "../../../shared/core/gang/facts.ts";
import { followPlan } from "../../../shared/core/attend/placement.ts";
import type { Call, Snapshot } from "../../../shared/core/attend/snapshot.ts";
import { noTakingNodes } from "../../../shared/core/room/fit.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, callOf, gang, letIn, snapshotOf, start } from "../../support/attending.ts";

const fits: Plan = { fit: { members: 3, of: 3 }, taken: [], isShort: false };
const lacks: Plan = { fit: { members: 2, of: 3 }, isShort: true };
const ahead = { gang: "default/b", since: "2026-01-01T12:00:00.000Z" };
const behind: Plan = { ...fits, ahead };
const snapshot = snapshotOf({ pending: 3 });

/** A plan, and what prefilter is told of it beside the facts. */
const questions: [plan: Plan | undefined, request: object][] = [
  [undefined, {}],
  [fits, { fit: fits.fit }],
  [lacks, { fit: lacks.fit }],
  [behind, { fit: fits.fit, ahead }],
];

for (const [plan, request] of questions) {
  Deno.test(`prefilterQuestion(): with ${plan ? JSON.stringify(plan) : "no plan"}`, () => {
    assertEquals(prefilterQuestion(attended({ plan }), snapshot, start), {
      stage: "prefilter",
      request: { ...snapshot.group, ...request },
    });
  });
}

Deno.test("prefilterQuestion(): the scheduler's own words are told where it is the scheduler that refuses nodes", () => {
  const beyond = "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.";
  const within = "0/1 nodes are available: 1 Insufficient cpu.";
  const unschedulable = [within, beyond].map((message, index) => ({
    ...{ uid: `a${index}`, name: `a${index}`, message, gang, kind: "k" },
  }));
  const toldOf = (shortOf: string, calls: Call[] = []) => {
    const plan = { ...lacks, fit: { ...lacks.fit, shortOf } };
    const facts = snapshotOf({ pending: 3, unschedulable, calls });
    return prefilterQuestion(attended({ plan }), facts, start).request.refused;
  };
  assertEquals(toldOf(noTakingNodes), { uid: "a1", name: "a1", message: beyond, gang });
  assertEquals(toldOf(noTakingNodes, [callOf("b1")]), undefined, "a sibling is held");
  assertEquals(toldOf("cpu"), undefined);
});

Deno.test("a group whose members the scheduler does not try is told once, keeps its room no longer, and is planned anew", () => {
  const facts = snapshotOf({ pending: 3, untriedFrom: start + 5 });
  const asked = admissionAsked(attended({ plan: fits, standing: letIn() }), facts, start);
  const known = { ...asked, plan: fits };
  assertEquals(asked.plan, fits);
  assertEquals([start + 4, start + 5].map((now) => isAdmissionDue(known, facts, now)), [
    ...[false, true],
  ]);
  assertEquals(admissionDueAt(known, facts), start + 5);
  assertEquals(prefilterQuestion(known, facts, start + 5).request.untried, true);
  const told = admissionAsked(known, facts, start + 5);
  assertEquals([told.keepsUntil, told.plan], [asked.keepsUntil, undefined]);
  const after = { ...told, plan: fits };
  assertEquals(isAdmissionDue(after, facts, start + 6), false);
  const tried = snapshotOf({ pending: 3 });
  assertEquals(isAdmissionDue(after, tried, start + 6), true, "it is tried after all");
});

Deno.test("admissionAsked(): room is kept from when it is asked for, and only where it is there", () => {
  const asked = (known: Partial<Attended>, now: number) =>
    admissionAsked(attended(known), snapshot, now);
  assertEquals(asked({ plan: fits }, start).keepsUntil, start + times.keeps);
  assertEquals(asked({ plan: lacks, keepsUntil: 7 }, start).keepsUntil, 7);
  assertEquals(asked({ keepsUntil: 7 }, start).keepsUntil, 7);
  const first = asked({ plan: fits }, start);
  assertEquals([first.retryAt, first.told?.isNewlyLetIn], [Infinity, false]);
  assertEquals([first.told?.at, first.told?.reportAfter], [start, times.reportLeast]);
});

Deno.test("admissionAsked(): what changes again and again is reported less and less often, up to a bound", () => {
  let known = attendedSince("default/gang", start);
  const after: number[] = [];
  let now = start;
  for (let count = 0; count < 20; count++) {
    known = admissionAsked(known, snapshot, now);
    after.push(known.told!.reportAfter);
    now += known.told!.reportAfter;
  }
  assertEquals(after.slice(0, 3), [1, 2, 4].map((factor) => factor * times.reportLeast));
  assertEquals(after.at(-1), times.reportMost);
  const quiet = admissionAsked(known, snapshot, known.told!.at + 2 * times.reportMost);
  assertEquals(quiet.told!.reportAfter, times.reportLeast);
});

Deno.test("onlyPauses(): where there is room, and its round failed a moment ago", () => {
  const refused = (reason: "MemberLost" | "CustomPolicy"): Standing => ({
    phase: "refused",
    why: { reason, message: "it waits" },
    since: start,
  });
  const pauses = { plan: fits, standing: refused("MemberLost") };
  const rows: [known: Partial<Attended>, isSo: boolean][] = [
    [{}, true],
    [{ plan: undefined }, false],
    [{ plan: lacks }, false],
    [{ standing: letIn() }, false],
    [{ standing: refused("CustomPolicy") }, false],
  ];
  for (const [known, isSo] of rows) {
    assertEquals(onlyPauses(attended({ ...pauses, ...known })), isSo);
  }
});

const why = { reason: "BehindInQueue", message: "it waits" } as const;
const kept: Standing = { phase: "refused", why, since: start };
const estimate = { startsAt: "2026-01-01T12:00:00.000Z" };
const promise = { said: estimate, at: start, first: start };

Deno.test("prefilterQuestion(): the start that was promised is told as long as no member is held", () => {
  const told = (known: Partial<Attended>, calls = [callOf("a1")].slice(1)) => {
    const facts = snapshotOf({ pending: 3, calls });
    const { request } = prefilterQuestion(
      attended({ plan: lacks, promise, ...known }),
      facts,
      start,
    );
    return "estimate" in request ? request.estimate : undefined;
  };
  assertEquals(told({}), estimate);
  assertEquals(told({}, [callOf("a1")]), undefined);
  assertEquals(told({ plan: undefined }), undefined);
  assertEquals(told({ promise: undefined }), undefined);
});

Deno.test("admissionAsked(): whether pods are to leave is told as long as no member is held", () => {
  const leaving = { pods: 1, first: ["default/low"] };
  const cleared: Plan = { ...lacks, fit: { ...lacks.fit, leaving } };
  const told = (plan: Plan | undefined, facts = snapshot) =>
    admissionAsked(attended({ plan }), facts, start).told?.leaving;
  assertEquals([told(cleared), told(lacks), told(undefined)], [true, false, false]);
  assertEquals(told(cleared, snapshotOf({ calls: [callOf("a1")] })), false);
});

Deno.test("admissionDueAt(): a plan, or a start, of which policy was not told is reported a little later", () => {
  const asked = admissionAsked(attended({ standing: kept, plan: lacks, promise }), snapshot, start);
  const dueAt = (known: Partial<Attended>, pending = 1) =>
    admissionDueAt({ ...asked, retryAt: Infinity, ...known }, {
      ...snapshot,
      pending,
    }) - start;
  const soon = times.reportLeast;
  assertEquals(dueAt({}), times.reportAgain);
  assertEquals(dueAt({ plan: { ...lacks } }), times.reportAgain, "it says the same");
  assertEquals(dueAt({ plan: fits }), soon);
  assertEquals(dueAt({ promise: { ...promise, said: { startsAt: "2027" } } }), soon);
  assertEquals(dueAt({ promise: undefined }), soon);
  assertEquals(dueAt({ plan: fits }, 0), times.reportAgain, "nobody waits");
  assertEquals(dueAt({ plan: fits, standing: letIn() }), times.reportAgain);
  assertEquals(dueAt({ plan: undefined }), Infinity, "first it is planned");
  assertEquals(dueAt({ plan: undefined }, 0), times.reportAgain);
});

Deno.test("admissionDueAt(): what a group that was let in starts without is reported a little later, while no member is held, and so is one that no map shows", () => {
  const group = attended({ standing: letIn(), plan: fits });
  const asked = admissionAsked(group, snapshot, start);
  const leftOut = [{ part: "default/b", gangs: ["default/b"], fit: { members: 1, of: 2 } }];
  const waiting = { waits: () => true, comes: () => false };
  const without = followPlan(asked.placement, { taken: [], leftOut }, waiting);
  const dueAt = (facts: Snapshot) =>
    admissionDueAt({ ...asked, placement: without }, facts) - start;
  assertEquals(dueAt(snapshot), times.reportLeast);
  const held = { ...snapshot, calls: new Map([["a1", callOf("a1")]]) };
  assertEquals(dueAt(held), times.reportAgain, "permit is told");
  const mapped = (facts: Snapshot) => admissionDueAt(asked, facts) - start;
  assertEquals(mapped(snapshot), times.reportAgain);
  assertEquals(mapped({ ...snapshot, lacksMap: true }), times.reportLeast);
});

Deno.test("isAdmissionDue(): at once where all gangs of a group have come, and after a pause where not", () => {
  const [facts] = snapshot.group.gangs;
  const of = (...parts: Partial<Census>[]) => {
    const gangs = parts.map((part) => ({
      ...facts!,
      census: { ...facts!.census, pending: 0, ...part },
    }));
    return { ...snapshot, group: { ...snapshot.group, gangs } };
  };
  const due = (known: typeof snapshot, now = start) =>
    isAdmissionDue(attended({ plan: fits }), known, now);
  assertEquals(due(of({ pending: 3 }, { pending: 3 })), true);
  assertEquals(due(of({ pending: 3 }, { pending: 2 })), false);
  assertEquals(due(of({ pending: 3 }, { pending: 2 }), start + times.gatherPause), true);
  assertEquals(due(of({ pending: 1, bound: 1, succeeded: 1 })), true);
  assertEquals(due(of({ pending: 1, bound: 1 })), false);
});

Deno.test("isAdmissionDue(): what a group that was let in starts without is told a little later, while no member is held", () => {
  const standing = letIn();
  const asked = {
    ...admissionAsked(attended({ standing, plan: fits }), snapshot, start),
    retryAt: Infinity,
  };
  const leftOut = [{ part: "default/b", gangs: ["default/b"], fit: { members: 1, of: 2 } }];
  const waiting = { waits: () => true, comes: () => false };
  const without = { placement: followPlan(asked.placement, { taken: [], leftOut }, waiting) };
  const held = { ...snapshot, calls: new Map([["a1", callOf("a1")]]) };
  const later = start + times.reportLeast;
  const rows: [
    id: string,
    known: Partial<Attended>,
    isDue: boolean,
    facts?: Snapshot,
    at?: number,
  ][] = [
    ["nothing is new", {}, false],
    ["it was told to ask again at that time", { retryAt: later }, true],
    ["a moment before", { retryAt: later + 1 }, false],
    ["it starts without another gang", without, true],
    ["not so soon", without, false, snapshot, later - 1],
    ["a member is held, so permit is told", without, false, held],
    ["the last map was made before", {}, true, { ...snapshot, lacksMap: true }],
    ["not so soon either", {}, false, { ...snapshot, lacksMap: true }, later - 1],
    ["permit takes it along", {}, false, { ...held, lacksMap: true }],
  ];
  for (const [id, known, isDue, facts = snapshot, at = later] of rows) {
    assertEquals(isAdmissionDue({ ...asked, ...known }, facts, at), isDue, id);
  }
});

Deno.test("isAdmissionDue(): a gang that lost members that it needs is asked about where somebody waits, if only behind a gate of others", () => {
  const asked = {
    ...admissionAsked(attended({ standing: letIn(), plan: fits }), snapshotOf({}), start),
    retryAt: Infinity,
    brokenAt: 1,
  };
  const due = (facts: Snapshot) => isAdmissionDue(asked, facts, start);
  assertEquals(due(snapshotOf({ bound: 2 })), false);
  const gated = snapshotOf({ bound: 2, gatedByOthers: 1 });
  assertEquals(due(gated), true);
  const gangs = [...gated.group.gangs, ...snapshotOf({ bound: 2 }).group.gangs];
  assertEquals(due({ ...gated, group: { ...gated.group, gangs } }), true);
  assertEquals(due(snapshotOf({ bound: 2, pending: 1 })), true);
});

const refusal = {
  pod: { namespace: "default", name: "a1" },
  gang,
  reason: "BehindInQueue",
  sentence: "it waits",
  at: start,
};

/** A group with a refused member that policy lets in, asked about while it was let in or not. */
function letInAgain(standing: Standing, wasLetIn: boolean, needs?: Record<string, number>) {
  const facts = snapshotOf({ pending: 1, bound: 1, calls: [callOf("a2")] });
  const refused = SharedMap.empty<typeof refusal>().with("a1", refusal);
  const asking = {
    question: { stage: "prefilter", request: facts.group },
    weakened: 0,
    specs: "",
    present: 3,
    calls: [],
    wasLetIn,
  } as const;
  const admission = { verdict: "allow", reason: "Admitted", message: "", needs } as const;
  return admissionAnswered(attended({ standing, refused, keepsUntil: 7 }), {
    admission,
    asking,
    now: start,
  });
}

Deno.test("admissionAnswered(): members are woken, and room is kept, whenever a group is let in anew", () => {
  const rows: [standing: Standing, wasLetIn: boolean, isAnew: boolean][] = [
    [kept, false, true],
    // It was rejected while the answer was on its way.
    [kept, true, true],
    // It had lost members that it needs.
    [letIn(), false, true],
    [letIn(), true, false],
  ];
  for (const [standing, wasLetIn, isAnew] of rows) {
    const { attended: group, effects } = letInAgain(standing, wasLetIn);
    assertEquals(effects.map((effect) => effect.do), isAnew ? ["poke"] : []);
    assertEquals(group.keepsUntil, isAnew ? start + times.keeps : 7);
  }
});

Deno.test("admissionAnswered(): how many members are to be held or bound when each gang needs no more", () => {
  const quotas = (needs?: Record<string, number>) =>
    (letInAgain(kept, false, needs).attended.standing as LetIn).quotas.get(gang);
  assertEquals([quotas({ [gang]: 3 }), quotas({}), quotas()], [5, 2, 2]);
});

Deno.test("refuse(): whoever is kept out keeps no room", () => {
  assertEquals(refuse(attended({ keepsUntil: start }), why, start).keepsUntil, 0);
});
