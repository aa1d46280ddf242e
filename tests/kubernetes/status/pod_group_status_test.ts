import { assertEquals } from "@std/assert";
import {
  kubeBatchPodGroup,
  nativePodGroup,
  type PodGroupKind,
  sigsPodGroup,
  xPodGroup,
} from "../../../shared/kubernetes/declaring/pod_group.ts";
import { isTurn, missingFrom } from "../../../shared/kubernetes/status/difference.ts";
import { podGroupStatus } from "../../../shared/kubernetes/status/pod_group_status.ts";
import type { PodGroupStatus, StatusFacts } from "../../../shared/kubernetes/status/summary.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { phaseCases } from "../../conformance/cases/phase_cases.ts";

const now = "2026-01-01T12:00:00Z";
const earlier = "2026-01-01T11:00:00Z";

/** Members by what they are; a number of owners each. */
interface Members {
  pending?: number;
  gated?: number;
  bound?: number;
  running?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
}

const shapes: Record<keyof Members, { spec: Pod["spec"]; phase: string }> = {
  pending: { spec: {}, phase: "Pending" },
  gated: { spec: { schedulingGates: [{ name: "other/gate" }] }, phase: "Pending" },
  bound: { spec: { nodeName: "node-1" }, phase: "Pending" },
  running: { spec: { nodeName: "node-1" }, phase: "Running" },
  succeeded: { spec: { nodeName: "node-1" }, phase: "Succeeded" },
  failed: { spec: { nodeName: "node-1" }, phase: "Failed" },
  terminating: { spec: { nodeName: "node-1" }, phase: "Running" },
};

function membersOf(members: Members, owners: readonly string[] = []): StatusFacts["members"] {
  const classes = Object.keys(shapes) as (keyof Members)[];
  return classes.flatMap((name) =>
    Array.from({ length: members[name] ?? 0 }, (_, index) => ({
      pod: {
        metadata: {
          namespace: "default",
          name: `${name}-${index}`,
          uid: `${name}-${index}`,
          ...(name === "terminating" && { deletionTimestamp: now }),
          ...(owners.length > 0 && {
            ownerReferences: owners.map((name) => ({ kind: "Job", name })),
          }),
        },
        spec: shapes[name].spec,
        status: { phase: shapes[name].phase },
      },
    }))
  );
}

interface Case extends Members {
  kind?: PodGroupKind;
  apiVersion?: string;
  minMember?: number | undefined;
  owners?: string[];
  refusal?: StatusFacts["refusal"];
  before?: PodGroupStatus;
}

/** The status of a PodGroup of scheduler-plugins that was empty, with minMember 3, but for `parts`. */
function statusOf(parts: Case): PodGroupStatus {
  const { kind = xPodGroup, owners, refusal, before = {}, ...rest } = parts;
  const { apiVersion = `${kind.group}/${kind.versions.at(-1)}`, ...members } = rest;
  const minMember = "minMember" in parts ? parts.minMember : 3;
  return podGroupStatus(kind, {
    before,
    facts: {
      minMember,
      members: membersOf(members, owners),
      now,
      apiVersion,
      schedulerNames: ["muster"],
      ...(refusal && { refusal }),
    },
  })!;
}

const kinds = [sigsPodGroup, xPodGroup, kubeBatchPodGroup];

for (const kind of kinds) {
  for (const [id, { minMember, held, ...given }, expect] of phaseCases) {
    Deno.test(`PodGroup status, phase in ${kind.group}: ${id}`, () => {
      const { pending = 0 } = given;
      const counts = { ...given, pending: pending + Number(held ?? 0) };
      const isScheduled = kind === sigsPodGroup && id.startsWith("KO-ST-1 ");
      assertEquals(
        statusOf({ ...counts, kind, minMember })["phase"],
        isScheduled ? "Scheduled" : expect,
      );
    });
  }
}

Deno.test("PodGroup status: SP-ST-5 KO-ST-1 a gang goes from Pending to Scheduling, Scheduled, Running and Finished", () => {
  const steps: [Members, string][] = [
    [{}, "Pending"],
    [{ pending: 2 }, "Pending"],
    [{ pending: 3 }, "Scheduling"],
    [{ pending: 1, bound: 2 }, "Scheduling"],
    [{ bound: 3 }, "Scheduled"],
    [{ bound: 1, running: 2 }, "Scheduled"],
    [{ running: 3 }, "Running"],
    [{ running: 2, succeeded: 1 }, "Running"],
    [{ succeeded: 3 }, "Finished"],
  ];
  let before: PodGroupStatus = {};
  for (const [members, phase] of steps) {
    before = { ...before, ...statusOf({ ...members, kind: sigsPodGroup, before }) };
    assertEquals(before["phase"], phase, JSON.stringify(members));
  }
});

Deno.test("PodGroup status: KO-ST-2 every running member is scheduled", () => {
  assertEquals(statusOf({ kind: sigsPodGroup, minMember: 4, running: 4 }), {
    phase: "Running",
    scheduleStartTime: now,
    scheduled: 4,
    running: 4,
    succeeded: 0,
    failed: 0,
  });
});

Deno.test("PodGroup status: SP-ST-12/13/14 counts follow the members", () => {
  const counts = (members: Members) => {
    const { phase, running, succeeded, failed } = statusOf(members);
    return [phase, running, succeeded, failed];
  };
  assertEquals(counts({ running: 2, succeeded: 1 }), ["Running", 2, 1, 0]);
  assertEquals(counts({ running: 2, failed: 1 }), ["Failed", 2, 0, 1]);
  assertEquals(counts({ succeeded: 3 }), ["Finished", 0, 3, 0]);
});

Deno.test("PodGroup status: SP-ST-11 KO-ST-3 a gang that lost its members is Pending again", () => {
  const before = { phase: "Running", running: 3, scheduleStartTime: earlier };
  assertEquals(statusOf({ running: 2, before })["phase"], "Pending");
  assertEquals(statusOf({ before }), {
    phase: "Pending",
    scheduleStartTime: earlier,
    running: 0,
    succeeded: 0,
    failed: 0,
  });
});

Deno.test("PodGroup status: SP-ST-16 occupiedBy names the owner of the members", () => {
  assertEquals(
    statusOf({ pending: 2, owners: ["new-occupied"] })["occupiedBy"],
    "default/new-occupied",
  );
});

Deno.test("PodGroup status: SP-ST-17 occupiedBy names several owners, sorted, each once", () => {
  assertEquals(statusOf({ pending: 2, owners: ["b", "a"] })["occupiedBy"], "default/a,default/b");
});

Deno.test("PodGroup status: KO-ST-4 without a usable quorum the phase is Pending, and occupiedBy stays", () => {
  const before = { phase: "Pending", occupiedBy: "default/a" };
  const wanted = statusOf({ minMember: undefined, running: 2, before });
  assertEquals(wanted["phase"], "Pending");
  assertEquals({ ...before, ...wanted }.occupiedBy, "default/a");
});

Deno.test("PodGroup status: a gang that is over stays so while its pods are cleaned up", () => {
  const before = { phase: "Finished", succeeded: 3, scheduled: 3, scheduleStartTime: earlier };
  for (const succeeded of [2, 1, 0]) {
    assertEquals(
      missingFrom(before, statusOf({ kind: sigsPodGroup, succeeded, terminating: 1, before })),
      undefined,
    );
  }
  const failed = { phase: "Failed", running: 2, failed: 1, scheduleStartTime: earlier };
  assertEquals(missingFrom(failed, statusOf({ failed: 1, before: failed })), { running: 0 });
});

Deno.test("PodGroup status: a gang that is over starts anew with new members", () => {
  const before = { phase: "Finished", succeeded: 3, scheduleStartTime: earlier };
  const wanted = statusOf({ pending: 3, before });
  assertEquals([wanted["phase"], wanted["succeeded"]], ["Scheduling", 0]);
});

Deno.test("PodGroup status: a Failed gang whose other members succeed is Finished", () => {
  assertEquals(
    statusOf({
      minMember: 2,
      succeeded: 2,
      failed: 1,
      before: { phase: "Failed", failed: 1 },
    })["phase"],
    "Finished",
  );
});

Deno.test("PodGroup status: scheduleStartTime is when the members were first enough", () => {
  assertEquals(statusOf({ pending: 2 })["scheduleStartTime"], undefined);
  assertEquals(statusOf({ pending: 3 })["scheduleStartTime"], now);
  // An empty time of Go is written as null.
  assertEquals(
    statusOf({ pending: 3, before: { scheduleStartTime: null } })["scheduleStartTime"],
    now,
  );
  assertEquals(
    statusOf({ running: 3, before: { scheduleStartTime: earlier } })["scheduleStartTime"],
    earlier,
  );
});

Deno.test("PodGroup status: kube-batch's counts members as admitted, running, succeeded and failed", () => {
  assertEquals(
    statusOf({ kind: kubeBatchPodGroup, pending: 1, bound: 1, running: 2, succeeded: 1 }),
    { phase: "Running", admitted: 4, running: 2, succeeded: 1, failed: 0 },
  );
});

const refusal = { reason: "InsufficientResources", message: "it needs room for 3 more members" };

Deno.test("PodGroup status: kube-batch's condition Unschedulable is true of a whole gang that waits, and false when it is placed", () => {
  const kind = kubeBatchPodGroup;
  assertEquals(statusOf({ kind, pending: 2, refusal })["conditions"], undefined);
  assertEquals(statusOf({ kind, running: 3 })["conditions"], undefined);
  const waiting = statusOf({ kind, pending: 3, refusal });
  assertEquals(waiting["conditions"], [
    { type: "Unschedulable", status: "True", ...refusal, lastTransitionTime: now },
  ]);
  const [condition] = waiting["conditions"] as [object];
  const before = { conditions: [{ ...condition, lastTransitionTime: earlier }] };
  assertEquals(statusOf({ kind, pending: 3, refusal, before })["conditions"], undefined);
  const reworded = { ...refusal, message: "it needs room for 2 more members" };
  assertEquals(statusOf({ kind, pending: 3, refusal: reworded, before })["conditions"], [
    { type: "Unschedulable", status: "True", ...reworded, lastTransitionTime: earlier },
  ]);
  const [placed] = statusOf({ kind, bound: 3, before })["conditions"] as [Record<string, string>];
  assertEquals([placed["status"], placed["lastTransitionTime"]], ["False", now]);
});

Deno.test("PodGroup status: kube-batch's condition Unschedulable is true of a gang that runs with too few members", () => {
  const degraded = { reason: "Degraded", message: "it runs with 2 of 3 members" };
  const kind = kubeBatchPodGroup;
  assertEquals(statusOf({ kind, running: 2, refusal: degraded })["conditions"], [
    { type: "Unschedulable", status: "True", ...degraded, lastTransitionTime: now },
  ]);
  // The gang is going, or the others are not gone yet.
  for (const members of [{ terminating: 3 }, { running: 1, terminating: 2 }, {}]) {
    assertEquals(statusOf({ kind, ...members, refusal: degraded })["conditions"], undefined);
  }
});

Deno.test("PodGroup status: kube-batch's condition Unschedulable is true no longer than a member is there", () => {
  const kind = kubeBatchPodGroup;
  const { conditions } = statusOf({ kind, pending: 3, refusal });
  const before = { conditions };
  assertEquals(statusOf({ kind, pending: 2, before })["conditions"], undefined);
  for (const members of [{}, { terminating: 3 }, { failed: 3 }]) {
    const [condition] = statusOf({ kind, ...members, before })["conditions"] as [
      Record<string, string>,
    ];
    assertEquals([condition["status"], condition["message"]], ["False", "no member is left"]);
  }
});

for (
  const [kind, told] of [
    [kubeBatchPodGroup, { type: "Unschedulable", status: "True", reason: "SchedulerMismatch" }],
    [nativePodGroup, { type: "PodGroupScheduled", status: "False", reason: "Unschedulable" }],
  ] as const
) {
  Deno.test(`PodGroup status: ${told.type} of ${kind.group} says that members are not Muster's to place`, () => {
    const message = "pod tf-2 of scheduler volcano is not Muster's to place";
    const mismatch = { reason: "SchedulerMismatch", message };
    assertEquals(statusOf({ kind, pending: 2, refusal: mismatch })["conditions"], [
      { ...told, message, lastTransitionTime: now },
    ]);
  });
}

const other = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" };

Deno.test("PodGroup status: the native condition PodGroupScheduled tells whether the gang is placed, beside those of others", () => {
  const kind = nativePodGroup;
  const before = { conditions: [other] };
  assertEquals(statusOf({ kind, pending: 3, before }), {});
  assertEquals(statusOf({ kind, pending: 2, refusal, before }), {});
  const { message } = refusal;
  const no = { type: "PodGroupScheduled", status: "False", reason: "Unschedulable", message };
  assertEquals(statusOf({ kind, pending: 3, refusal, before }), {
    conditions: [other, { ...no, lastTransitionTime: now }],
  });
  const waiting = { conditions: [{ ...no, lastTransitionTime: earlier }, other] };
  const yes = {
    type: "PodGroupScheduled",
    status: "True",
    reason: "Scheduled",
    message: "as many members as are needed have a node",
    lastTransitionTime: now,
  };
  assertEquals(statusOf({ kind, bound: 3, before: waiting }), { conditions: [yes, other] });
});

Deno.test("PodGroup status: the native condition stays true while a member is left, and is false when none is", () => {
  const kind = nativePodGroup;
  const { conditions } = statusOf({ kind, running: 3 });
  const before = { conditions };
  assertEquals(statusOf({ kind, pending: 2, running: 1, refusal, before }), {});
  const again = statusOf({ kind, pending: 3, refusal, before });
  assertEquals((again["conditions"] as [{ status: string }])[0].status, "False");
  const none = {
    conditions: [{
      type: "PodGroupScheduled",
      status: "False",
      reason: "MembersMissing",
      message: "no member is left that has a node",
      lastTransitionTime: now,
    }],
  };
  for (const members of [{}, { terminating: 3 }, { pending: 2 }]) {
    assertEquals(statusOf({ kind, ...members, before }), none, JSON.stringify(members));
  }
  assertEquals(statusOf({ kind, before: none }), {});
  assertEquals(statusOf({ kind, succeeded: 2, failed: 1, before }), {});
  // Another scheduler's gang.
  const scheduled = { type: "PodGroupScheduled", status: "True", reason: "Scheduled" };
  assertEquals(statusOf({ kind, before: { conditions: [scheduled] } }), {});
});

Deno.test("PodGroup status: from 1.37 on the native condition has another name, and stays true for good", () => {
  const kind = nativePodGroup;
  const type = "PodGroupInitiallyScheduled";
  for (const apiVersion of ["scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"]) {
    const waiting = statusOf({ kind, apiVersion, pending: 3, refusal });
    assertEquals(waiting["conditions"], [{
      type,
      status: "False",
      reason: "Unschedulable",
      message: refusal.message,
      lastTransitionTime: now,
    }]);
    const before = statusOf({ kind, apiVersion, running: 3, before: waiting });
    const [condition] = before["conditions"] as { type: string; status: string }[];
    assertEquals([condition?.type, condition?.status], [type, "True"]);
    for (const members of [{}, { pending: 3, refusal }, { terminating: 3 }]) {
      assertEquals(statusOf({ kind, apiVersion, before, ...members }), {});
    }
  }
});

Deno.test("PodGroup status: a native PodGroup that never had a member with a node says nothing of that", () => {
  assertEquals(statusOf({ kind: nativePodGroup }), {});
});

Deno.test("missingFrom() takes an absent count for 0, and gives only what differs", () => {
  assertEquals(missingFrom({ phase: "Pending" }, { phase: "Pending", running: 0 }), undefined);
  assertEquals(missingFrom({ phase: "Pending", running: 1 }, { phase: "Pending", running: 0 }), {
    running: 0,
  });
  assertEquals(missingFrom({}, { phase: "Pending", running: 0 }), { phase: "Pending" });
});

Deno.test("isTurn() tells a phase or an outcome from numbers and words", () => {
  const condition = { type: "Unschedulable", status: "True", message: "a" };
  const before = { phase: "Scheduling", running: 0, conditions: [condition] };
  assertEquals(isTurn(before, { phase: "Scheduling", running: 1 }), false);
  assertEquals(isTurn(before, { ...before, conditions: [{ ...condition, message: "b" }] }), false);
  assertEquals(
    isTurn(before, { ...before, conditions: [{ ...condition, status: "False" }] }),
    true,
  );
  assertEquals(isTurn(before, { phase: "Running", running: 3 }), true);
});
