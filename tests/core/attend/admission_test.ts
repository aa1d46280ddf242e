import { assertEquals } from "@std/assert";
import {
  admissionAsked,
  onlyPauses,
  prefilterQuestion,
} from "../../../shared/core/attend/admission.ts";
import {
  type Attended,
  attendedSince,
  type Standing,
} from "../../../shared/core/attend/attended.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, letIn, snapshotOf, start } from "../../support/attending.ts";

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
    assertEquals(prefilterQuestion(attended({ plan }), snapshot), {
      stage: "prefilter",
      request: { ...snapshot.group, ...request },
    });
  });
}

Deno.test("admissionAsked(): room is kept from when it is asked for, and only where it is there", () => {
  const asked = (known: Partial<Attended>, now: number) =>
    admissionAsked(attended(known), snapshot, now);
  assertEquals(asked({ plan: fits }, start).reservedUntil, start + times.reserved);
  assertEquals(asked({ plan: lacks, reservedUntil: 7 }, start).reservedUntil, 7);
  assertEquals(asked({ reservedUntil: 7 }, start).reservedUntil, 7);
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

Deno.test("onlyPauses(): where there is room, and the functions said when to ask again", () => {
  const refused = (reason: "MemberLost" | "FunctionsUnreachable"): Standing => ({
    phase: "refused",
    why: { reason, message: "it waits" },
    since: start,
  });
  const pauses = { plan: fits, retryAt: start + 1, standing: refused("MemberLost") };
  const rows: [known: Partial<Attended>, isSo: boolean][] = [
    [{}, true],
    [{ plan: undefined }, false],
    [{ plan: lacks }, false],
    [{ retryAt: Infinity }, false],
    [{ standing: letIn() }, false],
    [{ standing: refused("FunctionsUnreachable") }, false],
  ];
  for (const [known, isSo] of rows) {
    assertEquals(onlyPauses(attended({ ...pauses, ...known })), isSo);
  }
});
