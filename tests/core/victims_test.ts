import { assertEquals } from "@std/assert";
import { type Eviction, type GangLoss, leastHarmful } from "../../shared/core/victims.ts";

/** A gang of four that is whole and loses one, but for `parts`. */
function gang(parts: Partial<GangLoss> = {}): GangLoss {
  return { minMember: 4, bound: 4, succeeded: 0, victims: 1, ...parts };
}

function on(node: string, parts: Partial<Eviction> = {}): Eviction {
  return { node, pdbViolations: 0, priorities: [0], gangs: [], ...parts };
}

const cases: [id: string, evictions: Eviction[], expect: string[]][] = [
  ["no node", [], []],
  ["regular pods everywhere: the scheduler chooses", [on("a"), on("b", { priorities: [5, 5] })], [
    "a",
    "b",
  ]],
  [
    "regular pods rather than a gang that would fall below minMember, whatever their priority and number",
    [on("gang", { gangs: [gang()] }), on("regular", { priorities: [9, 9, 9] })],
    ["regular"],
  ],
  ["a gang that breaks is evicted where there is no other choice", [on("a", { gangs: [gang()] })], [
    "a",
  ]],
  [
    "surplus members rather than members that are needed",
    [on("needed", { gangs: [gang()] }), on("surplus", { gangs: [gang({ bound: 5 })] })],
    ["surplus"],
  ],
  [
    "as many surplus members as there are",
    [
      on("two", { gangs: [gang({ bound: 5, victims: 2 })] }),
      on("one", { gangs: [gang({ bound: 5 })], priorities: [9] }),
    ],
    ["one"],
  ],
  [
    "what is left of a broken gang rather than a whole one",
    [on("whole", { gangs: [gang()] }), on("broken", { gangs: [gang({ bound: 3 })] })],
    ["broken"],
  ],
  [
    "the fewest gangs that break",
    [
      on("two", { gangs: [gang(), gang()], priorities: [0, 0] }),
      on("one", { gangs: [gang({ victims: 2 })], priorities: [0, 0] }),
    ],
    ["one"],
  ],
  [
    "a gang that leaves whole rather than one of which a half stays",
    [
      on("half", { gangs: [gang({ victims: 2 })], priorities: [0, 0] }),
      on("all", { gangs: [gang({ victims: 4 })], priorities: [0, 0, 0, 0] }),
    ],
    ["all"],
  ],
  [
    "succeeded members make a gang whole, and it can be broken",
    [
      on("finishing", { gangs: [gang({ bound: 2, succeeded: 2 })] }),
      on("regular", { priorities: [9] }),
    ],
    ["regular"],
  ],
  [
    "no disruption budget is violated for a gang",
    [on("gang", { gangs: [gang()] }), on("budget", { pdbViolations: 1 })],
    ["gang"],
  ],
  [
    "of equal harm to gangs: the lowest of the highest priorities",
    [
      on("high", { gangs: [gang()], priorities: [3, 1] }),
      on("low", { gangs: [gang()], priorities: [2, 2] }),
    ],
    ["low"],
  ],
  [
    "then the fewest victims",
    [
      on("two", { gangs: [gang({ victims: 2 })], priorities: [0, 0] }),
      on("one", { gangs: [gang()], priorities: [0] }),
    ],
    ["one"],
  ],
  [
    "one node alone where gangs lose members, though others would do",
    [on("a", { gangs: [gang()] }), on("b", { gangs: [gang()] })],
    ["a"],
  ],
];

for (const [id, evictions, expect] of cases) {
  Deno.test(`victims: ${id}`, () => assertEquals(leastHarmful(evictions), expect));
}
