import { assertEquals } from "@std/assert";
import type { RunningTree } from "../../../shared/core/plan/running.ts";
import { fallsWith, gangsLeaving, mayFall } from "../../../shared/core/plan/running_tree.ts";
import { type Crowd, runningIn, type Runs, victimsIn } from "../../support/evictions.ts";
import { members } from "../../support/rooms.ts";

/** A composite of which so many parts are needed; `single`: what is left of it runs on. */
function tree(min: number, parts: RunningTree["parts"], single?: "single"): RunningTree {
  return { min, leavesWhole: single === undefined, parts };
}

const nested = tree(2, ["a", tree(1, ["b", "c"]), tree(2, ["d", "e"])]);

/** Gangs that are not whole any more, and those that leave for it. */
const fates: [id: string, tree: RunningTree, broken: string[], leaving: string[]][] = [
  ["nobody where enough are left", tree(2, ["a", "b", "c"]), ["c"], []],
  ["all where fewer are left", tree(2, ["a", "b", "c"]), ["a", "c"], ["a", "b", "c"]],
  ["nobody where what is left runs on", tree(2, ["a", "b"], "single"), ["a"], []],
  ["those of the composite that falls, where enough are left around it", nested, ["d"], [
    "d",
    "e",
  ]],
  ["nobody where one within can spare a gang", nested, ["b"], []],
  ["all where too few of those within are whole", nested, ["d", "a"], ["a", "b", "c", "d", "e"]],
  [
    "all, though one within would run on",
    tree(2, ["a", tree(2, ["b", "c"], "single")]),
    ["b"],
    ["a", "b", "c"],
  ],
];

for (const [id, tree, broken, leaving] of fates) {
  Deno.test(`gangsLeaving(): ${id}`, () => {
    const isWhole = (gang: string) => !broken.includes(gang);
    assertEquals(gangsLeaving(tree, { isWhole, wasWhole: () => true }), leaving);
    assertEquals(gangsLeaving(tree, { isWhole, wasWhole: isWhole }), [], "it was so before");
  });
}

/** Two members of each of these gangs, each on a node of its own. */
function pairs(...gangs: string[]): Runs[] {
  return gangs.flatMap((gang, index) =>
    [0, 1].map((member) => ({
      name: `${gang}-${member}`,
      node: `${gang}${member}`,
      gang,
      startedAt: 2 * index + member,
    }))
  );
}

function crowd(names: string[], more: Partial<Crowd> & { needs?: number } = {}): Crowd {
  const { needs = 1, ...rest } = more;
  const pods = pairs(...names);
  return {
    nodes: Object.fromEntries(pods.map(({ node }) => [node, { gpu: 1 }])),
    pods,
    gangs: Object.fromEntries(names.map((name) => [name, { minMember: 2 }])),
    members: members(needs, { gpu: 1 }),
    ...rest,
  };
}

const rows: [id: string, crowd: Crowd, expect: string[] | undefined][] = [
  [
    "a gang leaves that its composite can spare",
    crowd(["a", "b", "c"], { trees: [tree(2, ["a", "b", "c"])] }),
    ["c-0", "c-1"],
  ],
  [
    "all of a composite leave that falls below its minimum",
    crowd(["a", "b"], { trees: [tree(2, ["a", "b"])] }),
    ["a-0", "a-1", "b-0", "b-1"],
  ],
  [
    "another gang leaves, though it is older, where that takes nobody else",
    crowd(["old", "a", "b"], { trees: [tree(2, ["a", "b"])] }),
    ["old-0", "old-1"],
  ],
  [
    "one gang leaves alone where what is left of its composite runs on",
    crowd(["a", "b"], { trees: [tree(2, ["a", "b"], "single")] }),
    ["b-0", "b-1"],
  ],
  [
    "no more is lost with a gang whose composite can do without others, which nobody has created",
    crowd(["old", "young"], { trees: [tree(1, ["young", "unborn"])] }),
    ["young-0", "young-1"],
  ],
  [
    "who is not needed any more when the rest of a composite leaves stays",
    {
      nodes: { n0: { gpu: 1 }, n1: { gpu: 3 } },
      pods: [
        { name: "regular", node: "n0", startedAt: 2 },
        { name: "a-0", node: "n1", gang: "a", startedAt: 0 },
        { name: "b-0", node: "n1", gang: "b", startedAt: 1 },
      ],
      gangs: { a: { minMember: 1 }, b: { minMember: 1 } },
      members: members(3, { gpu: 1 }),
      trees: [tree(2, ["a", "b"])],
    },
    ["a-0", "b-0"],
  ],
  [
    "nobody leaves of a composite that would fall where one of its pods may not",
    crowd(["a", "b"], {
      trees: [tree(2, ["a", "b"])],
      pods: pairs("a", "b").map((pod) => pod.name === "a-0" ? { ...pod, priority: 2 } : pod),
    }),
    undefined,
  ],
  [
    "a composite that has fallen already loses only whom it must",
    crowd(["a", "b"], { trees: [tree(3, ["a", "b", "gone"])] }),
    ["b-0", "b-1"],
  ],
  [
    "what is left of a higher priority than others leaves with those of a lower one only where nothing else is enough",
    crowd(["a", "b", "high"], {
      priority: 5,
      trees: [tree(2, ["a", "b"])],
      pods: pairs("a", "b", "high").map((pod) => ({
        ...pod,
        priority: { a: 1, b: 3, high: 2 }[pod.gang!] ?? 0,
      })),
    }),
    ["high-0", "high-1"],
  ],
  [
    "a member that is only held leaves, and its composite runs on",
    crowd(["a", "b"], {
      nodes: { a0: { gpu: 1 }, a1: { gpu: 1 }, a2: { gpu: 1 }, b0: { gpu: 1 }, b1: { gpu: 1 } },
      pods: [...pairs("a", "b"), { name: "a-2", node: "a2", gang: "a", isHeld: true }],
      trees: [tree(2, ["a", "b"])],
    }),
    ["a-2"],
  ],
  [
    "a composite of one gang leaves as a whole, though the gang's members leave one by one",
    crowd(["a"], {
      gangs: { a: { minMember: 2, disruption: "member" } },
      trees: [tree(1, ["a"])],
    }),
    ["a-0", "a-1"],
  ],
  [
    "all of a composite leave, and a gang beside it stays whose nodes are of no use",
    crowd(["a", "b", "c"], {
      trees: [tree(2, ["a", "b"])],
      members: members(1, { gpu: 1 }, /^[ab]/),
    }),
    ["a-0", "a-1", "b-0", "b-1"],
  ],
  [
    "one gang leaves rather than two that run together, though it has more members",
    {
      ...crowd(["old"]),
      nodes: { old0: { gpu: 1 }, old1: { gpu: 1 }, n0: { gpu: 1 }, n1: { gpu: 1 }, n2: { gpu: 1 } },
      pods: [
        ...pairs("old"),
        { name: "old-2", node: "n2", gang: "old" },
        { name: "a-0", node: "n0", gang: "a", startedAt: 8 },
        { name: "b-0", node: "n1", gang: "b", startedAt: 9 },
      ],
      gangs: { old: { minMember: 3 }, a: { minMember: 1 }, b: { minMember: 1 } },
      trees: [tree(2, ["a", "b"])],
    },
    ["old-0", "old-1", "old-2"],
  ],
  [
    "a gang that runs in a composite of its own leaves as any other that has fewer members",
    {
      ...crowd(["young"]),
      nodes: { young0: { gpu: 1 }, young1: { gpu: 1 }, n0: { gpu: 1 } },
      pods: [
        { name: "a-0", node: "n0", gang: "a" },
        ...pairs("young").map((pod) => ({ ...pod, startedAt: 9 })),
      ],
      gangs: { young: { minMember: 2 }, a: { minMember: 1 } },
      trees: [tree(1, ["a"])],
    },
    ["a-0"],
  ],
];

for (const [id, crowd, expect] of rows) {
  Deno.test(`evictionFor(): ${id}`, () => assertEquals(victimsIn(crowd), expect));
}

Deno.test("mayFall(): a gang that has gone keeps nobody", () => {
  const running = { gangs: new Map(), pods: [], trees: [], budgets: new Map() };
  assertEquals(mayFall({ gangs: ["gone"], broken: [], pods: [] }, running, () => false), true);
});

Deno.test("fallsWith(): a gang that was not whole before, has done its work or was never there is not broken with the others", () => {
  const pods = [...pairs("a", "b"), ...pairs("half").slice(0, 1)];
  const { gangs, ...rest } = crowd(["a", "b", "half"], {
    trees: [tree(3, ["a", "b", "done", "half", "unborn"])],
  });
  const done = { minMember: 2, succeeded: 2 };
  const running = runningIn({ ...rest, gangs: { ...gangs, done }, pods });
  const falls = fallsWith(running.pods.filter(({ gang }) => gang === "a"), running);
  assertEquals(falls.map(({ gangs, broken }) => [gangs, broken]), [
    [["a", "b", "done", "half", "unborn"], ["a", "b"]],
  ]);
});
