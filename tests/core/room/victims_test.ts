import { assertEquals } from "@std/assert";
import {
  type GangLoss,
  preemption,
  type PreemptionCandidate,
  type Victim,
} from "../../../shared/core/room/victims.ts";

/** A gang of four that is whole and loses one, but for `parts`. */
function gang(parts: Partial<GangLoss> = {}): GangLoss {
  return { minMember: 4, bound: 4, succeeded: 0, victims: 1, ...parts };
}

/** A candidate with a running victim for each of the priorities; they are called by the node: "a-0" and so on. */
function on(
  node: string,
  { priorities = [0], ...parts }: Partial<PreemptionCandidate> & { priorities?: number[] } = {},
): PreemptionCandidate {
  const victims = priorities.map((priority, index): Victim => ({
    uid: `${node}-${index}`,
    priority,
    startedAt: 0,
    state: "runs",
  }));
  return { node, pdbViolations: 0, victims, gangs: [], ...parts };
}

/** A candidate with victims in these states. */
function states(node: string, ...states: Victim["state"][]): PreemptionCandidate {
  const { victims } = on(node, { priorities: states.map(() => 0) });
  return on(node, {
    victims: victims.map((victim, index) => ({ ...victim, state: states[index]! })),
  });
}

/** A candidate whose victims began to run then. */
function since(node: string, ...times: number[]): PreemptionCandidate {
  const { victims } = on(node, { priorities: times.map(() => 0) });
  return on(node, {
    victims: victims.map((victim, index) => ({ ...victim, startedAt: times[index]! })),
  });
}

const choices: [id: string, candidates: PreemptionCandidate[], expect: string[]][] = [
  ["no node", [], []],
  [
    "regular pods everywhere: as the scheduler chooses, one node",
    [on("higher", { priorities: [5] }), on("lower"), on("other")],
    ["lower"],
  ],
  [
    "the node where no gang falls beside those of the victims",
    [on("one", { fallingBeside: 1 }), on("unsaid", { priorities: [5] })],
    ["unsaid"],
  ],
  [
    "where nobody says so is as good as where none falls",
    [on("unsaid"), on("none", { priorities: [5], fallingBeside: 0 })],
    ["unsaid"],
  ],
  [
    "of equal highest priorities the node where the others are lower, as the scheduler chooses",
    [on("higher", { priorities: [5, 4] }), on("lower", { priorities: [5, 1] })],
    ["lower"],
  ],
  [
    "none while pods leave one of the nodes for the preemptor",
    [on("other"), on("cleared", { isComing: true })],
    [],
  ],
  [
    "the node whose oldest victim has run for the shortest time",
    [since("long", 10, 50), since("short", 20, 30)],
    ["short"],
  ],
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

for (const [id, candidates, expect] of choices) {
  Deno.test(`victims: ${id}`, () => {
    const { evict, letGo } = preemption(candidates);
    assertEquals({ nodes: evict.map(({ node }) => node), letGo }, { nodes: expect, letGo: [] });
  });
}

const outcomes: [
  id: string,
  candidates: PreemptionCandidate[],
  expect: { evict?: Record<string, string[]>; letGo?: string[] },
][] = [
  [
    "members that wait alone are let go, though regular pods could be evicted elsewhere",
    [states("regular", "runs"), states("waiting", "waits", "waits")],
    { letGo: ["waiting-0", "waiting-1"] },
  ],
  [
    "of nodes where members wait alone the fewest are let go",
    [states("two", "waits", "waits"), states("one", "waits")],
    { letGo: ["one-0"] },
  ],
  [
    "where regular pods have to go as well, they go where no member waits",
    [states("both", "waits", "runs"), states("regular", "runs", "runs")],
    { evict: { regular: ["regular-0", "regular-1"] } },
  ],
  [
    "where members wait everywhere, the fewest are let go first",
    [states("two", "waits", "waits", "runs"), states("one", "waits", "runs")],
    { letGo: ["one-0"] },
  ],
  [
    "nobody is evicted where all victims have just begun to leave, nor anywhere else",
    [states("regular", "runs"), states("waiting", "waits"), states("leaving", "leaves", "leaves")],
    {},
  ],
  [
    "who has just begun to leave is not evicted again beside the others",
    [states("a", "leaves", "runs", "leaves", "runs")],
    { evict: { a: ["a-1", "a-3"] } },
  ],
  [
    "members that wait are let go where everybody else leaves already",
    [states("a", "leaves", "waits")],
    { letGo: ["a-1"] },
  ],
  [
    "a candidate without victims is left to other extenders, and nobody is evicted there",
    [on("empty", { victims: [] }), on("other", { victims: [] })],
    { evict: { empty: [], other: [] } },
  ],
  [
    "a candidate without victims does not stand in for one where evictions make room, whatever harm they do",
    [on("empty", { victims: [] }), on("gang", { gangs: [gang()] })],
    { evict: { gang: ["gang-0"], empty: [] } },
  ],
  [
    "nor for one where members wait",
    [on("empty", { victims: [] }), states("both", "waits", "runs")],
    { letGo: ["both-0"] },
  ],
  [
    "nor for one whose victims leave",
    [on("empty", { victims: [] }), states("leaving", "leaves")],
    {},
  ],
];

for (const [id, candidates, { evict = {}, letGo = [] }] of outcomes) {
  Deno.test(`preemption: ${id}`, () => {
    const outcome = preemption(candidates);
    const evicted = Object.fromEntries(outcome.evict.map(({ node, uids }) => [node, [...uids]]));
    assertEquals({ evict: evicted, letGo: outcome.letGo }, { evict, letGo });
  });
}
