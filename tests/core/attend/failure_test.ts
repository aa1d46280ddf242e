import { assertEquals } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { LetIn } from "../../../shared/core/attend/standing.ts";
import { noticeFailure, noticeStanding, standingAt } from "../../../shared/core/attend/failure.ts";
import { learnUntaken } from "../../../shared/core/attend/learn_failure.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, callOf, letIn, snapshotOf, start } from "../../support/attending.ts";

const [noRoom, tainted] = ["1 Insufficient nvidia.com/gpu", "1 node(s) had untolerated taint(s)"];

function failureOf(message: string) {
  return { uid: "a", name: "a", message };
}

function noted({ standing }: Attended): [hasNew: boolean, messages: string[]] {
  const { hasNewFailure, failed } = standing as LetIn;
  return [hasNewFailure, [...failed.values()].map(({ message }) => message)];
}

Deno.test("a member that was refused before is doubted when it is refused anew just after its gang was let in", () => {
  const group = attended({ standing: letIn() });
  const refused = { failure: failureOf(tainted), failedBefore: true };
  const doubted = noticeFailure(group, refused, start + 10);
  assertEquals(noted(doubted), [false, []]);
  const facts = snapshotOf({ pending: 3, unschedulable: [refused.failure] });
  const dueAt = start + 10 + 4000;
  assertEquals(standingAt(doubted, facts), dueAt, "it is noted if that stands");
  assertEquals(noted(noticeStanding(doubted, facts, dueAt)), [true, [tainted]]);
  const later = noticeFailure(
    doubted,
    { failure: failureOf(noRoom), failedBefore: true },
    start + 1010,
  );
  assertEquals(noted(later), [true, [noRoom]], "later words are no old ones");
});

Deno.test("a member that the scheduler refuses for the first time is noted at once", () => {
  const group = attended({ standing: letIn() });
  const refused = { failure: failureOf(tainted), failedBefore: false };
  assertEquals(noted(noticeFailure(group, refused, start + 10)), [true, [tainted]]);
});

Deno.test("a refusal for a reason that the plan knows of and does not find is doubted", () => {
  const group = attended({ standing: letIn(), fitsSince: start });
  const refused = (reasons: string) => ({
    failure: failureOf(`0/3 nodes are available: ${reasons}.`),
    failedBefore: false,
  });
  const behind = noticeFailure(group, refused(`2 ${noRoom.slice(2)}, ${tainted}`), start + 1500);
  assertEquals(noted(behind)[0], false);
  const other = "2 Insufficient cpu, 1 node(s) had volume node affinity conflict";
  assertEquals(noted(noticeFailure(group, refused(other), start + 1500))[0], true);
  const planless = attended({ standing: letIn() });
  assertEquals(noted(noticeFailure(planless, refused(noRoom), start + 1500))[0], true);
});

Deno.test("that a claim is being allocated for a sibling is doubted, whatever is planned, and no node is learnt from it", () => {
  const message =
    "0/2 nodes are available: resource claim default/shared is in the process of being allocated. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
  const group = attended({ standing: letIn() });
  const refused = { failure: failureOf(message), failedBefore: false, kind: "k" };
  const doubted = noticeFailure(group, refused, start + 10);
  assertEquals(noted(doubted), [false, []]);
  const dueAt = start + 10 + times.settled;
  const facts = snapshotOf({
    pending: 1,
    unschedulable: [{ ...refused.failure, kind: "k" }],
    untaken: { k: ["n1"] },
  });
  const stands = noticeStanding(doubted, facts, dueAt);
  assertEquals(noted(stands), [true, [message]], "it is noted if that stands");
  assertEquals(learnUntaken(stands, facts, dueAt).refusedNodes, new Map());
});

Deno.test("refusals for such a reason are doubted too while there is no other plan yet", () => {
  const refused = (uid: string) => ({
    failure: { uid, name: uid, message: `0/3 nodes are available: 3 ${noRoom.slice(2)}.` },
    failedBefore: false,
  });
  const first = noticeFailure(
    attended({ standing: letIn(), fitsSince: start }),
    refused("a"),
    start + 10,
  );
  const second = noticeFailure({ ...first, plan: undefined }, refused("b"), start + 20);
  assertEquals(noted(second), [false, []]);
  const short = { ...first, fitsSince: undefined };
  assertEquals(noted(noticeFailure(short, refused("b"), start + 20))[0], true);
});

Deno.test("a refusal that stands while siblings are held is noted, once", () => {
  const group = attended({ standing: letIn() });
  const facts = snapshotOf({
    pending: 2,
    calls: [callOf("b1")],
    unschedulable: [failureOf(noRoom)],
  });
  const after = noticeStanding(group, facts, start + 4000);
  assertEquals(noted(noticeStanding(group, facts, start + 3999)), [false, []]);
  assertEquals(noted(after), [true, [noRoom]]);
  assertEquals(standingAt(after, facts), Infinity);
});

Deno.test("members of a gang that is not let in fail for Muster's reasons only", () => {
  const group = attended();
  const refused = { failure: failureOf(noRoom), failedBefore: false };
  assertEquals(noticeFailure(group, refused, start), group);
});

Deno.test("a member that was refused before is doubted for as long as the scheduler's old cycle may take, and no longer", () => {
  const failure = failureOf(tainted);
  const hasNew = (afterMs: number) =>
    noted(
      noticeFailure(
        attended({ standing: letIn() }),
        { failure, failedBefore: true },
        start + afterMs,
      ),
    )[0];
  assertEquals([0, times.staleCycle - 1, times.staleCycle].map(hasNew), [false, false, true]);
});

Deno.test("once what was doubted is noted, the next refusal is not taken for as old", () => {
  const group = attended({ standing: letIn({ doubtedAt: start }) });
  const facts = snapshotOf({ pending: 3, unschedulable: [failureOf(noRoom)] });
  const after = noticeStanding(group, facts, start + times.settled);
  const other = { ...failureOf(noRoom), uid: "b", name: "b" };
  assertEquals(standingAt(after, snapshotOf({ pending: 3, unschedulable: [other] })), Infinity);
});

Deno.test("a group that is not let in has no failures that stand", () => {
  const why = { reason: "TimedOut", message: "it waits" } as const;
  const group = attended({ standing: { phase: "refused", why, since: start } });
  const facts = snapshotOf({ calls: [callOf("b1")], unschedulable: [failureOf(noRoom)] });
  assertEquals(noticeStanding(group, facts, Infinity), group);
});
