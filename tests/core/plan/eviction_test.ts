import { assertEquals } from "@std/assert";
import { alike, type Crowd, pods, victimsIn } from "../../support/evictions.ts";
import { members } from "../../support/rooms.ts";

const rows: [id: string, crowd: Crowd, expect: string[] | undefined][] = [
  [
    "PL-E4: of a gang that has one member more than it needs, the youngest goes",
    {
      nodes: alike(1, 2),
      pods: pods({ "low-0": "node1", "low-1": "node1" }, { gang: "low" }),
      gangs: { low: { minMember: 1 } },
      members: members(1, { gpu: 1 }),
    },
    ["low-1"],
  ],
  [
    "PL-E8: each role keeps its minimum",
    {
      nodes: alike(1, 4),
      pods: [
        ...pods({ "sub0-0": "node1", "sub0-1": "node1" }, { gang: "low", role: "sub0" }),
        ...pods({ "sub1-0": "node1", "sub1-1": "node1" }, { gang: "low", role: "sub1" }),
      ],
      gangs: { low: { minMember: 2, roles: { sub0: 1, sub1: 1 } } },
      members: members(1, { gpu: 2 }),
    },
    ["sub0-1", "sub1-1"],
  ],
  [
    "nobody leaves who is under a budget that is not known",
    {
      nodes: alike(1, 1),
      pods: pods({ "low-0": "node1" }, { budgets: ["gone"] }),
      members: members(1, { gpu: 1 }),
    },
    undefined,
  ],
  [
    "PL-P4: nobody leaves for members of which not all find room by it",
    {
      nodes: alike(1, 2),
      pods: pods({ "low-0": "node1", "low-1": "node1" }),
      members: members(2, { gpu: 2 }),
    },
    undefined,
  ],
  [
    "PL-P4: nor for one of each of two roles that finds one place only",
    {
      nodes: alike(1, 2),
      pods: pods({ "low-0": "node1", "low-1": "node1" }),
      members: ["first", "second"].flatMap((role) =>
        members(1, { gpu: 2 }).map((member) => ({ ...member, role }))
      ),
    },
    undefined,
  ],
  [
    "KO-PRE-5: nobody leaves a node where no member may run",
    {
      nodes: alike(2, 1),
      pods: pods({ "low-0": "node1", "low-1": "node2" }),
      members: members(1, { gpu: 1 }, /^node1$/),
    },
    ["low-0"],
  ],
  [
    "PL-P7: one leaves for the one member that a gang lacks",
    {
      nodes: alike(1, 3),
      pods: [
        ...pods({ "low-0": "node1", "low-1": "node1" }),
        ...pods({ "high-0": "node1" }, { priority: 1, gang: "high" }),
      ],
      gangs: { high: { minMember: 2 } },
      members: members(1, { gpu: 1 }),
    },
    ["low-1"],
  ],
  [
    "PL-P8: pods that a budget keeps stay where another may leave",
    {
      nodes: { node1: { cpu: 3000 } },
      pods: [
        ...pods({ "low-1": "node1", "low-2": "node1" }, {
          asks: { cpu: 1000 },
          budgets: ["two"],
        }),
        ...pods({ "low-3": "node1" }, { asks: { cpu: 1000 } }),
      ],
      budgets: { two: 0 },
      members: members(2, { cpu: 500 }),
    },
    ["low-3"],
  ],
  [
    "PL-P11: a gang that needs all of its members leaves as a whole",
    {
      nodes: alike(1, 3),
      pods: pods({ "low-0": "node1", "low-1": "node1", "low-2": "node1" }, { gang: "low" }),
      gangs: { low: { minMember: 3 } },
      members: members(1, { gpu: 1 }),
    },
    ["low-0", "low-1", "low-2"],
  ],
  [
    "PL-P12: of a gang whose members leave one by one, one does",
    {
      nodes: alike(1, 3),
      pods: pods({ "low-0": "node1", "low-1": "node1", "low-2": "node1" }, { gang: "low" }),
      gangs: { low: { minMember: 2, disruption: "member" } },
      members: members(1, { gpu: 1 }),
    },
    ["low-2"],
  ],
  [
    "PL-P19: nobody leaves a second node where one is free",
    {
      nodes: alike(2, 2),
      pods: pods({ low: "node1" }, { asks: { gpu: 2 } }),
      members: members(2, { gpu: 2 }),
    },
    ["low"],
  ],
  [
    "PL-P21: one large pod leaves rather than it and another",
    {
      nodes: alike(2, 2),
      pods: [
        ...pods({ "low-1": "node1" }, { asks: { gpu: 2 } }),
        ...pods({ "low-2": "node2" }),
      ],
      members: members(3, { gpu: 1 }),
    },
    ["low-1"],
  ],
  [
    "PL-P23: a gang leaves with its members elsewhere, and its sibling stays",
    {
      nodes: alike(3, 2),
      pods: [
        ...pods({ "a1-1": "node1", "a1-2": "node2" }, { gang: "a1" }),
        ...pods({ "a2-1": "node2" }, { gang: "a2" }),
        ...pods({ filler: "node1" }),
        ...pods({ b1: "node3" }, { asks: { gpu: 2 } }),
      ],
      gangs: { a1: { minMember: 2 }, a2: { minMember: 1 } },
      members: members(1, { gpu: 2 }, /^node1$/),
    },
    ["a1-1", "a1-2", "filler"],
  ],
  [
    "PL-P28: two gangs leave for one that needs what both have",
    {
      nodes: alike(4, 1),
      pods: [
        ...pods({ "low1-0": "node1", "low1-1": "node2" }, { gang: "low1" }),
        ...pods({ "low2-0": "node3", "low2-1": "node4" }, { gang: "low2" }),
      ],
      gangs: { low1: { minMember: 2 }, low2: { minMember: 2 } },
      members: members(4, { gpu: 1 }),
    },
    ["low1-0", "low1-1", "low2-0", "low2-1"],
  ],
  [
    "PL-P31: of two roles the one with a member to spare gives it",
    {
      nodes: alike(4, 1),
      pods: [
        ...pods({ "worker-0": "node1", "worker-1": "node2", "worker-2": "node3" }, {
          gang: "low",
          role: "worker",
        }),
        { name: "ps-0", node: "node4", gang: "low", role: "ps", startedAt: 9 },
      ],
      gangs: { low: { minMember: 3, roles: { ps: 1, worker: 2 } } },
      members: members(1, { gpu: 1 }),
    },
    ["worker-2"],
  ],
  [
    "surplus of two gangs leaves before either of them does",
    {
      nodes: alike(4, 1),
      pods: [
        ...pods({ "a-0": "node1", "a-1": "node2" }, { gang: "a" }),
        ...pods({ "b-0": "node3", "b-1": "node4" }, { gang: "b" }),
      ],
      gangs: { a: { minMember: 1 }, b: { minMember: 1 } },
      members: members(2, { gpu: 1 }),
    },
    ["a-1", "b-1"],
  ],
  [
    "the member that a gang can spare is the one on the node that is asked for",
    {
      nodes: alike(2, 1),
      pods: pods({ "low-0": "node1", "low-1": "node2" }, { gang: "low" }),
      gangs: { low: { minMember: 1 } },
      members: members(1, { gpu: 1 }, /^node1$/),
    },
    ["low-0"],
  ],
  [
    "members that are held give way before a pod that runs",
    {
      nodes: alike(2, 1),
      pods: [
        { name: "held", node: "node1", gang: "low", isHeld: true },
        { name: "running", node: "node2" },
      ],
      gangs: { low: { minMember: 1 } },
      members: members(1, { gpu: 1 }),
    },
    ["held"],
  ],
  [
    "of two pods under a budget of one the other leaves where both are too many",
    {
      nodes: alike(2, 2),
      pods: [
        ...pods({ "a": "node1", "b": "node1" }, { budgets: ["one"] }),
        ...pods({ "c": "node2" }, { budgets: ["one"], priority: 5 }),
        ...pods({ "d": "node2" }, { priority: 5 }),
      ],
      budgets: { one: 1 },
      members: members(1, { gpu: 2 }),
      priority: 9,
    },
    ["c", "d"],
  ],
  [
    "nobody leaves whom only a broken budget would let go",
    {
      nodes: alike(1, 1),
      pods: pods({ low: "node1" }, { budgets: ["none"] }),
      budgets: { none: 0 },
      members: members(1, { gpu: 1 }),
    },
    undefined,
  ],
  [
    "the last pod that a budget lets go may leave",
    {
      nodes: alike(1, 2),
      pods: pods({ "low-0": "node1", "low-1": "node1" }, { budgets: ["one"] }),
      budgets: { one: 1 },
      members: members(1, { gpu: 1 }),
    },
    ["low-1"],
  ],
  [
    "of gangs that are alike the one stays of which a member began first",
    {
      nodes: alike(1, 4),
      pods: [
        { name: "old-0", node: "node1", gang: "old", startedAt: 0 },
        { name: "young-0", node: "node1", gang: "young", startedAt: 1 },
        { name: "young-1", node: "node1", gang: "young", startedAt: 2 },
        { name: "old-1", node: "node1", gang: "old", startedAt: 3 },
      ],
      gangs: { young: { minMember: 2 }, old: { minMember: 2 } },
      members: members(1, { gpu: 2 }),
    },
    ["young-0", "young-1"],
  ],
  [
    "of a role that has more members than it needs one leaves, also where others have none to spare",
    {
      nodes: alike(1, 3),
      pods: [
        ...pods({ "a-0": "node1", "a-1": "node1" }, { gang: "low", role: "a" }),
        { name: "b-0", node: "node1", gang: "low", role: "b", startedAt: 5 },
      ],
      gangs: { low: { minMember: 2, roles: { a: 1, b: 1 } } },
      members: members(1, { gpu: 1 }),
    },
    ["a-1"],
  ],
  ...[[0, 1, 2], [2, 1, 0], [1, 2, 0]].map((ages): [string, Crowd, string[]] => [
    `of a gang with members to spare that began in the order ${ages} the youngest leaves`,
    {
      nodes: alike(1, 3),
      pods: ages.map((startedAt) => ({
        name: `low-${startedAt}`,
        node: "node1",
        gang: "low",
        startedAt,
      })),
      gangs: { low: { minMember: 2 } },
      members: members(1, { gpu: 1 }),
    },
    ["low-2"],
  ]),
  [
    "a member that a gang can spare leaves, though another of its members is under a budget that is not known",
    {
      nodes: alike(2, 3),
      pods: [
        { name: "old", node: "node2", startedAt: 0 },
        { name: "low-0", node: "node2", gang: "low", startedAt: 1 },
        { name: "low-1", node: "node1", gang: "low", startedAt: 2, budgets: ["gone"] },
      ],
      gangs: { low: { minMember: 1 } },
      members: members(2, { gpu: 1 }, /^node2$/),
    },
    ["low-0"],
  ],
  [
    "of gangs that can both spare a member the youngest of all leaves, however many its gang has",
    {
      nodes: alike(1, 5),
      pods: [
        ...pods({ "pair-0": "node1", "pair-1": "node1" }, { gang: "pair" }),
        ...pods({ "three-0": "node1", "three-1": "node1", "three-2": "node1" }, { gang: "three" }),
      ],
      gangs: { pair: { minMember: 1 }, three: { minMember: 1 } },
      members: members(1, { gpu: 1 }),
    },
    ["three-2"],
  ],
  [
    "a member that has succeeded stands in for one that leaves",
    {
      nodes: alike(1, 2),
      pods: pods({ "low-0": "node1", "low-1": "node1" }, { gang: "low" }),
      gangs: { low: { minMember: 2, succeeded: 1 } },
      members: members(1, { gpu: 1 }),
    },
    ["low-1"],
  ],
  [
    "a gang of which one member may not leave stays whole",
    {
      nodes: alike(2, 1),
      pods: [
        { name: "low-0", node: "node1", gang: "low", budgets: ["none"] },
        { name: "low-1", node: "node2", gang: "low" },
      ],
      gangs: { low: { minMember: 2 } },
      budgets: { none: 0 },
      members: members(1, { gpu: 1 }, /^node2$/),
    },
    undefined,
  ],
];

for (const [id, crowd, expect] of rows) {
  Deno.test(`evictionFor(): ${id}`, () => assertEquals(victimsIn(crowd), expect));
}
