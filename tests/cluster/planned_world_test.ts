import { assertEquals, assertStrictEquals } from "@std/assert";
import type { Gang } from "../../shared/cluster/gang.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { longestRunTime, worldOf } from "../../shared/cluster/planned_world.ts";
import { queues } from "../../shared/core/attend/gate_switch.ts";
import { planAgainAt } from "../../shared/core/attend/plan_again.ts";
import { times } from "../../shared/core/attend/times.ts";
import type { Fit, MatchPolicy } from "../../shared/core/gang/facts.ts";
import { callOf, letIn } from "../support/attending.ts";
import {
  clusterOf,
  createGang,
  gpu,
  groupOf,
  nominatedTo,
  now,
  on,
  planIn,
  plansOf,
  type QueuedGang,
  type Situation,
} from "../support/planned_gangs.ts";

/** What the plan says of each gang: `whole`, `behind <gang>` where it would take reserved room, or `<members> of <needed>`. */
function planned(situation: Situation): Record<string, string> {
  const { plans, groups } = plansOf(situation);
  return Object.fromEntries(
    situation.queue.map(({ name }, index) => {
      const { fit, ahead } = plans.byGroup.get(groups[index]!.id)!;
      if (ahead) return [name, `behind ${ahead.gang}`];
      return [name, fit.members === fit.of ? "whole" : `${fit.members} of ${fit.of}`];
    }),
  );
}

/** What the scheduler says of all four members of the first. */
const noVolume = {
  members: 4,
  message: '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
};
const head = { name: "head", size: 4, gpus: 1 };
const small = { name: "small", size: 2, gpus: 1 };
/** 3 of 4 GPUs are free. */
const almost = { nodes: { a: 4 }, pods: [on("a", 1)] };

const cases: [id: string, situation: Situation, expect: Record<string, string>][] = [
  [
    "a gang takes its room from those behind it",
    {
      nodes: { a: 4 },
      queue: [small, { ...small, name: "next" }, { ...small, name: "last" }],
      backfillMs: 0,
    },
    { small: "whole", next: "whole", last: "0 of 2" },
  ],
  [
    "a smaller gang passes one that waits for room",
    { ...almost, queue: [head, small], backfillMs: 1000 },
    { head: "3 of 4", small: "whole" },
  ],
  [
    "in strict order it does not",
    { ...almost, queue: [head, small], backfillMs: 0 },
    { head: "3 of 4", small: "behind default/head" },
  ],
  [
    "nor do others like it",
    { ...almost, queue: [head, small, { ...small, name: "next" }], backfillMs: 0 },
    { head: "3 of 4", small: "behind default/head", next: "behind default/head" },
  ],
  [
    "nor once the first has waited for long enough",
    { ...almost, queue: [{ ...head, shortForMs: 1000 }, small], backfillMs: 1000 },
    { head: "3 of 4", small: "behind default/head" },
  ],
  [
    "not a moment sooner",
    { ...almost, queue: [{ ...head, shortForMs: 999 }, small], backfillMs: 1000 },
    { head: "3 of 4", small: "whole" },
  ],
  [
    "what becomes free is not for those behind, as long as it is too little for the first",
    { nodes: { a: 4 }, pods: [on("a", 2)], queue: [head, small], backfillMs: 0 },
    { head: "2 of 4", small: "behind default/head" },
  ],
  [
    "a gang passes in room that the first does not need, in strict order too",
    {
      nodes: { a: 4, b: 2 },
      pods: [on("a", 1)],
      queue: [{ ...head, size: 1, gpus: 4 }, small],
      backfillMs: 0,
    },
    { head: "0 of 1", small: "whole" },
  ],
  [
    "a gang that the empty cluster could not take keeps nobody waiting",
    { nodes: { a: 4 }, queue: [{ ...head, size: 5, shortForMs: 9e9 }, small], backfillMs: 0 },
    { head: "4 of 5", small: "whole" },
  ],
  [
    "a gang that lacks members keeps nobody waiting",
    { ...almost, queue: [{ ...head, minMember: 5 }, small], backfillMs: 0 },
    { head: "3 of 4", small: "whole" },
  ],
  [
    "a gang with a malformed declaration keeps nobody waiting",
    {
      ...almost,
      queue: [{
        ...head,
        spec: {
          labels: {
            "pod-group.scheduling.sigs.k8s.io/name": "head",
            "pod-group.scheduling.sigs.k8s.io/min-available": "four",
          },
        },
      }, small],
      backfillMs: 0,
    },
    { head: "3 of 4", small: "whole" },
  ],
  [
    "two gangs wait for their own room each",
    {
      nodes: { a: 4, b: 4 },
      pods: [on("a", 1), on("b", 1)],
      queue: [
        { name: "first", size: 1, gpus: 4 },
        { name: "second", size: 1, gpus: 4 },
        { name: "third", size: 1, gpus: 3 },
      ],
      backfillMs: 0,
    },
    { first: "0 of 1", second: "0 of 1", third: "behind default/first" },
  ],
  [
    "a gang that was let in keeps its room, wherever it is in the queue",
    { nodes: { a: 4 }, queue: [head, { ...small, isLetIn: true }], backfillMs: 0 },
    { head: "2 of 4", small: "whole" },
  ],
  [
    "a gang leaves room to a regular pod of its own priority for which victims leave",
    {
      nodes: { a: 4 },
      pods: [nominatedTo("a", { gpus: 3, priority: 0 })],
      queue: [small],
      backfillMs: 0,
    },
    { small: "1 of 2" },
  ],
  [
    "and to one of a higher priority, but not to one of a lower",
    {
      nodes: { a: 4 },
      pods: [nominatedTo("a", { gpus: 3, priority: 5 })],
      queue: [{ ...small, name: "high", size: 1, priority: 9 }, { ...small, size: 1 }],
      backfillMs: 0,
    },
    { high: "whole", small: "0 of 1" },
  ],
  [
    "a gang that the scheduler takes on no node takes what others leave",
    { nodes: { a: 4 }, queue: [{ ...head, priority: 9, refused: noVolume }, small], backfillMs: 0 },
    { head: "2 of 4", small: "whole" },
  ],
  [
    "where the others leave enough it has a place, to be tried again",
    { nodes: { a: 6 }, queue: [{ ...head, refused: noVolume }, small], backfillMs: 0 },
    { head: "whole", small: "whole" },
  ],
  [
    "one of whose members enough are left goes first",
    {
      nodes: { a: 4 },
      queue: [{ ...head, size: 6, minMember: 4, refused: { ...noVolume, members: 2 } }, small],
      backfillMs: 0,
    },
    { head: "whole", small: "0 of 2" },
  ],
  [
    "so does one that would fit somewhere if there were room",
    {
      nodes: { a: 4 },
      queue: [{
        ...head,
        refused: {
          members: 4,
          message:
            "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had volume node affinity conflict.",
        },
      }, small],
      backfillMs: 0,
    },
    { head: "whole", small: "0 of 2" },
  ],
];

for (const [id, situation, expect] of cases) {
  Deno.test(`planner: ${id}`, () => assertEquals(planned(situation), expect));
}

for (
  const [what, queue, isOverbooked] of [
    ["gangs that fit do not overbook the cluster", [small, small], false],
    [
      "nor does one that is still being created",
      [small, { ...small, size: 1, minMember: 2 }],
      false,
    ],
    ["a gang does that asks for more than there is", [{ ...head, size: 5 }], true],
    ["also before its members exist", [{ ...head, size: 1, minMember: 5 }], true],
    ["and so do two that are being created", [
      { ...head, size: 1, minMember: 3 },
      { ...small, size: 1, minMember: 2 },
    ], true],
  ] as [string, QueuedGang[], boolean][]
) {
  Deno.test(`plan(): ${what}`, () => {
    const named = queue.map((gang, index) => ({ ...gang, name: `${gang.name}-${index}` }));
    const { plans } = plansOf({ nodes: { a: 4 }, queue: named, backfillMs: 0 });
    assertEquals(plans.isOverbooked, isOverbooked);
  });
}

for (
  const [what, spec, isQueueing] of [
    ["a gang that is still being created queues if its first member has no room", {}, true],
    ["not if something is wrong with it", {
      labels: {
        "pod-group.scheduling.sigs.k8s.io/name": "wide",
        "pod-group.scheduling.sigs.k8s.io/min-available": "two",
      },
    }, false],
  ] as const
) {
  Deno.test(`queues(): ${what}`, () => {
    const gang = { name: "wide", size: 1, minMember: 2, gpus: 3, spec };
    const nodes = { a: 2, b: 2, c: 2, d: 2 };
    const { plans, groups: [group] } = plansOf({ nodes, queue: [gang], backfillMs: 0 });
    const attended = { ...group!.attended, plan: plans.byGroup.get("default/wide") };
    const isBroken = group!.gangs[0]!.read().problem !== undefined;
    assertEquals(queues(attended, { isBroken }), isQueueing);
    assertEquals(plans.isOverbooked, false);
  });
}

for (
  const [what, { sizes, priorities = [9, 9] }, fit] of [
    ["that fit where victims leave", { sizes: [3, 1] }, { members: 0, of: 4, byPreemption: 4 }],
    ["that do not, as each would alone", { sizes: [3, 2] }, {
      members: 0,
      of: 5,
      byPreemption: 4,
      impossible: { scope: "gang", resource: gpu, asks: 5, largest: 4 },
    }],
    ["of which one evicts less", { sizes: [2, 2], priorities: [9, 3] }, {
      members: 0,
      of: 4,
      byPreemption: 4,
    }],
    ["of which one evicts nobody", { sizes: [2, 2], priorities: [9, 0] }, {
      members: 0,
      of: 4,
      byPreemption: 2,
    }],
  ] as [string, { sizes: number[]; priorities?: number[] }, Fit][]
) {
  Deno.test(`plan(): victims leave once for all gangs of a group: ${what}`, () => {
    const nodes = { a: 2, b: 2 };
    const cluster = clusterOf({ nodes, pods: Object.keys(nodes).map((node) => on(node, 2)) });
    const group = new GangGroup("default/0,default/1", Date.now());
    for (const [index, size] of sizes.entries()) {
      const gang = { name: String(index), size, gpus: 1, priority: priorities[index]! };
      group.gangs.push(createGang(gang, cluster));
    }
    assertEquals(planIn([group], { cluster }).byGroup.get(group.id)!.fit, { ...fit, shortOf: gpu });
  });
}

const halfBound: [matchPolicy: MatchPolicy, needed: number, what: string][] = [
  ["once-satisfied", 0, "a bound member ends the rules of its gang, which asks for no room then"],
  ["waiting-and-running", 2, "bound members count"],
  ["only-waiting", 3, "bound members do not count"],
];

for (const [matchPolicy, needed, what] of halfBound) {
  Deno.test(`plan(): a gang needs what its profile says, ${matchPolicy}: ${what}`, () => {
    const cluster = clusterOf({ nodes: { a: 4 }, pods: [on("a", 1)] });
    const gang = groupOf({ name: "g", size: 4, minMember: 3, gpus: 1 }, cluster);
    cluster.podBound([...gang.gangs[0]!.members.values()][0]!, "a");
    const { fit } = planIn([gang], { cluster, matchPolicy }).byGroup.get(gang.id)!;
    assertEquals([fit.members === fit.of, fit.of], [needed < 3, needed]);
  });
}

Deno.test("plan(): a gang with a bound member keeps no room from those behind it once it needs none", () => {
  const cluster = clusterOf({ nodes: { a: 3 }, pods: [] });
  const broken = groupOf(
    { name: "broken", size: 4, minMember: 1, gpus: 1, shortForMs: 9e9 },
    cluster,
  );
  cluster.podBound([...broken.gangs[0]!.members.values()][0]!, "a");
  const next = groupOf({ name: "next", size: 2, gpus: 1 }, cluster);
  const { ahead, fit } = planIn([broken, next], { cluster }).byGroup.get(next.id)!;
  assertEquals([ahead, fit.members], [undefined, 2]);
});

Deno.test("plan(): nobody leaves for a gang for which pods left in vain, until it may evict again", () => {
  const cluster = clusterOf({ nodes: { a: 2 }, pods: [on("a", 2)] });
  const group = groupOf({ name: "high", size: 2, gpus: 1, priority: 9 }, cluster);
  const victimsUntil = (until: number) => {
    const vainEvictions = { count: 1, until, isOpen: false };
    group.attended = { ...group.attended, vainEvictions };
    const { clearance } = planIn([group], { cluster, evicts: true }).byGroup.get(group.id)!;
    return clearance?.victims.length ?? 0;
  };
  assertEquals([victimsUntil(now + 1), victimsUntil(now)], [0, 1]);
});

Deno.test("plan(): a gang that the scheduler takes on no node keeps its room while it is tried or held, and nobody leaves for it", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const stuck = groupOf({ ...head, priority: 9, refused: noVolume }, cluster);
  const next = groupOf(small, cluster);
  const isFirst = () => planIn([stuck, next], { cluster }).byGroup.get(next.id)!.fit.members === 0;
  const letInAt = (at: number) => {
    stuck.attended = { ...stuck.attended, standing: letIn({ at }) };
  };
  letInAt(now - times.settled);
  assertEquals(isFirst(), false);
  letInAt(now - times.settled + 1);
  assertEquals(isFirst(), true);
  assertEquals(planAgainAt([stuck], now), now + 1);
  letInAt(now - times.settled);
  const [member] = stuck.gangs[0]!.members.values();
  const { metadata: { namespace = "default", name, uid } } = member!.pod;
  cluster.podHeld(member!, callOf(uid, { pod: { namespace, name, uid, node: "a" } }));
  assertEquals(isFirst(), true, "one is held");

  const full = clusterOf({ nodes: { a: 4 }, pods: [on("a", 4)] });
  const victimsOf = (refused: QueuedGang["refused"]) => {
    const gang = {
      ...head,
      name: `high-${refused?.members}`,
      priority: 9,
      ...(refused && { refused }),
    };
    const group = groupOf(gang, full);
    const { clearance } = planIn([group], { cluster: full, evicts: true }).byGroup.get(group.id)!;
    return clearance?.victims.length ?? 0;
  };
  assertEquals([victimsOf(undefined), victimsOf(noVolume)], [1, 0]);
});

Deno.test("plan(): it is known of which members something is said of where they would rather run", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const spread = [{ topologyKey: "rack", whenUnsatisfiable: "ScheduleAnyway" }];
  const groups = [small, { ...small, name: "spread", spec: { topologySpreadConstraints: spread } }]
    .map((gang) => groupOf(gang, cluster));
  const settings = { matchPolicy: "once-satisfied" } as const;
  const backfill = { reservations: 0, backfillMs: 0 };
  const { waiting } = worldOf(groups, { cluster, backfill, settings, now });
  const candidates = waiting.flatMap(({ gangs }) => gangs()[0]!.candidates);
  assertEquals(candidates.map(({ hasPreference }) => hasPreference), [
    ...[undefined, undefined],
    ...[true, true],
  ]);
});

Deno.test("a gang is the same to the next plan until anything of it changes", () => {
  const cluster = clusterOf({ nodes: { "node-1": 4 }, pods: [] });
  const group = groupOf(head, cluster);
  const gang = () => {
    const settings = { matchPolicy: "once-satisfied" } as const;
    const backfill = { reservations: 0, backfillMs: 0 };
    const { waiting } = worldOf([group], { cluster, backfill, settings, now });
    return waiting[0]!.gangs()[0]!;
  };
  const first = gang();
  assertStrictEquals(gang(), first);
  assertEquals([first.candidates.length, first.placed.length], [4, 0]);
  const [record, other] = [...group.gangs[0]!.members.values()];
  cluster.podHeld(record!, callOf(record!.pod.metadata.uid));
  assertEquals([gang().candidates.length, gang().placed.length], [3, 1]);
  cluster.podLetGo(record!);
  assertEquals([gang().candidates.length, gang().placed.length], [4, 0]);
  cluster.podBound(record!, "node-1");
  cluster.podDeleted(other!.pod);
  assertEquals([gang().candidates.length, gang().placed.length], [2, 1]);
});

Deno.test("longestRunTime() is that of the gang that runs longest, and unknown where one is", () => {
  const of = (...runTimes: (object | undefined)[]) =>
    longestRunTime(runTimes.map((runTime) => ({ runTime }) as Gang)) as object | undefined;
  assertEquals(of({ seconds: 60 }, { seconds: 3600 }, { seconds: 5 }), { seconds: 3600 });
  assertEquals(of({ seconds: 60 }), { seconds: 60 });
  assertEquals(of({ seconds: 60 }, undefined), undefined);
});
