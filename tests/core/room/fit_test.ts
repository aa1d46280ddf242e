import { assert, assertEquals } from "@std/assert";
import { type Candidate, fitting, take, wasteOf } from "../../../shared/core/room/fit.ts";
import { type Amounts, members, nodes, place, resources, roomOf } from "../../support/rooms.ts";

interface Case {
  id: string;
  free: Record<string, Amounts>;
  candidates: Candidate[];
  enough?: number;
  members: number;
  shortOf?: string;
}

const cases: Case[] = [
  {
    id: "SP-CR-1 enough",
    free: { a: { cpu: 4 } },
    candidates: members(4, { cpu: 1 }),
    members: 4,
  },
  {
    id: "SP-CR-2 not enough",
    free: { a: { cpu: 3 } },
    candidates: members(4, { cpu: 1 }),
    members: 3,
    shortOf: "cpu",
  },
  {
    id: "SP-PF-9 room in sum that no single node has is no room",
    free: { a: { cpu: 3 }, b: { cpu: 3 } },
    candidates: members(1, { cpu: 4 }),
    members: 0,
    shortOf: "cpu",
  },
  {
    id: "S1 Figure 1: 5 members of 2 GPUs on 8 GPUs",
    free: { a: { gpu: 4 }, b: { gpu: 4 } },
    candidates: members(5, { gpu: 2 }),
    members: 4,
    shortOf: "gpu",
  },
  {
    id: "heterogeneous members: the large one is placed before the small ones fill its node",
    free: { a: { cpu: 4 }, b: { cpu: 2 } },
    candidates: [...members(2, { cpu: 1 }), ...members(1, { cpu: 4 })],
    members: 3,
  },
  {
    id: "heterogeneous members: each on the node it fills best",
    free: { big: { cpu: 8 }, small: { cpu: 4 } },
    candidates: [...members(1, { cpu: 4 }), ...members(1, { cpu: 8 })],
    members: 2,
  },
  {
    id: "members of another shape still find room when one shape does not",
    free: { a: { cpu: 2 } },
    candidates: [...members(2, { cpu: 9 }), ...members(2, { cpu: 1 })],
    members: 2,
    shortOf: "cpu",
  },
  {
    id: "extended resources: a node without the resource has none of it",
    free: { a: { cpu: 8 } },
    candidates: members(1, { cpu: 1, "nvidia.com/gpu": 1 }),
    members: 0,
    shortOf: "nvidia.com/gpu",
  },
  {
    id: "extended resources: a request for none of it needs none",
    free: { a: { cpu: 8 } },
    candidates: members(1, { cpu: 1, "nvidia.com/gpu": 0 }),
    members: 1,
  },
  {
    id: "a resource that is overcommitted does not matter to members that ask for none of it",
    free: { a: { cpu: -1, gpu: 1 } },
    candidates: members(2, { cpu: 0, gpu: 1 }),
    members: 1,
    shortOf: "gpu",
  },
  {
    id: "pod slots",
    free: { a: { cpu: 8, pods: 2 } },
    candidates: members(3, { cpu: 1, pods: 1 }),
    members: 2,
    shortOf: "pods",
  },
  {
    id: "members may not run on the node that has room",
    free: { tainted: { cpu: 8 }, open: { cpu: 1 } },
    candidates: members(2, { cpu: 1 }, /open/),
    members: 1,
    shortOf: "cpu",
  },
  {
    id: "members may run nowhere",
    free: { tainted: { cpu: 8 } },
    candidates: members(2, { cpu: 1 }, /open/),
    members: 0,
    shortOf: "nodes that its members may run on",
  },
  {
    id: "no nodes at all",
    free: {},
    candidates: members(1, { cpu: 1 }),
    members: 0,
    shortOf: "nodes that its members may run on",
  },
  {
    id: "the resource that most nodes lack is named",
    free: { a: { cpu: 9, gpu: 0 }, b: { cpu: 0, gpu: 0 } },
    candidates: members(1, { cpu: 1, gpu: 1 }),
    members: 0,
    shortOf: "gpu",
  },
  {
    id: "enough is enough",
    free: { a: { cpu: 9 } },
    candidates: members(5, { cpu: 1 }),
    enough: 3,
    members: 3,
  },
  {
    id: "enough of the members find room although the largest do not",
    free: { a: { cpu: 2 } },
    candidates: [...members(3, { cpu: 4 }), ...members(2, { cpu: 1 })],
    enough: 2,
    members: 2,
  },
  {
    id: "enough of the members find room although the largest would take it all",
    free: { a: { cpu: 4 } },
    candidates: [...members(1, { cpu: 4 }), ...members(2, { cpu: 2 })],
    enough: 2,
    members: 2,
  },
  { id: "nobody needs a node", free: { a: { cpu: 1 } }, candidates: [], members: 0 },
];

for (const { id, free, candidates, enough = candidates.length, ...expected } of cases) {
  Deno.test(`fit: ${id}`, () => {
    const of = Math.min(enough, candidates.length);
    assertEquals(place(candidates, { room: nodes(free), enough }).fit, { of, ...expected });
  });
}

Deno.test("fit: members that find room take it, and only as many as are enough", () => {
  const room = nodes({ a: { cpu: 9, pods: 9 } });
  place(members(5, { cpu: 2, pods: 1 }), { room, enough: 3 });
  assertEquals(room, nodes({ a: { cpu: 3, pods: 6 } }));
});

Deno.test("fit: a part of a gang takes no room", () => {
  const room = nodes({ a: { cpu: 9 }, b: { cpu: 1 } });
  assertEquals(place(members(5, { cpu: 2 }), { room, enough: 5 }).fit.members, 4);
  assertEquals(room, nodes({ a: { cpu: 9 }, b: { cpu: 1 } }));
});

Deno.test("fit: the nodes that a room was made of do not change", () => {
  const node = { name: "a", free: resources({ cpu: 2 }) };
  place(members(1, { cpu: 1 }), { room: roomOf([node]), enough: 1 });
  assertEquals(node.free, resources({ cpu: 2 }));
});

Deno.test("fit: what is taken can be given back; a node that is unknown has nothing to take", () => {
  const room = nodes({ a: { cpu: 4 } });
  const requests = resources({ cpu: 1, gpu: 1 });
  take(room, "a", { requests });
  assertEquals(room.get("a"), new Map([["cpu", 3], ["gpu", -1]]));
  take(room, "a", { requests, sign: -1 });
  assertEquals(room.get("a"), new Map([["cpu", 4], ["gpu", 0]]));
  take(room, "gone", { requests });
  assertEquals([...room.keys()], ["a"]);
});

Deno.test("fit: a node of which others have taken more than it has takes nobody, and not fewer", () => {
  assertEquals(fitting(resources({ cpu: 1, gpu: 1 }), resources({ cpu: 0, gpu: -2 })), 0);
});

for (
  const [id, asks, free, left] of [
    ["of one resource", { gpu: 1 }, { gpu: 4 }, 0.75],
    ["summed over what is asked for", { gpu: 1, cpu: 2 }, { gpu: 4, cpu: 4, memory: 9 }, 1.25],
    ["but for what is not counted", { gpu: 1, storage: 1 }, { gpu: 4, storage: Infinity }, 0.75],
    ["but for what there is none of", { gpu: 1, fpga: 0 }, { gpu: 4 }, 0.75],
    ["also where the node has one", { gpu: 1 }, { gpu: 1 }, 0],
    ["where it has one, and none of that is asked for", { gpu: 0 }, { gpu: 1 }, 1],
  ] as const
) {
  Deno.test(`fit: a member wastes the share that it leaves, ${id}`, () => {
    assertEquals(wasteOf(resources(asks))(resources(free)), left);
  });
}

const gpus = "nvidia.com/gpu";
const nodesByWaste: [id: string, asks: Record<string, number>, least: string][] = [
  ["one that asks for no device is best where there is none", { cpu: 1 }, "plain"],
  ["one that asks for none of it is the same", { cpu: 1, [gpus]: 0 }, "plain"],
  ["one that asks for more than is free there, where fewer devices are", { cpu: 5 }, "taken"],
  ["one that asks for a device, where it leaves least", { cpu: 1, [gpus]: 1 }, "free"],
];

for (const [id, asks, least] of nodesByWaste) {
  Deno.test(`fit: of the nodes that take it, ${id}`, () => {
    const free = nodes({
      free: { cpu: 4, [gpus]: 2 },
      plain: { cpu: 4.5 },
      taken: { cpu: 8, [gpus]: 0 },
      both: { cpu: 5, [gpus]: 8, "example.com/nic": 1 },
    });
    const requests = resources(asks);
    const taking = [...free].filter(([, room]) => fitting(requests, room) > 0);
    const wastes = taking.map(([name, room]) => ({ name, wasted: wasteOf(requests)(room) }));
    assertEquals(wastes.sort((a, b) => a.wasted - b.wasted)[0]?.name, least);
  });
}

const pairs: [id: string, asks: Record<string, number>, better: object, other: object][] = [
  ["none of a device asked for is no device asked for", { cpu: 1, memory: 1, [gpus]: 0 }, {
    cpu: 9,
    memory: 9,
  }, { cpu: 1, memory: 1, [gpus]: 1 }],
  ["one device is a device asked for", { [gpus]: 1 }, { [gpus]: 2, "example.com/nic": 1 }, {
    [gpus]: 8,
  }],
  ["a device of which none is free is as good as none", { cpu: 1 }, { cpu: 1, [gpus]: 0 }, {
    cpu: 9,
  }],
  ["one that is free keeps a member off that asks for none", { cpu: 1 }, { cpu: 9 }, {
    cpu: 1,
    [gpus]: 1,
  }],
];

for (const [id, asks, better, other] of pairs) {
  Deno.test(`fit: less is wasted: ${id}`, () => {
    const wasted = (room: object) => wasteOf(resources(asks))(resources({ ...room }));
    assert(wasted(better) < wasted(other), `${wasted(better)}, ${wasted(other)}`);
  });
}
