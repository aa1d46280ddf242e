import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { PodRecord } from "../../relay/pod_record.ts";
import { noticeFailure, standingAt } from "../../relay/failures.ts";
import { GangGroup, type Snapshot } from "../../relay/gang_group.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";

function podThat(message: string): Pod {
  return {
    metadata: { namespace: "default", name: "gang-0", uid: "uid-0" },
    spec: {},
    status: {
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    },
  };
}

/** A group with one member, let in now, which the scheduler has refused with these words before. */
function letIn(words: string) {
  const group = new GangGroup("default/gang", () => undefined);
  group.admission = { verdict: "allow", reason: "Admitted", message: "" };
  group.letInAt = Date.now();
  const record = { pod: podThat(words), gang: "default/gang", node: undefined } as PodRecord;
  const gang = { id: "default/gang", members: new Map([["uid-0", record]]) };
  group.gangs.push(gang as never);
  const snapshot = { holds: new Map() } as Pick<Snapshot, "holds"> as Snapshot;
  return {
    group,
    standingAt: () => standingAt(group, snapshot),
    refuse: (message: string) => {
      const before = record.pod;
      record.pod = podThat(message);
      noticeFailure(group, { before, record, isGone: false });
    },
  };
}

const [noRoom, tainted] = ["1 Insufficient nvidia.com/gpu", "1 node(s) had untolerated taint(s)"];

Deno.test("a member that was refused before is doubted when it is refused anew just after its gang was let in", () => {
  using time = new FakeTime();
  const { group, refuse, standingAt } = letIn(noRoom);
  time.tick(10);
  refuse(tainted);
  assertEquals([group.hasNewFailure, group.failed.size], [false, 0]);
  const doubtedAt = Date.now();
  assertEquals(standingAt(), doubtedAt + 4000, "it is noted if that stands");
  time.tick(1000);
  refuse(noRoom);
  assertEquals([group.hasNewFailure, group.failed.size], [true, 1], "later words are no old ones");
});

Deno.test("a member that the scheduler refuses for the first time is noted at once", () => {
  using time = new FakeTime();
  const { group, refuse } = letIn("Muster: gang default/gang has 1 of 2 members");
  time.tick(10);
  refuse(tainted);
  assertEquals([...group.failed.values()].map(({ message }) => message), [tainted]);
});
