import { assert, assertEquals } from "@std/assert";
import { device, type Members, placesOf, planned, type Situation } from "../../support/planned.ts";

/** Members by node, as they may be planned; none: the gang waits. */
interface Case extends Situation {
  id: string;
  places: Record<string, number>[];
}

const rack = { required: "rack" };
/** Rack names repeat from block to block. */
const kueue = {
  nodes: {
    x3: "1 b1/r1",
    x5: "1 b1/r2",
    x1: "1 b1/r2",
    x6: "1 b1/r2",
    x2: "1 b2/r1",
    x4: "2 b2/r2",
  },
};

const cases: Case[] = [
  {
    id: "PL-T1 the tightest rack that holds it",
    nodes: { a: "2 r1", b: "2 r1", c: "2 r2", d: "2 r2", e: "2 r2", f: "2 r3" },
    gangs: [{ name: "g", members: [{ count: 3 }], topology: rack }],
    places: [{ a: 2, b: 1 }],
  },
  {
    id: "PL-T2 one rack, whatever is used of others",
    nodes: {
      a: "2 r1",
      b: "2 r1",
      c: "2 r2",
      d: "0 r2",
      e: "2 r2",
      f: "2 r3",
      g: "1 r3",
      h: "2 r3",
      i: "2 r4",
    },
    gangs: [{ name: "g", members: [{ count: 3 }], topology: rack }],
    places: [{ a: 2, b: 1 }, { c: 2, e: 1 }],
  },
  {
    id: "PL-T9 without a minimum: as many as one rack takes",
    nodes: { a: "2 r1", b: "2 r2" },
    gangs: [{ name: "g", members: [{ count: 3 }], minMember: 1, topology: rack }],
    places: [{ a: 2 }, { b: 2 }],
  },
  {
    id: "PL-T12 what is used on a node is no obstacle to the other",
    nodes: { node0: "1 r1", node1: "2 r1" },
    gangs: [{ name: "g", members: [{ count: 2 }], topology: rack }],
    places: [{ node0: 1, node1: 1 }],
  },
  {
    id: "PL-T19 the fuller rack",
    nodes: { node0: "2 r1", node1: "3 r2" },
    gangs: [{ name: "g", members: [{ count: 2 }], topology: rack }],
    places: [{ node0: 2 }],
  },
  {
    id: "PL-T22 one pair",
    nodes: {
      n0: "8 p0",
      n1: "8 p0",
      n2: "7 p1",
      n3: "7 p1",
      n4: "8 p2",
      n5: "8 p2",
      n6: "8 p3",
      n7: "8 p3",
    },
    gangs: [{ name: "g", members: [{ count: 2, gpus: 2 }], topology: rack }],
    places: [{ n2: 2 }, { n3: 2 }, { n2: 1, n3: 1 }],
  },
  {
    id: "PL-T24 a preferred rack holds it",
    nodes: { a: "4 r1", b: "4 r1", c: "8 r2", d: "8 r2" },
    gangs: [{ name: "g", members: [{ count: 2, gpus: 5 }], topology: { preferred: ["rack"] } }],
    places: [{ c: 1, d: 1 }],
  },
  {
    id: "PL-T27 a rack is block and rack where its names repeat",
    ...kueue,
    levels: ["block", "rack"],
    gangs: [{ name: "g", members: [{ count: 3 }], topology: rack }],
    places: [{ x5: 1, x1: 1, x6: 1 }],
  },
  {
    id: "PL-T28 none where the best rack holds only 3 of 4",
    ...kueue,
    levels: ["block", "rack"],
    gangs: [{ name: "g", members: [{ count: 4 }], topology: rack }],
    places: [{}],
  },
  {
    id: "PL-T29 a preferred rack that holds too little: one block, as few racks as possible",
    ...kueue,
    gangs: [{ name: "g", members: [{ count: 4 }], topology: { preferred: ["rack", "block"] } }],
    places: [{ x3: 1, x5: 1, x1: 1, x6: 1 }],
  },
  {
    id: "PL-T31 one block, whichever racks",
    nodes: {
      a: "2 b/r1",
      b: "2 b/r1",
      c: "2 b/r1",
      d: "2 b/r2",
      e: "2 b/r2",
      f: "1 b/r3",
      g: "1 b/r3",
      h: "1 b/r3",
      i: "1 b/r3",
    },
    gangs: [{ name: "g", members: [{ count: 4 }], topology: { required: "block" } }],
    places: [{ f: 1, g: 1, h: 1, i: 1 }],
  },
  {
    id: "no rack where that of a member that runs is not known",
    nodes: { a: "2 r1", b: "2 r2" },
    gangs: [{ name: "g", members: [{ count: 1 }], placed: ["gone"], topology: rack }],
    places: [{}],
  },
  {
    id: "PL-T36 a replaced member waits where its sibling is, though another rack has room",
    nodes: { x1: "0 r1", x4: "1 r2", x2: "1 r2" },
    gangs: [{ name: "g", members: [{ count: 1 }], placed: ["x1"], topology: rack }],
    places: [{}],
  },
  {
    id: "so does one of a role, though its gang would rather be in a rack that has room",
    nodes: { x1: "0 r1", x4: "1 r2" },
    gangs: [{
      name: "g",
      members: [{ count: 1, role: "w" }],
      placed: ["w@x1"],
      roles: [{ name: "w", min: 2, topology: { required: "host" } }],
      topology: { preferred: ["rack"] },
    }],
    world: { settings: { matchPolicy: "waiting-and-running" } },
    places: [{}],
  },
  {
    id: "a later member goes where its siblings are, though another rack is tighter",
    nodes: { x1: "3 r1", x4: "1 r2" },
    gangs: [{ name: "g", members: [{ count: 1 }], placed: ["x1"], topology: rack }],
    places: [{ x1: 1 }],
  },
  {
    id: "PL-S1 slices of two on each host",
    nodes: { a: "3", b: "3", c: "3" },
    gangs: [{
      name: "g",
      members: [{ count: 6 }],
      topology: { slice: { key: "host", members: 2 } },
    }],
    places: [{ a: 2, b: 2, c: 2 }],
  },
  {
    id: "PL-S2 no slice of three where racks have room for two",
    nodes: { a: "2 r1", b: "2 r2", c: "2 r3" },
    gangs: [{
      name: "g",
      members: [{ count: 6 }],
      topology: { slice: { key: "rack", members: 3 } },
    }],
    places: [{}],
  },
  {
    id: "PL-S4 the block whose racks hold whole slices",
    nodes: { a: "2 b1/r1", b: "2 b1/r2", c: "2 b1/r3", d: "3 b2/r4", e: "3 b2/r5" },
    gangs: [{
      name: "g",
      members: [{ count: 6 }],
      topology: { required: "block", slice: { key: "rack", members: 3 } },
    }],
    places: [{ d: 3, e: 3 }],
  },
  {
    id: "PL-S7 leader and worker in the rack that holds both, though another holds either",
    nodes: { s1: "28 small", s2: "3 small", l: "60 large" },
    gangs: [{
      name: "g",
      members: [{ count: 1, gpus: 25, role: "leader" }, { count: 1, gpus: 26, role: "worker" }],
      topology: rack,
    }],
    places: [{ l: 2 }],
  },
];

for (const { id, places, ...situation } of cases) {
  Deno.test(`plan: ${id}`, () => {
    const found = placesOf(planned(situation)["g"]!);
    const isOne = places.some((each) =>
      JSON.stringify(sorted(each)) === JSON.stringify(sorted(found))
    );
    if (!isOne) assertEquals(found, places[0]);
  });
}

Deno.test("plan: PL-T4 a group of two kinds and one of three alike both fit one rack each", () => {
  const plans = planned({
    nodes: { a: "2 r1", b: "2 r1", c: "2 r1", d: "2 r2" },
    gangs: [
      { name: "pg1", members: [{ count: 1, gpus: 2 }, { count: 1 }], topology: rack },
      { name: "pg2", members: [{ count: 3 }], topology: rack },
    ],
  });
  for (const plan of Object.values(plans)) {
    assert(plan.taken);
    assert(!plan.taken.some(({ node }) => node === "d"));
  }
});

Deno.test("plan: PL-T18 the rack that is required, though the spine that is preferred can not be had", () => {
  const [plan] = Object.values(planned({
    nodes: { node0: "0", node1: "1", node2: "1", node3: "1" },
    world: {
      labelsOf: (node) => ({
        rack: node < "node2" ? "r1" : "r2",
        spine: node === "node0" || node === "node2" ? "s1" : "s2",
      }),
    },
    gangs: [{
      name: "g",
      members: [{ count: 2 }],
      topology: { required: "rack", preferred: ["spine"] },
    }],
  }));
  assertEquals(placesOf(plan!), { node2: 1, node3: 1 });
});

const two: Members = { count: 2 };
const ofDevices: [string, Record<string, number>, Members[], Record<string, number>][] = [
  ["no device is free anywhere: the tightest", {}, [two], { a: 2 }],
  ["one is free in the tightest: another", { a: 1 }, [two], { b: 2 }],
  ["in the other, too, and it needs none of these nodes: that", { a: 1, b: 1 }, [two], { c: 2 }],
  ["in the other, too, on all nodes: the tightest", { a: 1, b: 1, c: 1 }, [two], { a: 2 }],
  ["the nodes without take as many", { a: 9, b: 1 }, [{ count: 3 }], { c: 3 }],
  ["the nodes without take one less", { a: 9, b: 1 }, [{ count: 4 }], { a: 4 }],
  ["a member asks for one: the tightest", { a: 1, b: 1 }, [two, { count: 1, devices: 1 }], {
    a: 3,
  }],
];

for (const [id, devices, members, places] of ofDevices) {
  Deno.test(`plan: the rack of members where devices are free; ${id}`, () => {
    const amounts = { a: 4, b: 3, c: 3 };
    const free = new Map(
      Object.entries(amounts).map(([node, gpu]) => [
        node,
        new Map([["gpu", gpu], [device, devices[node] ?? 0]]),
      ]),
    );
    const { g } = planned({
      nodes: { a: "4 r1", b: "3 r2", c: "3 r2" },
      world: { free },
      gangs: [{ name: "g", members, topology: rack }],
    });
    assertEquals(placesOf(g!), places);
  });
}

Deno.test("plan: PL-T28 it is said which rack holds how many, the best first", () => {
  const { g } = planned({
    ...kueue,
    levels: ["block", "rack"],
    gangs: [{ name: "g", members: [{ count: 4 }], topology: rack }],
  });
  assertEquals(g!.fit, {
    members: 3,
    of: 4,
    shortOf: "gpu",
    domains: {
      key: "rack",
      of: 4,
      best: [
        { name: "b1/r2", members: 3 },
        { name: "b2/r2", members: 2 },
        { name: "b1/r1", members: 1 },
      ],
    },
    impossible: { scope: "domain", asks: 4, largest: 3 },
  });
});

Deno.test("plan: what no rack could ever hold is impossible, though all nodes together could", () => {
  const full = { a: "0 r1", b: "0 r1", c: "0 r2" };
  const capacity = new Map(["a", "b", "c"].map((node) => [node, new Map([["gpu", 2]])]));
  const fitOf = (count: number) =>
    planned({
      nodes: full,
      world: { capacity: () => capacity },
      gangs: [{ name: "g", members: [{ count }], topology: rack }],
    })["g"]!.fit.impossible;
  assertEquals(fitOf(4), undefined);
  assertEquals(fitOf(5), { scope: "domain", asks: 5, largest: 4 });
});

function sorted(places: Record<string, number>): [string, number][] {
  return Object.entries(places).sort();
}
