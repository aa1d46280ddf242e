import { assertEquals } from "@std/assert";
import type { Attended, Refusal } from "../../../shared/core/attend/attended.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import {
  isPlannedAfter,
  planAgainAt,
  planRest,
  triedUntil,
} from "../../../shared/core/attend/plan_again.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, gang, letIn, snapshotOf, start } from "../../support/attending.ts";

Deno.test("plans are made again when the scheduler has tried whoever was let in, and not for others", () => {
  const entered = attended({ standing: letIn() });
  const until = start + times.settled;
  assertEquals([triedUntil(entered), triedUntil(attended())], [until, 0]);
  const groups = [{ attended: entered }, { attended: attended() }];
  assertEquals(planAgainAt(groups, until - 1), until);
  assertEquals(planAgainAt(groups, until), Infinity);
});

Deno.test("plans are made again when a group does not keep its room from others any more", () => {
  const groups = [{ attended: attended({ keepsUntil: start + 5 }) }];
  assertEquals(planAgainAt(groups, start), start + 5);
  assertEquals(planAgainAt(groups, start + 5), Infinity);
});

const plan = { fit: { members: 1, of: 1 }, isShort: false };
const look: GroupEvent = { is: "look", snapshot: snapshotOf({}), longestHold: 1 };
const parked: Partial<Attended> = {
  standing: { phase: "refused", why: { reason: "Parked", message: "" }, since: start },
};

function refused(reason: string): GroupEvent {
  const pod = { namespace: "default", name: "a" };
  return { is: "refused", uid: "a", refusal: { pod, gang, reason, sentence: "", at: start } };
}

const tried: Attended["refused"] = SharedMap.empty<Refusal>().with("a", {
  ...{ pod: { namespace: "default", name: "a" }, gang, reason: "MembersMissing", sentence: "" },
  at: start,
});

/** What happened, what was known before and is known after it, and whether plans are made again. */
const happenings: [
  what: string,
  event: GroupEvent,
  known: { before: Partial<Attended>; after: Partial<Attended> },
  isPlanned: boolean,
][] = [
  ["a member came", { is: "member came", uid: "a" }, { before: {}, after: {} }, true],
  ["a call was opened", { is: "call opened", uid: "a" }, { before: { plan }, after: {} }, true],
  ["another relay acts", { is: "forget answers" }, { before: {}, after: {} }, true],
  ["it was looked at", look, { before: { plan }, after: { plan } }, false],
  ["it had no plan when it was looked at", look, { before: {}, after: {} }, false],
  ["calls were let go by a look", look, { before: { plan }, after: {} }, true],
  ["it was parked", look, { before: { plan }, after: { plan, ...parked } }, true],
  ["it is parked no more", look, { before: { plan, ...parked }, after: { plan } }, true],
  ["it is parked still", look, { before: parked, after: parked }, false],
  ["a member has no place", refused("NoPlace"), { before: { plan }, after: { plan } }, true],
  ["a member came elsewhere", refused("PlannedElsewhere"), { before: {}, after: {} }, true],
  ["a member waits for others", refused("MembersMissing"), {
    before: { plan },
    after: { plan },
  }, false],
  ["the scheduler is seen to try it, whom no room is planned for", refused("MembersMissing"), {
    before: { plan },
    after: { plan, refused: tried },
  }, true],
  ["it is seen to try it, for whom room is planned", refused("MembersMissing"), {
    before: { plan },
    after: { plan: { ...plan, taken: [] }, refused: tried },
  }, false],
  ["it is tried again", refused("MembersMissing"), {
    before: { plan, refused: tried },
    after: { plan, refused: tried },
  }, false],
  ["a member is taken on another node", refused("MembersMissing"), {
    before: { plan },
    after: {},
  }, true],
];

for (const [what, event, { before, after }, isPlanned] of happenings) {
  Deno.test(`plans are ${isPlanned ? "" : "not "}made again where ${what}`, () => {
    const known = { before: attended(before), after: attended(after) };
    assertEquals(isPlannedAfter(event, known), isPlanned);
  });
}

Deno.test("planRest(): a plan that took long is followed by another the later", () => {
  assertEquals(planRest(0), times.planRest);
  assertEquals(planRest(times.planRest), times.planRest * times.planRestPerPlan);
});
