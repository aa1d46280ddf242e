import { assertEquals } from "@std/assert";
import { alike, type Crowd, pods, type Runs, victimsIn } from "../../support/evictions.ts";
import { members } from "../../support/rooms.ts";

/** More than a search looks through by keeping one after another. */
const manyGangs = Array.from({ length: 80 }, (_, index) => `gang${index}`);

/** Who leaves first where any of them would do. */
const rows: [id: string, crowd: Crowd, expect: string[]][] = [
  [
    "PL-P13: the lowest priority leaves, and none that is higher than the gang's",
    {
      nodes: alike(4, 1),
      pods: [
        ...pods({ "ten-1": "node1", "ten-2": "node2" }, { priority: 10 }),
        ...pods({ "twohundred-1": "node3", "twohundred-2": "node4" }, { priority: 200 }),
      ],
      members: members(2, { gpu: 1 }),
      priority: 100,
    },
    ["ten-1", "ten-2"],
  ],
  [
    "no gang of many is broken where a regular pod of a higher priority may leave beside one that has to",
    {
      nodes: { ...alike(3, 1), node1: { gpu: manyGangs.length } },
      pods: [
        ...manyGangs.map((gang): Runs => ({ name: `${gang}-0`, node: "node1", gang })),
        ...pods({ "one": "node2", "two": "node3" }, { priority: 1 }),
      ],
      gangs: Object.fromEntries(
        manyGangs.map((gang) => [gang, { minMember: 1, disruption: "member" }]),
      ),
      members: [...members(1, { gpu: 1 }, /^node2$/), ...members(1, { gpu: 1 })],
      priority: 2,
    },
    ["one", "two"],
  ],
  [
    "no gang is broken where regular pods of its priority may leave, however many",
    {
      nodes: { ...alike(1, 2), node2: { gpu: 2 } },
      pods: [
        ...pods({ "low-0": "node1" }, { gang: "low", asks: { gpu: 2 } }),
        ...pods({ "one": "node2", "two": "node2" }),
      ],
      gangs: { low: { minMember: 1 } },
      members: members(1, { gpu: 2 }),
    },
    ["one", "two"],
  ],
  [
    "a gang of a lower priority leaves before a regular pod of a higher one",
    {
      nodes: alike(2, 1),
      pods: [
        ...pods({ low: "node1" }, { gang: "low" }),
        ...pods({ middle: "node2" }, { priority: 5 }),
      ],
      gangs: { low: { minMember: 1 } },
      members: members(1, { gpu: 1 }),
      priority: 9,
    },
    ["low"],
  ],
  [
    "the smaller gang leaves where either would do",
    {
      nodes: alike(5, 1),
      pods: [
        ...pods({ "big-0": "node1", "big-1": "node2", "big-2": "node3" }, { gang: "big" }),
        ...pods({ "small-0": "node4", "small-1": "node5" }, { gang: "small" }),
      ],
      gangs: { big: { minMember: 3 }, small: { minMember: 2 } },
      members: members(1, { gpu: 1 }),
    },
    ["small-0", "small-1"],
  ],
];

for (const [id, crowd, expect] of rows) {
  Deno.test(`evictionFor(): ${id}`, () => assertEquals(victimsIn(crowd), expect));
}
