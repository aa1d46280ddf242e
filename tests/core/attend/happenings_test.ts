import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import type { Asking, Attended, Refusal } from "../../../shared/core/attend/attended.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import type { Question } from "../../../shared/core/attend/question.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Loss } from "../../../shared/core/gang/facts.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import type { Decision } from "../../../shared/core/stage/decision.ts";
import { attended, callOf, gang, letIn, snapshotOf, start } from "../../support/attending.ts";

const other = "default/other";
const by = "pod default/high of higher priority";
const failure = { uid: "a1", name: "a1", message: "0/3 nodes are available: 3 node(s) had a port" };
const to = { uid: "p", title: "pod default/high" };
const calls = ["a1", "a2"].map((uid) => callOf(uid));

function lossOf(uid: string, known: Partial<Loss> = {}): Loss {
  return { pod: callOf(uid).pod, cause: "deleted", gang, ...known };
}

function refusalOf(gang: string): Refusal {
  const { namespace, name } = callOf("a1").pod;
  return { pod: { namespace, name }, gang, reason: "JustSeen", sentence: "wait", at: start };
}

const refusals = SharedMap.empty<Refusal>().with("a1", refusalOf(gang));
const failed = SharedMap.empty<typeof failure>().with("a1", failure);
const left = { uids: ["a1"], by };
const both = { uids: ["a1", "a2"], by };

/** What happens to a group of which this is known, and what is known afterwards. */
const happenings: [
  id: string,
  known: Partial<Attended>,
  event: GroupEvent,
  after: Partial<Attended>,
][] = [
  ["gates that are being removed keep its room", {}, { is: "ungating" }, {
    keepsUntil: start + times.keeps,
    ungatedAt: start,
    ungatingSince: start,
  }],
  ["gates that were removed are no more", { ungatingSince: start }, { is: "ungated" }, {
    ungatingSince: undefined,
  }],
  ["a held member keeps it", {}, { is: "call opened", uid: "a1" }, {
    keepsUntil: start + times.keepsHeld,
  }],
  [
    "a member that is refused soon after it was let in, and was not before, has failed",
    { standing: letIn() },
    { is: "member changed", failure },
    {
      standing: letIn({
        failed: failed,
        hasNewFailure: true,
      }),
    },
  ],
  [
    "a member that had to leave is remembered, with whom it left for",
    { preempted: new Map([[other, left]]) },
    { is: "place lost", uid: "a1", gang, isTooFew: false, by },
    { weakened: 1, preempted: new Map([[other, left], [gang, left]]) },
  ],
  [
    "so is the next one",
    { weakened: 1, preempted: new Map([[gang, left]]) },
    { is: "place lost", uid: "a2", gang, isTooFew: true, by },
    { weakened: 2, brokenAt: 2, preempted: new Map([[gang, both]]) },
  ],
  [
    "a member that left for nobody is not",
    {},
    { is: "place lost", uid: "a1", gang, isTooFew: false },
    { weakened: 1 },
  ],
  [
    "where a member leaves and the gang is incomplete, its members wait for another verdict",
    { weakened: 1, brokenAt: 1 },
    { is: "member left", uid: "a1", isIncomplete: true },
    { weakened: 2, brokenAt: 2 },
  ],
  [
    "where enough are left, they do not",
    { weakened: 1, brokenAt: 1 },
    { is: "member left", uid: "a1", isIncomplete: false },
    { weakened: 1, brokenAt: 1 },
  ],
  ["a call that is lost is to be told", { lost: [lossOf("a1")] }, {
    is: "call lost",
    loss: lossOf("a2"),
  }, { weakened: 1, lost: [lossOf("a1"), lossOf("a2")] }],
  [
    "a gang that comes brings whom it lost to others",
    { preempted: new Map([[gang, left]]) },
    { is: "gang came", refused: [], lost: [], gang: other, preempted: both },
    { preempted: new Map([[gang, left], [other, both]]) },
  ],
  [
    "one that lost nobody brings nothing",
    { preempted: new Map([[gang, left]]) },
    { is: "gang came", refused: [], lost: [lossOf("a1")], gang: other, preempted: undefined },
    { preempted: new Map([[gang, left]]), lost: [lossOf("a1")] },
  ],
  [
    "a gang that leaves takes along what was known of it, and nothing else",
    {
      lost: [lossOf("a1"), lossOf("b1", { gang: other })],
      preempted: new Map([[gang, left], [other, both]]),
      broken: new Map([[gang, left], [other, both]]),
      refused: refusals.with("b1", refusalOf(other)).with("unseen", refusalOf(other)),
    },
    { is: "gang left", gang: other, uids: ["b1"] },
    {
      weakened: 1,
      refused: refusals,
      lost: [lossOf("a1")],
      preempted: new Map([[gang, left]]),
      broken: new Map([[gang, left]]),
    },
  ],
  [
    "a gang that is whole again has lost nobody",
    { preempted: new Map([[gang, left], [other, both]]) },
    { is: "bound", gang, isWhole: true },
    { preempted: new Map([[other, both]]), vainEvictions: undefined },
  ],
  [
    "one that is let go for a preemptor gives its room up, and is told whom it lost",
    { keepsUntil: start + 1, lost: [lossOf("a3")] },
    { is: "let go", calls, to, title: `gang ${gang}` },
    {
      yields: { to, until: start + times.yields },
      keepsUntil: 0,
      weakened: 2,
      lost: [
        lossOf("a3"),
        ...["a1", "a2"].map((uid) => lossOf(uid, { cause: "aborted", by: to.title })),
      ],
    },
  ],
  [
    "one that has nobody left to let go for the same preemptor keeps its room away for longer",
    { yields: { to, until: start + 1 }, keepsUntil: start + 1 },
    { is: "let go", calls: [], to, title: `gang ${gang}` },
    { yields: { to, until: start + times.yields }, keepsUntil: start + 1 },
  ],
  [
    "an answer is forgotten with all that followed from it",
    {
      standing: letIn(),
      keepsUntil: start + 1,
      weakened: 3,
      preempted: new Map([[gang, left]]),
    },
    { is: "forget answers" },
    {
      standing: { phase: "collecting" },
      keepsUntil: 0,
      weakened: 4,
      preempted: new Map([[gang, left]]),
    },
  ],
  [
    "a member that failed and is held has not failed any more",
    { standing: letIn({ failed }) },
    { is: "call opened", uid: "a1" },
    { standing: letIn(), keepsUntil: start + times.keepsHeld },
  ],
];

for (const [id, known, event, after] of happenings) {
  Deno.test(`advance(): ${id}`, () => {
    const { attended: group } = advance(attended(known), event, start);
    assertEquals({ ...group, plan: undefined }, attended({ ...known, ...after }));
  });
}

const whole: Plan = { fit: { members: 3, of: 3 }, taken: [], isShort: false };

function askingOf(question: Question): Asking {
  const { specs, present } = snapshotOf({ calls });
  return { question, weakened: 0, specs, present, calls, wasLetIn: true };
}

const { group } = snapshotOf({ calls });
const unreachable = { reason: "FunctionsUnreachable", message: "they do not answer" } as const;

Deno.test("attendedSince(): nothing is kept, published or nominated for a group that has just been seen", () => {
  const { keepsUntil, placement, isToNominate, weakened, brokenAt } = attended();
  assertEquals([keepsUntil, weakened, brokenAt], [0, 0, 0]);
  assertEquals([placement.isPublished, isToNominate], [false, false]);
});

Deno.test("advance(): what was to be told is told again where the functions did not answer", () => {
  const unanswered = (question: Question) => {
    const event = { is: "unanswered", why: unreachable, snapshot: snapshotOf({}) } as const;
    return advance(attended({ asking: askingOf(question) }), event, start).attended.lost;
  };
  const lost = [lossOf("a1")];
  assertEquals(unanswered({ stage: "unreserve", request: { ...group, lost } }), lost);
  assertEquals(unanswered({ stage: "prefilter", request: group }), []);
});

Deno.test("advance(): in an outage a call is let go from its round's deadline on, and its group planned anew", () => {
  const decision: Decision = {
    verdict: "wait",
    allow: [],
    wait: ["a1"],
    reject: [],
    deadline: new Date(start).toISOString(),
    reason: "WaitingForMembers",
    message: "it waits",
  };
  const round = { decision, specs: "", present: 1, held: 1, askAgainAt: start };
  const released = (known: Partial<Attended>, now: number) => {
    const snapshot = snapshotOf({ calls: calls.slice(0, 1) });
    const asking = askingOf({ stage: "permit", request: group });
    const event = { is: "unanswered", why: unreachable, snapshot } as const;
    const advanced = advance(attended({ asking, plan: whole, ...known }), event, now);
    const count = advanced.effects.filter((effect) => effect.do === "release").length;
    return [count, advanced.attended.plan === undefined];
  };
  assertEquals(released({ round }, start - 1), [0, false]);
  assertEquals(released({ round }, start), [1, true]);
  assertEquals(released({}, start), [0, false], "there is no deadline");
});

/** For whom a group has let go before, until when, and whether it is looked at when it is to do so again with no open call. */
const again: [id: string, before: Attended["yields"], isLooked: boolean][] = [
  ["nobody", undefined, true],
  ["the same", { to, until: start + 1 }, false],
  ["the same, but that is over", { to, until: start }, true],
  ["a pod of another uid", { to: { ...to, uid: "other" }, until: start + 1 }, true],
  ["one of another name", { to: { ...to, title: "other" }, until: start + 1 }, true],
];

for (const [id, yields, isLooked] of again) {
  Deno.test(`advance(): a group whose bindings are written, and that has let go for ${id}, is ${isLooked ? "" : "not "}looked at`, () => {
    const event = { is: "let go", calls: [], to, title: `gang ${gang}` } as const;
    const { effects } = advance(attended({ yields }), event, start);
    assertEquals(effects.length > 0, isLooked);
  });
}
