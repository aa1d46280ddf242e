import { assertEquals, assertMatch } from "@std/assert";
import type { GangDetail } from "../../../shared/contract/types.ts";
import { explanation } from "../../../cli/muster/explanation.ts";
import { at, gang, now } from "../../support/facts.ts";

const { gang: spec, census } = gang({ name: "train", minMember: 5, pending: 5 });

const detail: GangDetail = {
  namespace: "default",
  name: "train",
  group: "default/train",
  phase: "Scheduling",
  minMember: 5,
  members: { ...census, held: 0 },
  reason: "InsufficientResources",
  message: "gang default/train needs room for 5 more members and finds it for 3: short of cpu",
  since: at(-250),
  updatedAt: at(-1),
  place: 13,
  ahead: ["default/b", "default/a"],
  help: "wait",
  spec: spec as GangDetail["spec"],
  failedAt: at(-30),
  decisions: [{
    at: at(-250),
    stage: "prefilter",
    verdict: "reject",
    reason: "InsufficientResources",
    message: "gang default/train needs room for 5 more members and finds it for 3: short of cpu",
  }],
};

Deno.test("explain: what is missing, since when, what would help, who is ahead, and the last decisions", () => {
  assertEquals(
    explanation(detail, now),
    `gang default/train: Scheduling, InsufficientResources since ${at(-250)} (4m)
  why:      gang default/train needs room for 5 more members and finds it for 3: short of cpu
  helps:    wait
  queue:    place 13, behind default/b, default/a and 10 more
  members:  5 pending; 5 must be placed together
  failed:   ${at(-30)} (30s ago)

  last decisions, newest first:
     4m  prefilter reject, InsufficientResources: gang default/train needs room for 5 more members
         and finds it for 3: short of cpu`,
  );
});

Deno.test("explain: a gang that is held says until when", () => {
  const { place: _, ahead: __, failedAt: ___, help: ____, ...rest } = detail;
  assertEquals(
    explanation({ ...rest, deadline: at(20), place: 1, ahead: [], decisions: [] }, now)
      .split("\n").slice(2),
    [
      "  queue:    place 1: nobody is ahead",
      "  members:  5 pending; 5 must be placed together",
      `  deadline: ${at(20)} (in 20s)`,
    ],
  );
});

Deno.test("explain: members have their state, their node and what they ask for, and the queue is named", () => {
  const { failedAt: _, place: __, help: ___, ...rest } = detail;
  const pods: GangDetail["pods"] = [
    { name: "a-0", uid: "1", state: "running", node: "node-1", requests: { cpu: 1500 } },
    { name: "a-1", uid: "2", state: "pending", requests: {} },
  ];
  const spec = { ...rest.spec, queue: "research" };
  assertEquals(
    explanation({ ...rest, spec, pods, decisions: [] }, now).split("\n").slice(2),
    [
      "  in queue: research",
      "  members:  5 pending; 5 must be placed together",
      "",
      "  MEMBER   STATE     NODE     REQUESTS",
      "  a-0      running   node-1   1.5 cpu",
      "  a-1      pending   -",
    ],
  );
});

Deno.test("explain: where a topology is declared members have the domain that they are in or are to go to", () => {
  const pods: GangDetail["pods"] = [
    { name: "a-0", uid: "1", state: "running", node: "n1", domain: "rack r1", requests: {} },
    { name: "a-1", uid: "2", state: "held", planned: "n2", domain: "rack r1", requests: {} },
    { name: "a-2", uid: "3", state: "pending", requests: {} },
  ];
  assertEquals(explanation({ ...detail, pods, decisions: [] }, now).split("\n").slice(-4), [
    "  MEMBER   STATE     NODE    DOMAIN    REQUESTS",
    "  a-0      running   n1      rack r1",
    "  a-1      held      to n2   rack r1",
    "  a-2      pending   -       -",
  ]);
});

Deno.test("explain: a gang that runs says when it is expected to end, where that is a date", () => {
  const ends = (seconds: number) =>
    explanation({ ...detail, startedAt: at(-60), runTime: { seconds, source: "deadline" } }, now)
      .split("\n").filter((line) => line.startsWith("  ends:"));
  assertMatch(ends(3660).join(), /expected at .* UTC \(in 60 min\)$/);
  assertEquals(ends(2 ** 63), []);
});
