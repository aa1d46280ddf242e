import { assertEquals } from "@std/assert";
import type { Fit, GangFacts } from "../../../shared/core/gang/facts.ts";
import { prefilter, type PrefilterEvent } from "../../../shared/core/stage/prefilter.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import type { GroupState } from "../../../shared/core/stage/state.ts";
import { whatHelpsFit } from "../../../shared/core/words/insufficient_resources.ts";
import { answerOfCore } from "../../conformance/cases/conformance_case.ts";
import { prefilterCases } from "../../conformance/cases/prefilter_cases.ts";
import { gang, group, now, together } from "../../support/facts.ts";

for (const row of prefilterCases) {
  Deno.test(`prefilter: ${row.id}`, () => row.check(answerOfCore(row)));
}

const failedNow: GroupState = {
  failure: {
    at: now - 1000,
    closedUntil: now + 2500,
    reason: "MemberUnschedulable",
    message: "no node for member a-2",
  },
};

Deno.test("prefilter: a failed round says when to ask again, in whole seconds", () => {
  const event = {
    stage: "prefilter",
    group: group(gang({ minMember: 2, pending: 2 })),
    settings: profiles.default,
  } as const;
  assertEquals(prefilter(failedNow, event, now).retryAfterSeconds, 3);
  const failure = { ...failedNow.failure!, closedUntil: now + 2001 };
  assertEquals(prefilter({ failure }, event, now).retryAfterSeconds, 3);
});

Deno.test("prefilter: a failed round is closed up to its time, and not at it", () => {
  const event = {
    stage: "prefilter",
    group: group(gang({ minMember: 2, pending: 2 })),
    settings: profiles.default,
  } as const;
  const { closedUntil } = failedNow.failure!;
  const rows = [[closedUntil - 1, "reject"], [closedUntil, "allow"], [
    failedNow.failure!.at,
    "reject",
  ]] as const;
  for (const [at, verdict] of rows) {
    assertEquals(prefilter(failedNow, event, at).verdict, verdict);
  }
});

Deno.test("prefilter: the message names every gang of a group", () => {
  const given = together(gang({ name: "b", pending: 1 }), gang({ pending: 1 }));
  const event = { stage: "prefilter", group: given, settings: profiles.default } as const;
  assertEquals(
    prefilter({}, event, now).message,
    "gang group default/a, default/b may be scheduled",
  );
  const lacking = gang({ name: "b", minMember: 2, bound: 1, pending: 1 });
  const again = { ...event, group: together(lacking, gang({ pending: 1 })) };
  assertEquals(
    prefilter({}, again, now).message,
    "gang group default/a, default/b may be scheduled",
    "also where one runs with too few, and another does not run",
  );
});

Deno.test("prefilter: what each gang of a group needs is told, of a lone one it is not", () => {
  const needs = (...gangs: GangFacts[]) =>
    prefilter({}, {
      stage: "prefilter",
      group: gangs.length > 1 ? together(...gangs) : group(...gangs),
      settings: profiles.default,
    }, now).needs;
  const a = gang({ minMember: 2, pending: 2 });
  assertEquals(needs(a), undefined);
  assertEquals(needs(a, gang({ name: "b", minMember: 3, pending: 2, held: 1 })), {
    "default/a": 2,
    "default/b": 2,
  });
});

const short = { members: 0, of: 2, shortOf: "cpu" };
const startsAt = "2026-01-01T14:10:00.000Z";

/** What is asked of a gang of two, and whether it is told when it is going to start. */
const estimates: [reason: string, asked: Partial<PrefilterEvent>, isTold: boolean][] = [
  ["InsufficientResources", { fit: short }, true],
  ["BehindInQueue", { ahead: { gang: "default/b", since: startsAt } }, true],
  ["CustomPolicy", { policy: { message: "no", askAgainSeconds: 5 } }, false],
  ["Admitted", {}, false],
];

for (const [reason, asked, isTold] of estimates) {
  Deno.test(`prefilter: ${reason} is told ${isTold ? "with" : "without"} an expected start`, () => {
    const given = group(gang({ minMember: 2, pending: 2 }));
    const event = {
      stage: "prefilter",
      group: given,
      settings: profiles.default,
      ...asked,
    } as const;
    const answer = prefilter({}, { ...event, estimate: { startsAt } }, now);
    assertEquals(answer.reason, reason);
    const { message } = prefilter({}, event, now);
    const start = "; it is expected to start at 2026-01-01 14:10 UTC";
    assertEquals(answer.message, isTold ? `${message}${start}` : message);
  });
}

/** What is asked of a gang of two whose members the scheduler does not try, and how that is told. */
const untried: [reason: string, asked: Partial<PrefilterEvent>, told: string][] = [
  ["Admitted", {}, ", but the scheduler has not tried its members: "],
  ["InsufficientResources", { fit: short }, "; the scheduler has not tried its members: "],
  ["CustomPolicy", { policy: { message: "no", askAgainSeconds: 5 } }, ""],
];

Deno.test("prefilter: that gates can not be removed is told before that the scheduler tries no member", () => {
  const given = group(gang({ minMember: 2, pending: 2 }));
  const event = { stage: "prefilter", group: given, settings: profiles.default } as const;
  const { message } = prefilter({}, { ...event, atGate: true, untried: true }, now);
  const why = "the API server refuses to remove Muster's scheduling gates from its members";
  assertEquals(message.startsWith(`gang default/a may be scheduled, but ${why}`), true, message);
});

for (const [reason, asked, told] of untried) {
  Deno.test(`prefilter: ${reason} is told ${told === "" ? "without" : "with"} that the scheduler does not try its members`, () => {
    const given = group(gang({ minMember: 2, pending: 2 }));
    const settings = profiles.default;
    const event = { stage: "prefilter", group: given, settings, ...asked } as const;
    const answer = prefilter({}, { ...event, untried: true }, now);
    const { message, ...rest } = prefilter({}, event, now);
    assertEquals({ ...answer, message }, { ...rest, message });
    assertEquals(rest.reason, reason);
    if (told === "") assertEquals(answer.message, message);
    else assertEquals(answer.message.startsWith(message + told), true, answer.message);
  });
}

Deno.test("prefilter: what helps is told where waiting does not", () => {
  const event = {
    stage: "prefilter",
    group: group(gang({ minMember: 2, pending: 2 })),
    settings: profiles.default,
  } as const;
  const impossible = { scope: "gang", resource: "cpu", asks: 5, largest: 2 } as const;
  const helpOf = (fit: Fit) => prefilter({}, { ...event, fit }, now).help;
  assertEquals(helpOf(short), undefined);
  assertEquals(helpOf({ ...short, impossible }), whatHelpsFit({ ...short, impossible }));
});
