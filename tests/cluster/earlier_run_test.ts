import { assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { Runs } from "../../shared/cluster/earlier_run.ts";
import { Gang } from "../../shared/cluster/gang.ts";
import { kindsHeardBy } from "../../shared/cluster/heard_kinds.ts";
import { type PodRecord, recordOf } from "../../shared/cluster/pod_record.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";

/** A member, by when it was created and ended, in seconds; absent: it goes on. */
interface Life {
  from?: number;
  to?: number;
  /** When the relay saw that. */
  seen?: number;
  /** When it was told to leave; absent: it was not. */
  leaves?: number | undefined;
  /** Of the Job that controls it; its name where that is another than its uid. */
  job?: string;
  called?: string;
  phase?: string;
  minAvailable?: number;
  priority?: number;
}

function recordWith(name: string, life: Life): PodRecord {
  const { from, to, seen, leaves, job, called: jobName = job ?? "" } = life;
  const { phase = "Succeeded", minAvailable = 3, priority = 0 } = life;
  const time = (seconds: number) => new Date(1000 * seconds).toISOString();
  const ended: Pod["status"] = {
    phase,
    ...(!isNaN(to ?? 0) && {
      containerStatuses: [{ state: { terminated: { finishedAt: time(to ?? 0) } } }],
    }),
  };
  const pod: Pod = {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      ...(leaves !== undefined && {
        deletionTimestamp: time(leaves + 30),
        deletionGracePeriodSeconds: 30,
      }),
      ...(from !== undefined && { creationTimestamp: time(from) }),
      labels: {
        "pod-group.scheduling.sigs.k8s.io/name": "train",
        "pod-group.scheduling.sigs.k8s.io/min-available": `${minAvailable}`,
      },
      ...(job && { ownerReferences: [{ kind: "Job", name: jobName, uid: job, controller: true }] }),
    },
    spec: { priority },
    status: to === undefined ? { phase: "Pending" } : ended,
  };
  return { ...recordOf(pod, undefined), ...(seen !== undefined && { endedAt: 1000 * seen }) };
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
  ["of a Job on a node whose clock is ahead", {
    a: { from: 1, to: 99, seen: 4, job: "monday" },
    b: { from: 1, to: 99, seen: 5, job: "monday", phase: "Failed" },
    c: { from: 9, job: "tuesday" },
  }, ["a", "b"]],
  ["of a Job one of whose pods is still leaving, which is told by itself", {
    a: { from: 1, to: 4, job: "monday" },
    b: { from: 1, leaves: 5, job: "monday" },
    c: { from: 9, job: "tuesday" },
  }, ["a"]],
  ["of a Job one of whose pods never ran, so that nobody says when it ended", {
    a: { from: 1, to: 4, job: "monday" },
    b: { from: 2, to: NaN, job: "monday", phase: "Failed" },
    c: { from: 9, job: "tuesday" },
  }, ["a", "b"]],
  ["of a Job whose oldest pod says how many it takes", {
    a: { from: 1, to: 4, job: "monday" },
    b: { from: 2, to: 4, job: "monday", minAvailable: 3 },
    c: { from: 9, job: "tuesday" },
  }, ["a", "b"]],
  ["of two runs before", {
    a: { from: 1, to: 4, job: "monday" },
    b: { from: 5, to: 8, job: "tuesday" },
    c: { from: 9, job: "wednesday" },
  }, ["a", "b"]],
  ["none without a controller of whom too few succeeded: another member may have come back", {
    a: { from: 1, to: 4 },
    b: { from: 2, to: 6, phase: "Failed" },
    c: { from: 8 },
  }, []],
  ["none of a Job that was a part of what it takes: others of its run may be gone", {
    a: { from: 1, to: 4, job: "a" },
    b: { from: 8, job: "b" },
  }, []],
  ["of a Job that was created anew, however few are left of it", {
    a: { from: 1, to: 4, job: "monday", called: "train" },
    b: { from: 8, job: "tuesday", called: "train" },
  }, ["a"]],
  ["of a Job that was created anew, and whose pods are still to be deleted", {
    a: { from: 1, job: "monday", called: "train" },
    b: { from: 1, leaves: 8, job: "monday", called: "train" },
    c: { from: 8, job: "tuesday", called: "train" },
  }, ["a"]],
  ["of a Job that was created anew, and not of a part that ran beside it", {
    a: { from: 1, to: 4, job: "driver", minAvailable: 3 },
    b: { from: 2, to: 7, job: "monday", called: "train" },
    c: { from: 8, job: "tuesday", called: "train" },
  }, ["b"]],
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
    for (const order of [records, records.toReversed()]) {
      const runs = new Runs();
      for (const record of order) runs.count(record);
      const earlier = runs.earlier((uid) => members[uid]!.minAvailable ?? 2);
      assertEquals([...earlier].sort(), expected);
    }
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

Deno.test("gang: what is of an earlier run depends on what its members say now", () => {
  const gang = new Gang("default/train", {});
  const before = { from: 1, to: 4, job: "monday" };
  for (const name of ["a", "b"]) gang.memberChanged(recordWith(name, before));
  gang.memberChanged(recordWith("c", { from: 8, job: "tuesday" }));
  assertEquals([gang.read().spec.minMember, gang.lists.sizeOf("succeeded")], [3, 2]);
  for (const name of ["a", "b"]) {
    gang.memberChanged(recordWith(name, { ...before, minAvailable: 2 }));
    gang.declarationChanged();
  }
  assertEquals([gang.read().spec.minMember, gang.lists.sizeOf("succeeded")], [3, 0]);
});

Deno.test("gang: members of a Job that is deleted do not count beside those of the next one, however few and whether they have ended", () => {
  for (const before of [{ from: 1, to: 4 }, { from: 1 }]) {
    const gang = new Gang("default/train", {});
    for (const name of ["a", "b"]) gang.memberChanged(recordWith(name, { ...before, job: "1" }));
    assertEquals([gang.controllerGone("1"), gang.lists.present()], [true, 2], "nobody follows");
    gang.memberChanged(recordWith("c", { from: 8, job: "2" }));
    assertEquals([gang.lists.present(), gang.isIncomplete], [1, true]);
    assertEquals([gang.controllerGone("1"), gang.controllerGone("3")], [false, false]);
  }
});

Deno.test("cluster: a Job that is being deleted is told of once, and so is one that is gone", () => {
  const told: string[] = [];
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: (gang) => told.push(gang),
    roomChanged: () => {},
  });
  for (const job of ["1", "2"]) cluster.podChanged(recordWith(job, { from: 1, job }).pod);
  const jobs = kindsHeardBy(cluster, []).find(({ plural }) => plural === "jobs")!;
  const jobOf = (uid: string, more = {}) => ({ metadata: { name: uid, uid, ...more } }) as never;
  jobs.changed(jobOf("1"));
  assertEquals(told, []);
  jobs.changed(jobOf("1", { deletionTimestamp: "2026-01-01T12:00:00Z" }));
  jobs.deleted(jobOf("1"));
  jobs.deleted(jobOf("3"));
  assertEquals(told, ["default/train"]);
  jobs.deleted(jobOf("2"));
  assertEquals(told.length, 2);
});

/** Lives to their ends, and one step of one of them after another. */
const histories = fc.record({
  lives: fc.array(
    fc.record({
      from: fc.integer({ min: 1, max: 9 }),
      lasts: fc.integer({ min: 0, max: 6 }),
      phase: fc.constantFrom("Succeeded", "Failed"),
      job: fc.constantFrom("monday", "tuesday", ""),
      minAvailable: fc.constantFrom(2, 2, 2, 3),
      priority: fc.constantFrom(0, 0, 0, 5),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  // None comes back from what it has become.
  steps: fc.array(fc.record({ which: fc.nat(5), is: fc.constantFrom(0, 1, 2, 3) })),
});
const stages = ["going on", "leaving", "ended", "gone"] as const;

Deno.test("gang: however its members came, ended and went, it is what it would be if they were seen for the first time", () => {
  const told = (gang: Gang) => {
    const { spec, problem, warnings, from: { ruling, oldest } } = gang.read();
    return {
      ...{ spec, problem, census: gang.lists.census() },
      from: [ruling.metadata.uid, oldest.metadata.uid],
      warnings: warnings.map(({ message }) => message),
    };
  };
  fc.assert(fc.property(histories, ({ lives, steps }) => {
    const [gang, there] = [new Gang("default/train", {}), new Map<string, PodRecord>()];
    const reached = new Map<number, number>();
    for (const { which, is: stage } of steps) {
      const index = which % lives.length;
      const { lasts, ...life } = lives[index]!;
      const name = `${index}`;
      if (stage < (reached.get(index) ?? 0)) continue;
      reached.set(index, stage);
      const is = stages[stage]!;
      if (is === "gone") {
        there.delete(name);
        gang.memberLeft(name);
      } else {
        const end = life.from + lasts;
        const ending = { "going on": {}, "leaving": { leaves: end }, "ended": { to: end } };
        const record = recordWith(name, { ...life, ...ending[is] });
        there.set(name, record);
        gang.memberChanged(record);
      }
      if (there.size === 0) continue;
      const anew = new Gang("default/train", {});
      for (const record of [...there.values()].reverse()) anew.memberChanged(record);
      assertEquals(told(gang), told(anew));
    }
  }));
});

Deno.test("Runs: what members say of their gang decides nothing where nobody has ended", () => {
  const runs = new Runs();
  for (const name of ["a", "b"]) runs.count(recordWith(name, { from: 1 }));
  const before = runs.earlier(() => 1);
  runs.declared();
  assertStrictEquals(runs.earlier(() => 1), before);
  runs.count(recordWith("old", { from: -9, to: -5 }));
  const earlier = (minMember: number) => {
    runs.declared();
    return [...runs.earlier(() => minMember)];
  };
  assertEquals([earlier(2), earlier(1), earlier(2)], [[], ["old"], []]);
});
