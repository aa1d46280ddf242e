import { assertEquals } from "@std/assert";
import { earlierRun } from "../../shared/cluster/earlier_run.ts";
import { Gang } from "../../shared/cluster/gang.ts";
import { type PodRecord, recordOf } from "../../shared/cluster/pod_record.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";

/** A member, by when it was created and ended, in seconds; absent: it goes on. */
interface Life {
  from?: number;
  to?: number;
  /** Of the Job that controls it. */
  job?: string;
  phase?: string;
  minAvailable?: number;
  priority?: number;
}

function recordWith(name: string, life: Life): PodRecord {
  const { from, to, job, phase = "Succeeded", minAvailable = 3, priority = 0 } = life;
  const time = (seconds: number) => new Date(1000 * seconds).toISOString();
  const ended: Pod["status"] = {
    phase,
    containerStatuses: [{ state: { terminated: { finishedAt: time(to ?? 0) } } }],
  };
  const pod: Pod = {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      ...(from !== undefined && { creationTimestamp: time(from) }),
      labels: {
        "pod-group.scheduling.sigs.k8s.io/name": "train",
        "pod-group.scheduling.sigs.k8s.io/min-available": `${minAvailable}`,
      },
      ...(job && { ownerReferences: [{ kind: "Job", name: job, uid: job, controller: true }] }),
    },
    spec: { priority },
    status: to === undefined ? { phase: "Pending" } : ended,
  };
  return recordOf(pod, undefined);
}

const rows: readonly (readonly [what: string, members: Record<string, Life>, string[]])[] = [
  ["of the Job that ran before", {
    a: { from: 1, to: 9, job: "monday" },
    b: { from: 2, to: 8, job: "monday", phase: "Failed" },
    c: { from: 20, job: "tuesday" },
  }, ["a", "b"]],
  ["no pod that its Job has tried again", {
    a: { from: 1, to: 9, job: "monday", phase: "Failed" },
    b: { from: 20, job: "monday" },
  }, []],
  ["none of another Job that ran beside", {
    driver: { from: 1, to: 9, job: "driver" },
    a: { from: 2, job: "workers" },
  }, []],
  ["none of another Job that ran beside what is tried again", {
    driver: { from: 1, to: 9, job: "driver" },
    a: { from: 2, to: 12, job: "workers", phase: "Failed" },
    b: { from: 13, job: "workers" },
  }, []],
  ["none that ran beside one that ran beside what goes on", {
    a: { from: 1, to: 4, job: "a" },
    b: { from: 3, to: 7, job: "b" },
    c: { from: 6, job: "c" },
  }, []],
  ["of two runs before", {
    a: { from: 1, to: 4, job: "monday" },
    b: { from: 5, to: 8, job: "tuesday" },
    c: { from: 9, job: "wednesday" },
  }, ["a", "b"]],
  ["none without a controller of whom too few succeeded: another member may have come back", {
    a: { from: 1, to: 4 },
    b: { from: 3, to: 7 },
    c: { from: 2, to: 6, phase: "Failed" },
    d: { from: 8 },
  }, []],
  ["those without a controller that were done before", {
    a: { from: 1, to: 4 },
    b: { from: 3, to: 7 },
    c: { from: 2, to: 6 },
    d: { from: 8 },
    e: { from: 8, to: 9 },
  }, ["a", "b", "c"]],
  ["none without a controller where one of them goes on", {
    a: { from: 1, to: 4 },
    b: { from: 1, to: 7 },
    c: { from: 1, to: 6 },
    d: { from: 2 },
    e: { from: 8 },
  }, []],
  ["none without a controller beside those that have one", {
    a: { from: 1, to: 4 },
    b: { from: 1, to: 4 },
    c: { from: 1, to: 4 },
    d: { from: 8, job: "workers" },
  }, []],
  ["none that was created and ended in the second in which another was created", {
    a: { from: 1, to: 1, job: "a" },
    b: { from: 1, job: "b" },
  }, []],
  ["none where nobody goes on", {
    a: { from: 1, to: 4, job: "monday" },
    b: { from: 5, to: 8, job: "tuesday" },
  }, []],
  ["none where nobody knows since when somebody is there", {
    a: { from: 1, to: 4, job: "monday" },
    b: { job: "tuesday" },
  }, []],
];

for (const [what, members, expected] of rows) {
  Deno.test(`earlier run: ${what}`, () => {
    const records = Object.entries(members).map(([name, life]) => recordWith(name, life));
    const areDone = (members: readonly PodRecord[]) =>
      members.filter(({ pod }) => pod.status?.phase === "Succeeded").length >= 3;
    assertEquals([...earlierRun(records, areDone)].sort(), expected);
  });
}

Deno.test("gang: members of an earlier run neither count nor say what the next one needs, whoever of them is seen first", () => {
  const before = { from: 1, to: 4, minAvailable: 2, priority: 7, job: "monday" };
  const now = { from: 8, job: "tuesday" };
  const [a, b] = [recordWith("a", before), recordWith("b", { ...before, phase: "Failed" })];
  const [c, d] = [recordWith("c", now), recordWith("d", now)];
  for (const order of [[a, b, c, d], [d, c, b, a], [c, a, d, b]]) {
    const gang = new Gang("default/train", {});
    for (const record of order) {
      gang.memberChanged(record);
      gang.lists.census();
    }
    const { spec, problem } = gang.read();
    assertEquals([spec.minMember, spec.priority, problem], [3, 0, undefined]);
    const { pending, succeeded, failed } = gang.lists.census();
    assertEquals([pending, succeeded, failed], [2, 0, 0]);
    assertEquals(gang.counted().length, 2);
    gang.memberLeft("c");
    gang.memberLeft("d");
    assertEquals([gang.read().spec.minMember, gang.lists.sizeOf("succeeded")], [2, 1]);
  }
});

Deno.test("gang: BUG-2 three pods that nobody controls and that have succeeded do not let a fourth pass alone", () => {
  const gang = new Gang("default/train", {});
  for (const name of ["a", "b", "c"]) gang.memberChanged(recordWith(name, { from: 1, to: 4 }));
  assertEquals([gang.lists.present(), gang.isIncomplete], [3, false]);
  gang.memberChanged(recordWith("d", { from: 8 }));
  assertEquals([gang.lists.present(), gang.isIncomplete], [1, true]);
});
