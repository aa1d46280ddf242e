/**
 * What a gang may wait for, one of each, and the sentence about it.
 *
 * @module
 */
import { noNodes, noTakingNodes } from "../../../shared/core/room/fit.ts";
import type { Situation } from "../../../shared/core/words/situation.ts";

const gang = "default/a";
const title = "gang default/a";
const missing = {
  reason: "MembersMissing",
  gang,
  minMember: 5,
  found: 3,
  gated: 0,
  failed: 0,
  terminating: 0,
} as const;
/** Of a gang for which there is too little room, but for what fits. */
export const noRoom = { reason: "InsufficientResources", title, needed: 5 } as const;
const racks = {
  key: "example.com/rack",
  of: 5,
  best: [{ name: "b1/r1", members: 2 }, { name: "b1/r2", members: 1 }],
};
/** Room for some. */
export const short = { members: 2, of: 5, shortOf: "nvidia.com/gpu" } as const;
const refused = { uid: "u1", name: "a-4", message: "0/2 nodes are available: 2 Insufficient cpu." };
const timedOut = {
  reason: "TimedOut",
  title,
  seconds: 60,
  placed: 3,
  minMember: 5,
  isParked: false,
} as const;
const mismatch = {
  reason: "SchedulerMismatch",
  gang,
  minMember: 5,
  foreign: { pod: "a-4", scheduler: "volcano", served: ["muster"] },
} as const;
const few = { gang, left: 2, minMember: 5, waiting: 0, gated: 0, terminating: 0 } as const;
const degraded = { reason: "Degraded", ...few } as const;
const waiting = { reason: "WaitingForMembers", title, held: 3, need: 2 } as const;

/** Every situation, and every ending of a sentence, at least once. */
export const situations: [situation: Situation, sentence: string][] = [
  [
    { reason: "InvalidGang", problem: "gang default/a waits for its PodGroup: create it" },
    "gang default/a waits for its PodGroup: create it",
  ],
  [
    {
      reason: "CustomPolicy",
      title,
      policy: {
        reason: "BudgetUsedUp",
        message: "budget of team-a is used up until 18:00",
        askAgainSeconds: 30,
      },
    },
    "gang default/a is kept waiting by policy BudgetUsedUp: budget of team-a is used up until 18:00",
  ],
  [
    { reason: "Parked", gang },
    "gang default/a timed out and is parked: delete its pods, or remove the timeout annotation",
  ],
  [
    { reason: "GroupIncomplete", title, absent: ["other/b", "other/c"] },
    "the gang group waits for other/b, other/c: no pods of it exist yet, only of gang default/a",
  ],
  [missing, "gang default/a has 3 of 5 members: waiting for 2 more pods to be created"],
  [
    { ...missing, found: 4 },
    "gang default/a has 4 of 5 members: waiting for 1 more pod to be created",
  ],
  [
    { ...missing, failed: 2 },
    "gang default/a has 3 of 5 members: waiting for 2 more pods to be created, not counting 2 failed",
  ],
  [
    { ...missing, terminating: 2 },
    "gang default/a has 3 of 5 members: waiting for 2 more pods to be created, not counting 2 " +
    "being deleted",
  ],
  [
    { ...missing, terminating: 1 },
    "gang default/a has 3 of 5 members: waiting for 2 more pods to be created, not counting 1 " +
    "being deleted",
  ],
  [
    { ...missing, failed: 1, gated: 1 },
    "gang default/a has 3 of 5 members: waiting for 2 more pods to be created, not counting 1 " +
    "failed, 1 behind scheduling gates of others",
  ],
  [
    { ...mismatch, found: 4, others: 0 },
    'gang default/a has 4 of 5 members: pod a-4 of scheduler "volcano" is not Muster\'s to place, so create it anew ' +
    'with spec.schedulerName "muster"',
  ],
  [
    { ...mismatch, found: 2, others: 2 },
    'gang default/a has 2 of 5 members: pod a-4 of scheduler "volcano" and 2 more are not Muster\'s to place, so ' +
    'create them anew with spec.schedulerName "muster"',
  ],
  [
    { ...mismatch, found: 3, others: 1 },
    'gang default/a has 3 of 5 members: pod a-4 of scheduler "volcano" and 1 more are not Muster\'s to place, so ' +
    'create them anew with spec.schedulerName "muster"',
  ],
  [
    { reason: "MembersGated", gang, minMember: 5, found: 3, gated: 2 },
    "gang default/a has 3 of 5 members ready: 2 more wait behind scheduling gates of others",
  ],
  [
    { reason: "MembersGated", gang, minMember: 5, found: 4, gated: 1 },
    "gang default/a has 4 of 5 members ready: 1 more waits behind scheduling gates of others",
  ],
  [
    { ...noRoom, fit: { members: 3, of: 5, shortOf: "cpu" } },
    "gang default/a needs room for 5 more members and finds it for 3: short of cpu",
  ],
  [
    { ...noRoom, fit: { members: 3, of: 5, leaving: { pods: 5, first: ["ns/a", "ns/b"] } } },
    "gang default/a needs room for 5 more members and finds it for 3; 5 pods of lower priority " +
    "leave for it: ns/a, ns/b and 3 more",
  ],
  [
    { ...noRoom, fit: { members: 3, of: 5, leaving: { pods: 3, first: ["ns/a", "ns/b"] } } },
    "gang default/a needs room for 5 more members and finds it for 3; 3 pods of lower priority " +
    "leave for it: ns/a, ns/b and 1 more",
  ],
  [
    { ...noRoom, fit: { members: 3, of: 5, leaving: { pods: 2, first: ["ns/a", "ns/b"] } } },
    "gang default/a needs room for 5 more members and finds it for 3; 2 pods of lower priority " +
    "leave for it: ns/a, ns/b",
  ],
  [
    { ...noRoom, fit: { members: 4, of: 5, leaving: { pods: 1, first: ["ns/a"] } } },
    "gang default/a needs room for 5 more members and finds it for 4; 1 pod of lower priority " +
    "leaves for it: ns/a",
  ],
  [
    { ...noRoom, fit: { members: 1, of: 5, domains: { key: "rack", of: 5, best: [] } } },
    "gang default/a needs room for 5 more members and finds it for 1",
  ],
  [
    { ...noRoom, fit: { members: 3, of: 5 } },
    "gang default/a needs room for 5 more members and finds it for 3",
  ],
  [
    { ...noRoom, fit: { members: 2, of: 5, byPreemption: 1, shortOf: "cpu" } },
    "gang default/a needs room for 5 more members and finds it for 2, or 3 if pods of lower " +
    "priority left: short of cpu",
  ],
  [
    { ...noRoom, fit: { members: 0, of: 5, shortOf: "cpu" } },
    "gang default/a needs room for 5 more members and finds it for 0: short of cpu",
  ],
  [
    { ...noRoom, fit: { members: 0, of: 5, shortOf: "cpu", isForMinResources: true } },
    "gang default/a needs room for 5 more members and finds it for 0: the cluster is short of cpu " +
    "for its minResources",
  ],
  [
    { ...noRoom, fit: { members: 0, of: 5, shortOf: noNodes } },
    "gang default/a needs room for 5 more members and finds it for 0: short of nodes that its " +
    "members may run on, so add such nodes or loosen its selectors, affinity or tolerations",
  ],
  [
    {
      ...noRoom,
      fit: {
        members: 0,
        of: 5,
        shortOf: "cpu",
        isForMinResources: true,
        minResources: { asks: 14_000, free: 11_500, members: 4 },
      },
    },
    "gang default/a needs room for 5 more members and finds it for 4: the cluster is short of cpu " +
    "for its minResources, asked are 14 cpu and free 11.5 cpu",
  ],
  [
    {
      ...noRoom,
      fit: {
        ...short,
        impossible: { scope: "member", resource: "nvidia.com/gpu", asks: 8, largest: 4 },
      },
    },
    "gang default/a needs room for 5 more members and finds it for 2: short of nvidia.com/gpu; " +
    "waiting does not help: a member asks for 8 nvidia.com/gpu, and the largest node that it may " +
    "run on has 4 nvidia.com/gpu",
  ],
  [
    {
      ...noRoom,
      fit: {
        ...short,
        impossible: { scope: "gang", resource: "memory", asks: 2 ** 34, largest: 2 ** 34 - 1 },
      },
    },
    "gang default/a needs room for 5 more members and finds it for 2: short of nvidia.com/gpu; " +
    "waiting does not help: they ask for 16Gi memory, and all nodes that they may run on have " +
    "15.9Gi memory",
  ],
  [
    { ...noRoom, fit: { ...short, impossible: { scope: "gang", asks: 5, largest: 3 } } },
    "gang default/a needs room for 5 more members and finds it for 2: short of nvidia.com/gpu; " +
    "waiting does not help: without other pods, the nodes that they may run on have room for 3 of 5",
  ],
  [
    {
      ...noRoom,
      fit: {
        ...short,
        impossible: { scope: "minResources", resource: "nvidia.com/gpu", asks: 14, largest: 12 },
      },
    },
    "gang default/a needs room for 5 more members and finds it for 2: short of nvidia.com/gpu; " +
    "waiting does not help: its minResources ask for 14 nvidia.com/gpu, and all nodes have 12 " +
    "nvidia.com/gpu",
  ],
  [
    { ...noRoom, fit: { ...short, domains: racks } },
    "gang default/a needs room for 5 more members and finds it for 2: rack b1/r1 has room for 2 of 5, " +
    "b1/r2 for 1; short of nvidia.com/gpu",
  ],
  [
    {
      ...noRoom,
      fit: { ...short, domains: racks, impossible: { scope: "domain", asks: 5, largest: 3 } },
    },
    "gang default/a needs room for 5 more members and finds it for 2: rack b1/r1 has room for 2 of 5, " +
    "b1/r2 for 1; short of nvidia.com/gpu; waiting does not help: without other pods, no domain " +
    "that its members are to share has room for more than 3 of 5",
  ],
  [
    { ...noRoom, fit: { ...short, shortOf: noTakingNodes }, refused },
    "gang default/a needs room for 5 more members and finds it for 2: short of nodes that the " +
    "scheduler takes its members on; no node for member a-4: 0/2 nodes are available: 2 Insufficient cpu",
  ],
  [
    { ...noRoom, fit: short, refused },
    "gang default/a needs room for 5 more members and finds it for 2: short of nvidia.com/gpu",
  ],
  [
    { reason: "LeftOut", gang, composite: "train", min: 2, of: 3, fit: short },
    "gang default/a needs room for 5 more members and finds it for 2: short of nvidia.com/gpu; " +
    'CompositePodGroup "train" starts with 2 of its 3 groups',
  ],
  [
    {
      reason: "LeftOut",
      gang,
      part: "pool",
      composite: "train",
      min: 1,
      of: 2,
      fit: { members: 3, of: 6 },
    },
    'gang default/a waits: CompositePodGroup "pool" needs room for 6 more members and finds it for 3; ' +
    'CompositePodGroup "train" starts with 1 of its 2 groups',
  ],
  [
    { reason: "LeftOut", gang, composite: "train", min: 2, of: 3 },
    'gang default/a waits; CompositePodGroup "train" starts with 2 of its 3 groups',
  ],
  [
    {
      reason: "BehindInQueue",
      title,
      ahead: { gang: "default/old", since: "2026-01-01T12:00:00.000Z" },
    },
    "gang default/a waits behind gang default/old, which is kept from being passed since " +
    "2026-01-01T12:00:00.000Z",
  ],
  [
    { reason: "MemberUnschedulable", gang, failed: [refused] },
    "gang default/a can not become whole: no node for member a-4: 0/2 nodes are available: 2 " +
    "Insufficient cpu",
  ],
  [
    { reason: "MemberUnschedulable", gang, failed: [{ uid: "u1", message: "no" }, refused] },
    "gang default/a can not become whole: no node for member u1 and 1 more: no",
  ],
  ...([
    ["aborted", "the scheduler took its bind call back"],
    ["bind-failed", "the API server refused its binding"],
    ["node-lost", "its node is gone, or has a taint NoExecute that it does not tolerate"],
    ["deleted", "the pod was deleted"],
    ["gone", "the gang is gone"],
  ] as const).map(([cause, text]): [Situation, string] => [
    { reason: "MemberLost", gang, pod: "a-1", cause },
    `gang default/a lost its held member a-1: ${text}`,
  ]),
  [
    { reason: "MemberLost", gang, pod: "a-1", cause: "aborted", by: "pod default/b" },
    "gang default/a lost its held member a-1: it was let go for pod default/b",
  ],
  [
    { reason: "GangSwitched", title, other: "default/b" },
    "gang default/a was let go, incomplete, when gang default/b came",
  ],
  [
    timedOut,
    "gang default/a was let go: not all of its members found a node within 60 s, only 3 of 5",
  ],
  [
    { ...timedOut, isParked: true },
    "gang default/a was let go: not all of its members found a node within 60 s, only 3 of 5, and " +
    "it is parked",
  ],
  [
    { ...waiting, failed: [] },
    "gang default/a holds 3 members and waits for 2 more to find a node",
  ],
  [
    { ...waiting, held: 1, failed: [refused] },
    "gang default/a holds 1 member and waits for 2 more to find a node; no node for member a-4: " +
    "0/2 nodes are available: 2 Insufficient cpu",
  ],
  [
    degraded,
    "gang default/a runs with 2 of 5 members: the others are gone, so create them anew or delete " +
    "the gang",
  ],
  [
    { ...degraded, left: 4, terminating: 1 },
    "gang default/a runs with 4 of 5 members: 1 being deleted",
  ],
  [
    { ...degraded, terminating: 1 },
    "gang default/a runs with 2 of 5 members: 1 being deleted, the others are gone",
  ],
  [
    { ...degraded, left: 3, waiting: 2, terminating: 1 },
    "gang default/a runs with 3 of 5 members: 2 more wait for a node",
  ],
  [
    { ...degraded, left: 1, waiting: 1, gated: 2 },
    "gang default/a runs with 1 of 5 members: 1 more waits for a node, 2 behind scheduling gates " +
    "of others, the others are gone, so create them anew or delete the gang",
  ],
  [{ reason: "Satisfied", title }, "gang default/a is satisfied"],
  [{ reason: "Admitted", title }, "gang default/a may be scheduled"],
  [{ reason: "Gone", title }, "gang default/a is forgotten: its last pod is gone"],
  [
    { reason: "JustSeen", gang },
    "gang default/a has just been seen and is being looked at",
  ],
  [
    { reason: "JustLost", gang },
    "gang default/a has lost members that it needs and is being looked at again",
  ],
  [
    { reason: "NoPlace", gang, places: [], offered: 3 },
    "gang default/a has no room for one more member where it is to run",
  ],
  [
    { reason: "Replanned", gang, places: ["n1", "n2"], offered: 3 },
    "gang default/a is planned anew, because the scheduler does not take this member on n1, n2",
  ],
  [
    { reason: "NotOffered", gang, places: ["n1"], offered: 120 },
    "gang default/a is planned on n1, which is not among the 120 nodes that the scheduler looked at: set its percentageOfNodesToScore to 100",
  ],
  [
    { reason: "PlannedElsewhere", gang, node: "n1" },
    "gang default/a is planned anew: n1 is not for this member any more",
  ],
  [
    { reason: "Surplus", gang, other: "default/b" },
    "gang default/a needs no more members before gang default/b of its group is whole",
  ],
  [
    { reason: "FunctionsUnreachable", title, url: "http://127.0.0.1:1", error: "HTTP 503" },
    "gang default/a waits: the policy functions at http://127.0.0.1:1 do not answer: HTTP 503",
  ],
  [
    {
      reason: "FunctionsUnreachable",
      title,
      error: "stage permit at https://policy.example.com failed: HTTP 503",
    },
    "gang default/a waits: stage permit at https://policy.example.com failed: HTTP 503",
  ],
  [
    { reason: "FactsRefused", title, error: "gangs[0].gang.name: is too long" },
    "gang default/a waits: the policy functions do not take the facts about it: gangs[0].gang.name: " +
    "is too long",
  ],
  [
    { reason: "LetGo", title, to: "pod default/high of higher priority" },
    "gang default/a was let go for pod default/high of higher priority",
  ],
];
