import type { NodeRow, Row } from "./row.ts";

/** Nodes that are alike. */
function alike(names: string[], node: NodeRow): Record<string, NodeRow> {
  return Object.fromEntries(names.map((name) => [name, node]));
}

const inRack = { "required-topology": "rack" };

/** A rack that is told by its block and its own name, which repeats. */
function rack(block: string, name: string): Record<string, string> {
  return { block, rack: name };
}

/** Nodes of PL-T27 to PL-T29. */
const repeating: Record<string, NodeRow> = {
  x3: { gpus: 1, labels: rack("b1", "r1") },
  ...alike(["x5", "x1", "x6"], { gpus: 1, labels: rack("b1", "r2") }),
  x2: { gpus: 1, labels: rack("b2", "r1") },
  x4: { gpus: 2, labels: rack("b2", "r2") },
};

/** Rows of sections A and B. */
export const topologyRows: readonly Row[] = [
  {
    id: "PL-T1 a gang with a required rack is in one that holds it",
    nodes: {
      ...alike(["a1", "a2"], { gpus: 2, labels: { rack: "r1" } }),
      ...alike(["b1", "b2", "b3"], { gpus: 2, labels: { rack: "r2" } }),
      c1: { gpus: 2, labels: { rack: "r3" } },
    },
    gangs: { a: { says: inRack, members: { m: { pods: 3, gpus: 1 } } } },
    bound: { m: 3 },
    within: [{ key: "rack", members: ["m"], values: ["r1"] }],
  },
  {
    id: "PL-T2 of racks that are used in part one holds a gang",
    nodes: {
      ...alike(["a1", "a2"], { gpus: 2, labels: { rack: "r1" } }),
      ...alike(["b1", "b2"], { gpus: 2, labels: { rack: "r2" } }),
      b3: { gpus: 2, used: 2, labels: { rack: "r2" } },
      ...alike(["c1", "c2"], { gpus: 2, labels: { rack: "r3" } }),
      c3: { gpus: 2, used: 1, labels: { rack: "r3" } },
      d1: { gpus: 2, labels: { rack: "r4" } },
    },
    gangs: { a: { says: inRack, members: { m: { pods: 3, gpus: 1 } } } },
    bound: { m: 3 },
    within: [{ key: "rack", members: ["m"], values: ["r1", "r2", "r3"] }],
  },
  {
    id: "PL-T4 two gangs fill one rack, members that differ among them",
    nodes: {
      ...alike(["a1", "a2", "a3"], { gpus: 2, labels: { rack: "r1" } }),
      b1: { gpus: 2, labels: { rack: "r2" } },
    },
    gangs: {
      pg1: { says: inRack, members: { large: { pods: 1, gpus: 2 }, small: { pods: 1, gpus: 1 } } },
      pg2: { says: inRack, members: { m: { pods: 3, gpus: 1 } } },
    },
    bound: { large: 1, small: 1, m: 3 },
    within: [{ key: "rack", members: ["large", "small"] }, { key: "rack", members: ["m"] }],
  },
  {
    id: "PL-T9 a gang of one at least has in its rack as many as there is room for",
    nodes: {
      a1: { gpus: 2, labels: { rack: "r1" } },
      b1: { gpus: 2, labels: { rack: "r2" } },
    },
    gangs: { a: { min: 1, says: inRack, members: { m: { pods: 3, gpus: 1 } } } },
    bound: { m: 2 },
    within: [{ key: "rack", members: ["m"] }],
  },
  {
    id: "PL-T12 a rack with some room left holds a gang",
    nodes: {
      node0: { gpus: 2, used: 1, labels: { rack: "r1" } },
      node1: { gpus: 2, labels: { rack: "r1" } },
    },
    gangs: { a: { says: inRack, members: { m: { pods: 2, gpus: 1 } } } },
    bound: { m: 2 },
    within: [{ key: "rack", members: ["m"] }],
  },
  {
    id: "PL-T18 a preferred spine that can not be had gives way to a required rack",
    nodes: {
      node0: { gpus: 2, used: 2, labels: { rack: "r1", spine: "s1" } },
      node1: { gpus: 2, used: 1, labels: { rack: "r1", spine: "s2" } },
      node2: { gpus: 2, used: 1, labels: { rack: "r2", spine: "s1" } },
      node3: { gpus: 2, used: 1, labels: { rack: "r2", spine: "s2" } },
    },
    gangs: {
      a: {
        says: { ...inRack, "preferred-topology": "spine" },
        members: { m: { pods: 2, gpus: 1 } },
      },
    },
    bound: { m: 2 },
    within: [{ key: "rack", members: ["m"], values: ["r2"] }],
  },
  {
    id: "PL-T19 the fuller rack is filled",
    nodes: {
      node0: { gpus: 3, used: 1, labels: { rack: "r1" } },
      node1: { gpus: 3, labels: { rack: "r2" } },
    },
    gangs: { a: { says: inRack, members: { m: { pods: 2, gpus: 1 } } } },
    bound: { m: 2 },
    within: [{ key: "rack", members: ["m"], values: ["r1"] }],
  },
  {
    id: "PL-T22 a pair of nodes holds a gang",
    nodes: Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`node${index}`, {
      gpus: 8,
      used: index === 2 || index === 3 ? 1 : 0,
      labels: { rack: `pair-${Math.floor(index / 2)}` },
    }])),
    gangs: { a: { says: inRack, members: { m: { pods: 2, gpus: 2 } } } },
    bound: { m: 2 },
    within: [{ key: "rack", members: ["m"] }],
  },
  {
    id: "PL-T24 a preferred rack that holds the gang is taken",
    nodes: {
      ...alike(["a1", "a2"], { gpus: 8, labels: { rack: "r1" } }),
      ...alike(["b1", "b2"], { gpus: 8, labels: { rack: "r2" } }),
    },
    gangs: {
      a: { says: { "preferred-topology": "rack" }, members: { m: { pods: 2, gpus: 8 } } },
    },
    bound: { m: 2 },
    within: [{ key: "rack", members: ["m"] }],
  },
  {
    id: "PL-T27 racks whose names repeat are told apart by their blocks",
    nodes: repeating,
    gangs: { a: { says: inRack, members: { m: { pods: 3, gpus: 1 } } } },
    bound: { m: 3 },
    within: [
      { key: "block", members: ["m"], values: ["b1"] },
      { key: "rack", members: ["m"], values: ["r2"] },
    ],
  },
  {
    id: "PL-T28 a gang that no rack holds waits, and is told what the best one lacks",
    nodes: repeating,
    gangs: { a: { says: inRack, members: { m: { pods: 4, gpus: 1 } } } },
    bound: { m: 0 },
    says: "3 of 4",
  },
  {
    id: "PL-T29 where no rack holds a gang the block above it does",
    nodes: repeating,
    gangs: {
      a: { says: { "preferred-topology": "rack" }, members: { m: { pods: 4, gpus: 1 } } },
    },
    bound: { m: 4 },
    within: [{ key: "block", members: ["m"], values: ["b1"] }],
    spread: { key: "rack", members: ["m"], of: { r1: 1, r2: 3 } },
  },
  {
    id: "PL-T31 a required block holds a gang, whichever of its racks do",
    nodes: {
      x3: { gpus: 2, labels: rack("b1", "r1") },
      x5: { gpus: 2, labels: rack("b1", "r2") },
      ...alike(["y1", "y2", "y3", "y4"], { gpus: 1, labels: rack("b1", "r3") }),
    },
    gangs: {
      a: { says: { "required-topology": "block" }, members: { m: { pods: 4, gpus: 1 } } },
    },
    bound: { m: 4 },
    within: [{ key: "block", members: ["m"] }],
  },
  {
    id: "PL-S1 slices of two are each on one host",
    nodes: alike(["h1", "h2", "h3"], { gpus: 3 }),
    gangs: {
      a: {
        says: { "topology-slice": "kubernetes.io/hostname=2" },
        members: { m: { pods: 6, gpus: 1 } },
      },
    },
    bound: { m: 6 },
    spread: { key: "kubernetes.io/hostname", members: ["m"], of: { h1: 2, h2: 2, h3: 2 } },
  },
  {
    id: "PL-S2 slices for which no rack has room keep the gang waiting",
    nodes: {
      n1: { gpus: 2, labels: { rack: "r1" } },
      n2: { gpus: 2, labels: { rack: "r2" } },
      n3: { gpus: 2, labels: { rack: "r3" } },
    },
    gangs: {
      a: { says: { "topology-slice": "rack=3" }, members: { m: { pods: 6, gpus: 1 } } },
    },
    bound: { m: 0 },
    says: "needs room for 6 more members",
  },
  {
    id: "PL-S4 a required block is one that holds all slices",
    nodes: {
      n1: { gpus: 2, labels: rack("b1", "r1") },
      n2: { gpus: 2, labels: rack("b1", "r2") },
      n3: { gpus: 2, labels: rack("b1", "r3") },
      n4: { gpus: 3, labels: rack("b2", "r1") },
      n5: { gpus: 3, labels: rack("b2", "r2") },
    },
    gangs: {
      a: {
        says: { "required-topology": "block", "topology-slice": "rack=3" },
        members: { m: { pods: 6, gpus: 1 } },
      },
    },
    bound: { m: 6 },
    within: [{ key: "block", members: ["m"], values: ["b2"] }],
    spread: { key: "rack", members: ["m"], of: { r1: 3, r2: 3 } },
  },
  {
    id: "PL-S7 leader and worker are in the rack that holds both",
    nodes: {
      s1: { gpus: 28, used: 25, labels: { rack: "small" } },
      s2: { gpus: 28, labels: { rack: "small" } },
      l1: { gpus: 60, labels: { rack: "large" } },
    },
    gangs: {
      a: {
        says: inRack,
        members: { leader: { pods: 1, gpus: 25 }, worker: { pods: 1, gpus: 25 } },
      },
    },
    bound: { leader: 1, worker: 1 },
    within: [{ key: "rack", members: ["leader", "worker"], values: ["large"] }],
  },
];
