import { assert, assertEquals, assertLess } from "@std/assert";
import { parse } from "valibot";
import { ClusterMap as Schema } from "../../shared/contract/cluster_map.ts";
import { Cluster, type ClusterOptions } from "../../shared/cluster/cluster.ts";
import { ClusterMaps } from "../../shared/cluster/cluster_maps.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import type { ClusterMap, MapPlace, MapShare } from "../../shared/core/gang/cluster_map.ts";
import { topologyLevels } from "../../shared/kubernetes/declaring/topology_level.ts";
import { callTo, container, podOf, type PodParts } from "../support/objects.ts";

const gpu = "nvidia.com/gpu";
const now = Date.parse("2026-01-01T00:00:00Z");

function clusterOf(options: ClusterOptions = {}): Cluster {
  const listener = { podChanged: () => {}, podGroupChanged: () => {}, roomChanged: () => {} };
  return new Cluster(listener, options);
}

/** A node of 8 GPUs. */
function addNode(cluster: Cluster, name: string, labels: Record<string, string> = {}): void {
  const allocatable = { [gpu]: "8", cpu: "64", "example.com/nic": "64" };
  cluster.room.nodeChanged({
    metadata: { name, uid: name, labels },
    spec: {},
    status: { allocatable },
  });
}

/** A pod of some GPUs, of that gang where one is named. */
function addPod(cluster: Cluster, gpus: number, { gang, ...parts }: PodParts & { gang?: string }) {
  const labels = gang === undefined
    ? {}
    : { "pod-group/name": gang, "pod-group/min-available": "1" };
  const containers = [container({ [gpu]: String(gpus) })];
  cluster.podChanged(podOf({ labels, containers, ...parts }));
  return cluster.pods.get(`uid-${parts.name}`)!;
}

function mapOf(cluster: Cluster, groups: readonly GangGroup[] = []): ClusterMap {
  return new ClusterMaps({ cluster, groups: () => groups }).take(now)!;
}

/** `r1 n1 (8): a 2 bound; others 1 bound`. */
function told({ gangs, places }: ClusterMap): string[] {
  const shareText = ({ bound, held, planned }: MapShare) =>
    Object.entries({ bound, held, planned }).flatMap(([state, amount]) =>
      amount === undefined ? [] : [`${amount} ${state}`]
    ).join(" ");
  const textOf = ({ domain, node, nodes, allocatable, ...shares }: MapPlace) => {
    const has = [
      ...shares.gangs.map((share) => `${gangs[share.gang]} ${shareText(share)}`),
      ...(shareText(shares.others) === "" ? [] : [`others ${shareText(shares.others)}`]),
    ];
    const name = [domain?.join("/") ?? "rest", node ?? `${nodes} nodes`].filter(Boolean).join(" ");
    return `${name} (${allocatable})${has.length > 0 ? `: ${has.join("; ")}` : ""}`;
  };
  return places.map(textOf);
}

Deno.test("cluster map: what gangs and others have on each node, by domain", () => {
  const cluster = clusterOf({ levels: topologyLevels("example.com/rack") });
  addNode(cluster, "n10", { "example.com/rack": "r1" });
  addNode(cluster, "n9", { "example.com/rack": "r1" });
  addNode(cluster, "n1", { "example.com/rack": "r2" });
  addNode(cluster, "n2");
  cluster.room.nodeChanged({
    metadata: { name: "no-gpu", uid: "no-gpu" },
    spec: {},
    status: { allocatable: { cpu: "64" } },
  });
  addPod(cluster, 2, { name: "a-0", gang: "a", nodeName: "n9" });
  addPod(cluster, 2, { name: "a-1", gang: "a", nodeName: "n9" });
  const held = addPod(cluster, 4, { name: "b-0", gang: "b" });
  cluster.podHeld(held, callTo("n9", held));
  addPod(cluster, 1, { name: "over", gang: "b", nodeName: "n1", phase: "Succeeded" });
  addPod(cluster, 3, { name: "alone", nodeName: "n1" });
  const map = mapOf(cluster);
  assertEquals(told(map), [
    "n2 (8)",
    "r1 n9 (8): default/a 4 bound; default/b 4 held",
    "r1 n10 (8)",
    "r2 n1 (8): others 3 bound",
  ]);
  assertEquals([map.resource, map.levels, map.at], [
    gpu,
    ["example.com/rack"],
    "2026-01-01T00:00:00.000Z",
  ]);
});

Deno.test("cluster map: a gang may ask for a topology by a word that is no label of any node", () => {
  const cluster = clusterOf();
  addNode(cluster, "n1", { rack: "r1" });
  const topologies = { a: "constructor", b: "rack" };
  for (const [gang, key] of Object.entries(topologies)) {
    const annotations = { "muster.scheduling/preferred-topology": key };
    addPod(cluster, 4, { name: `${gang}-0`, gang, annotations, nodeName: "n1" });
  }
  const map = mapOf(cluster);
  assertEquals(map.levels, ["rack"]);
  assertEquals(told(map), ["r1 n1 (8): default/a 4 bound; default/b 4 bound"]);
  parse(Schema, map);
});

Deno.test("cluster map: where members are to go that wait, each until it is held", () => {
  const cluster = clusterOf();
  addNode(cluster, "n1");
  addNode(cluster, "n2");
  const records = ["a-0", "a-1", "a-2"].map((name) => addPod(cluster, 4, { name, gang: "a" }));
  const { kind, requests } = records[0]!;
  const group = new GroupTable(cluster, () => {}).find("default/a")!;
  const taken = [
    { node: "n1", kind, requests, count: 2 },
    { node: "n2", kind, requests, count: 1 },
  ];
  const fit = { members: 3, of: 3 };
  group.attended = {
    ...group.attended,
    plan: { fit, taken, steering: "strict", isShort: false },
  };
  assertEquals(told(mapOf(cluster, [group])), [
    "n1 (8): default/a 8 planned",
    "n2 (8): default/a 4 planned",
  ]);
  cluster.podHeld(records[2]!, callTo("n2", records[2]!));
  assertEquals(told(mapOf(cluster, [group])), [
    "n1 (8): default/a 8 planned",
    "n2 (8): default/a 4 held",
  ]);
});

const levels = topologyLevels("example.com/block,example.com/rack");
/** How many nodes there are, how many of them share a rack and a block, and what is known of them. */
const large: [
  name: string,
  situation: { nodes: number; rack: number; block: number; options?: ClusterOptions },
  expect: { places: number; first: string; last: string },
][] = [
  [
    "a hundred nodes are shown one by one",
    { nodes: 100, rack: 16, block: 64, options: { levels } },
    {
      places: 100,
      first: "b0/r0 n0 (8): default/a 1 bound",
      last: "b1/r6 n99 (8): others 1 bound",
    },
  ],
  ["more by rack", { nodes: 1600, rack: 16, block: 160, options: { levels } }, {
    places: 100,
    first: "b0/r0 16 nodes (128): default/a 16 bound",
    last: "b9/r99 16 nodes (128): others 16 bound",
  }],
  ["by block, where racks are many", { nodes: 5000, rack: 16, block: 160, options: { levels } }, {
    places: 32,
    first: "b0 160 nodes (1280): default/a 100 bound; others 60 bound",
    last: "b31 40 nodes (320): others 40 bound",
  }],
  ["without domains a part of them", { nodes: 5000, rack: 16, block: 160 }, {
    places: 100,
    first: "n0 (8): default/a 1 bound",
    last: "rest 4901 nodes (39208): default/a 1 bound; others 4900 bound",
  }],
];

for (const [name, { nodes, rack, block, options }, expect] of large) {
  Deno.test(`cluster map: ${name}`, () => {
    const cluster = clusterOf(options);
    for (let index = 0; index < nodes; index++) {
      addNode(cluster, `n${index}`, {
        "example.com/rack": `r${Math.floor(index / rack)}`,
        "example.com/block": `b${Math.floor(index / block)}`,
      });
      const gang = index < 100 && index < nodes - 1 ? { gang: "a" } : {};
      addPod(cluster, 1, { name: `p${index}`, nodeName: `n${index}`, ...gang });
    }
    const map = mapOf(cluster);
    const places = told(map);
    assertEquals({ places: places.length, first: places[0], last: places.at(-1) }, expect);
    assertEquals(map.places.reduce((sum, place) => sum + place.nodes, 0), nodes);
    assertEquals(parse(Schema, map), JSON.parse(JSON.stringify(map)));
  });
}

Deno.test("cluster map: domains are those that gangs want to be together in, where no others are named", () => {
  const cluster = clusterOf();
  addNode(cluster, "n1", { rack: "r1", row: "a", "topology.kubernetes.io/zone": "z" });
  addNode(cluster, "n2", { rack: "r2", row: "a", "topology.kubernetes.io/zone": "z" });
  assertEquals(told(mapOf(cluster)), ["z n1 (8)", "z n2 (8)"]);
  const annotations = {
    "muster.scheduling/required-topology": "row",
    "muster.scheduling/preferred-topology": "rack,nowhere",
  };
  addPod(cluster, 1, { name: "a-0", gang: "a", annotations });
  assertEquals(told(mapOf(cluster)), ["a/r1 n1 (8)", "a/r2 n2 (8)"]);
});

Deno.test("cluster map: a gang too many is one of the others, and it stays small", () => {
  const cluster = clusterOf({ levels });
  const block = "b".repeat(63);
  for (let index = 0; index < 100; index++) {
    const name = `n${index}`.padEnd(253, "x");
    addNode(cluster, name, {
      "example.com/rack": `r${index}`.padEnd(63, "x"),
      "example.com/block": block,
    });
    for (let gpus = 0; gpus < 8; gpus++) {
      const gang = `g${index % 20}-${gpus}`.padEnd(63, "x");
      addPod(cluster, 1, {
        name: `${gang}-${index}`,
        namespace: "n".repeat(63),
        gang,
        nodeName: name,
      });
    }
  }
  const map = mapOf(cluster);
  assertEquals(map.gangs.length, 100);
  for (const { gangs, others } of map.places) {
    assert(gangs.length <= 6);
    const named = gangs.reduce((sum, { bound = 0 }) => sum + bound, 0);
    assertEquals(named + (others.bound ?? 0), 8);
  }
  assertLess(JSON.stringify(map).length, 100_000);
  assertEquals(parse(Schema, map), JSON.parse(JSON.stringify(map)));
});

Deno.test("cluster map: a gang whose name can not be told is one of the others", () => {
  const cluster = clusterOf();
  addNode(cluster, "n1");
  addPod(cluster, 1, { name: "a-0", gang: "a", nodeName: "n1" });
  addPod(cluster, 2, { name: "b-0", gang: "b b", nodeName: "n1" });
  const map = mapOf(cluster);
  assertEquals(told(map), ["n1 (8): default/a 1 bound; others 2 bound"]);
  assertEquals(parse(Schema, map).gangs, ["default/a"]);
});

Deno.test("cluster map: the next one shows what has changed since", () => {
  const cluster = clusterOf();
  addNode(cluster, "n1");
  addNode(cluster, "n2");
  const record = addPod(cluster, 2, { name: "a-0", gang: "a" });
  const maps = new ClusterMaps({ cluster, groups: () => [], clock: () => 0 });
  const next = () => told(maps.take(now)!);
  assertEquals(next(), ["n1 (8)", "n2 (8)"]);
  cluster.podHeld(record, callTo("n2", record));
  assertEquals(next(), ["n1 (8)", "n2 (8): default/a 2 held"]);
  cluster.podBound(record, "n2");
  assertEquals(next(), ["n1 (8)", "n2 (8): default/a 2 bound"]);
  cluster.room.nodeDeleted(cluster.room.nodes.get("n1")!);
  assertEquals(next(), ["n2 (8): default/a 2 bound"]);
  cluster.podDeleted(record.pod);
  assertEquals(next(), ["n2 (8)"]);
});

Deno.test("cluster map: after one follows a rest of two hundred times its time, a second at most; none is of no nodes", () => {
  const cluster = clusterOf();
  assertEquals(new ClusterMaps({ cluster, groups: () => [] }).take(now), undefined);
  addNode(cluster, "n1");
  for (const [took, rest] of [[2, 400], [40, 1000]] as const) {
    // When a map is begun and ended, when the next ones are asked for, and when that is made.
    const times = [0, took, took + rest - 1, took + rest, took + rest];
    const maps = new ClusterMaps({ cluster, groups: () => [], clock: () => times.shift()! });
    const isMade = [0, 1, 2].map(() => maps.take(now) !== undefined);
    assertEquals(isMade, [true, false, true]);
  }
});
