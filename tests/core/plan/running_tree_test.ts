import { assertEquals } from "@std/assert";
import type { RunningTree } from "../../../shared/core/plan/running.ts";
import { gangsLeaving, mayFall } from "../../../shared/core/plan/running_tree.ts";
import { type Crowd, type Runs, victimsIn } from "../../support/evictions.ts";
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
];

for (const [id, crowd, expect] of rows) {
  Deno.test(`evictionFor(): ${id}`, () => assertEquals(victimsIn(crowd), expect));
}

Deno.test("mayFall(): a gang that has gone keeps nobody", () => {
  const running = { gangs: new Map(), pods: [], trees: [], budgets: new Map() };
  assertEquals(mayFall({ gangs: ["gone"], pods: [] }, running, () => false), true);
});
