import { assertEquals } from "@std/assert";
import type { Composite, Topology } from "../../../shared/core/gang/topology.ts";
import { readComposite } from "../../../shared/kubernetes/declaring/composite_pod_group.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { nativePodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import { PodGroups } from "../../../shared/cluster/pod_groups.ts";
import { groupOf, hierarchyOf, type Node, type Trees } from "../../support/composites.ts";
import { podOf } from "../../support/objects.ts";

const both = ["default/a", "default/b"];

/** What gang default/a starts with, the tree that says where, and the topologies around it. */
const readable: readonly {
  is: string;
  trees: Trees;
  groups?: readonly string[];
  composite?: Composite;
  around?: readonly Topology[];
}[] = [
  { is: "a PodGroup without a parent", trees: { a: {} } },
  {
    is: "all groups of one",
    trees: { root: { needs: 2 }, a: { parent: "root" }, b: { parent: "root" } },
    groups: both,
  },
  { is: "the only group of one", trees: { root: { needs: 1 }, a: { parent: "root" } } },
  {
    is: "a topology of the whole",
    trees: { root: { needs: 2, topology: "rack" }, a: { parent: "root" }, b: { parent: "root" } },
    groups: both,
    composite: { name: "root", topology: { required: "rack" }, children: both },
    around: [{ required: "rack" }],
  },
  {
    is: "one within another, each with its place",
    trees: {
      root: { needs: 2, topology: "zone" },
      inner: { parent: "root", needs: 2, topology: "rack" },
      a: { parent: "inner", topology: "host" },
      b: { parent: "inner" },
      c: { parent: "root" },
    },
    groups: [...both, "default/c"],
    composite: {
      name: "root",
      topology: { required: "zone" },
      children: ["default/c", { name: "inner", topology: { required: "rack" }, children: both }],
    },
    around: [{ required: "rack" }, { required: "zone" }],
  },
  {
    is: "a tree without a topology is flat",
    trees: {
      root: { needs: 2 },
      inner: { parent: "root", needs: 1 },
      a: { parent: "inner" },
      b: { parent: "root" },
    },
    groups: both,
  },
  {
    is: "policy basic at the top leaves each group alone",
    trees: { root: { needs: 0 }, a: { parent: "root" }, b: { parent: "root" } },
  },
  {
    is: "below policy basic a group of its own",
    trees: {
      root: { needs: 0 },
      inner: { parent: "root", needs: 2 },
      a: { parent: "inner" },
      b: { parent: "inner" },
      c: { parent: "root" },
    },
    groups: both,
  },
  {
    is: "policy basic with a topology and one group",
    trees: { root: { needs: 0, topology: "rack" }, a: { parent: "root" } },
    composite: { name: "root", topology: { required: "rack" }, children: ["default/a"] },
    around: [{ required: "rack" }],
  },
  {
    is: "fewer needed than there are",
    trees: { root: { needs: 1 }, a: { parent: "root" }, b: { parent: "root" } },
    groups: both,
    composite: { name: "root", min: 1, children: both },
  },
  {
    is: "policy basic with a topology needs one of its groups",
    trees: { root: { needs: 0, topology: "rack" }, a: { parent: "root" }, b: { parent: "root" } },
    groups: both,
    composite: { name: "root", min: 1, topology: { required: "rack" }, children: both },
    around: [{ required: "rack" }],
  },
  {
    is: "a tree that can do without the one within it of which too little is there",
    trees: {
      root: { needs: 1 },
      a: { parent: "root" },
      inner: { parent: "root", needs: 2 },
      b: { parent: "inner" },
    },
    groups: both,
    composite: {
      name: "root",
      min: 1,
      children: ["default/a", { name: "inner", min: 2, children: ["default/b"] }],
    },
  },
  {
    is: "another tree is none of its business",
    trees: {
      root: { needs: 1 },
      a: { parent: "root" },
      other: { needs: 2 },
      b: { parent: "other" },
    },
  },
];

for (const { is, trees, groups, composite, around = [] } of readable) {
  Deno.test(`composite: ${is}`, () => {
    const { runsIn: _, ...read } = readComposite(groupOf("a", trees["a"]!), hierarchyOf(trees));
    assertEquals({ around: [], ...read }, {
      ...(groups && { groups }),
      ...(composite && { composite }),
      around,
    });
  });
}

const chain = (length: number): Trees => ({
  a: { parent: "c1" },
  ...Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `c${index + 1}`,
      { needs: 1, ...(index + 1 < length && { parent: `c${index + 2}` }) },
    ]),
  ),
});
const crowd = (size: number): Trees => ({
  root: { needs: size },
  ...Object.fromEntries(
    Array.from({ length: size }, (_, index) => [index ? `a${index}` : "a", { parent: "root" }]),
  ),
});
const tooDeep =
  "gang default/a is part of more than 3 CompositePodGroups one within another, or in a circle: " +
  "Kubernetes takes neither";

/** Why gang default/a waits. */
const problems: readonly { is: string; trees: Trees; says: string; reason?: string }[] = [
  {
    is: "none of that name",
    trees: { a: { parent: "root" } },
    says:
      'gang default/a waits for its CompositePodGroup: create one named "root", of scheduling.k8s.io',
  },
  {
    is: "none above it of that name",
    trees: { inner: { parent: "root", needs: 1 }, a: { parent: "inner" } },
    says:
      'gang default/a waits for its CompositePodGroup: create one named "root", of scheduling.k8s.io',
  },
  {
    is: "fewer groups than it needs",
    trees: { root: { needs: 2 }, a: { parent: "root" } },
    says:
      'gang default/a waits for CompositePodGroup "root": 1 of the 2 groups that it needs are there',
  },
  {
    is: "a group within it has none yet",
    trees: { root: { needs: 2 }, inner: { parent: "root", needs: 1 }, a: { parent: "root" } },
    says:
      'gang default/a waits for CompositePodGroup "inner": 0 of the 1 groups that it needs are there',
  },
  {
    is: "no number of groups",
    trees: { root: { needs: "two" }, a: { parent: "root" } },
    reason: "InvalidMinMember",
    says: "gang default/a has no usable quorum: spec.schedulingPolicy.gang.minGroupCount of " +
      'CompositePodGroup root is "two", but must be a whole number of at least 1',
  },
  {
    is: "a topology that is no label",
    trees: { root: { needs: 1, topology: "a rack" }, a: { parent: "root" } },
    reason: "InvalidTopology",
    says: "gang default/a has a topology that can not be used: " +
      'spec.schedulingConstraints.topology[0].key of CompositePodGroup root is "a rack", but must be ' +
      'a node label such as "topology.kubernetes.io/zone"',
  },
  { is: "four one within another", trees: chain(4), says: tooDeep },
  {
    is: "four one within another, elsewhere in the tree",
    trees: { ...chain(4), c4: { needs: 2 }, b: { parent: "c1" }, a: { parent: "c4" } },
    says: tooDeep,
  },
  {
    is: "a circle",
    trees: { c1: { needs: 1, parent: "c2" }, c2: { needs: 1, parent: "c1" }, a: { parent: "c1" } },
    says: tooDeep,
  },
  {
    is: "more gangs than a group may have",
    trees: crowd(101),
    says:
      'gang default/a is part of CompositePodGroup "root", which has 101 gangs: a gang group may ' +
      "have 100, and 16000 letters in their names",
  },
];

for (const { is, trees, says, reason = "CompositePodGroup" } of problems) {
  Deno.test(`composite: ${is} is a problem`, () => {
    const { problem, groups } = readComposite(groupOf("a", trees["a"]!), hierarchyOf(trees));
    assertEquals([problem, groups], [{ reason, message: says }, undefined]);
  });
}

Deno.test("composite: three one within another are read", () => {
  const trees = chain(3);
  assertEquals(readComposite(groupOf("a", trees["a"]!), hierarchyOf(trees)).problem, undefined);
});

function gangIn(trees: Trees) {
  const pod = podOf({ schedulingGroup: { podGroupName: "a" } });
  return readGang([pod], {
    findPodGroup: ({ group }) =>
      group === "scheduling.k8s.io" ? groupOf("a", trees["a"]!) : undefined,
    hierarchyOf: () => hierarchyOf(trees),
  });
}

Deno.test("composite: the gang of a native PodGroup names all that start with it", () => {
  const { spec, problem, composite, warnings } = gangIn({
    root: { needs: 2, topology: "rack" },
    a: { parent: "root", topology: "host" },
    b: { parent: "root" },
  });
  assertEquals([spec.groups, spec.topology], [both, { required: "host" }]);
  assertEquals([composite?.topology, problem, warnings], [{ required: "rack" }, undefined, []]);
});

Deno.test("composite: a gang whose tree can not be read waits", () => {
  const { spec, problem } = gangIn({ a: { parent: "root" } });
  assertEquals([spec.groups, problem?.reason], [undefined, "CompositePodGroup"]);
});

Deno.test("composite: where all groups are to leave together a gang leaves as a whole", () => {
  const trees = (disruption: Node["disruption"]): Trees => ({
    root: { needs: 1, ...(disruption && { disruption }) },
    a: { parent: "root" },
  });
  const { spec, runsIn, warnings } = gangIn(trees("all"));
  assertEquals([spec.disruption, warnings], ["gang", []]);
  assertEquals(runsIn, { min: 1, leavesWhole: true, parts: ["default/a"] });
  const apart = gangIn(trees("single"));
  assertEquals([apart.spec.disruption, apart.warnings], ["member", []]);
  assertEquals(apart.runsIn?.leavesWhole, false);
});

Deno.test("composite: one that keeps nothing together does not leave together either, and says so", () => {
  const { spec, runsIn, warnings } = gangIn({
    root: { needs: 0, disruption: "all" },
    a: { parent: "root" },
  });
  assertEquals([spec.disruption, runsIn], ["gang", undefined]);
  assertEquals(warnings.map(({ message }) => message), [
    'spec.disruptionMode of CompositePodGroup root is "all": each of its gangs leaves as a whole, but ' +
    "not all of them together, because it keeps nothing together",
  ]);
});

Deno.test("composite: what is left of each of those one within another is a matter of its own", () => {
  const { runsIn } = gangIn({
    root: { needs: 2, disruption: "all" },
    sub: { needs: 1, parent: "root" },
    a: { parent: "root" },
    b: { parent: "sub" },
    c: { parent: "sub" },
  });
  const sub = { min: 1, leavesWhole: false, parts: ["default/b", "default/c"] };
  assertEquals(runsIn, { min: 2, leavesWhole: true, parts: ["default/a", sub] });
});

const said: [text: string | undefined, native: string | undefined, leavesWhole: boolean][] = [
  [undefined, undefined, true],
  [undefined, "single", false],
  ["gang", "single", true],
  ["member", "all", false],
  ["both", "single", false],
];

for (const [text, native, leavesWhole] of said) {
  Deno.test(`composite: annotated ${text}, of disruptionMode ${native}, it leaves ${leavesWhole ? "" : "not "}as a whole`, () => {
    const { metadata, spec } = groupOf("root", { needs: 1 });
    const annotations = text === undefined ? {} : { "muster.scheduling/disruption": text };
    const disruptionMode = native && { [native]: {} };
    const root = { metadata: { ...metadata, annotations }, spec: { ...spec, disruptionMode } };
    const known = new PodGroups();
    known.compositeChanged(root as never);
    const a = groupOf("a", { parent: "root" });
    known.changed(nativePodGroup, a);
    assertEquals(readComposite(a, known.hierarchyOf("default")).runsIn?.leavesWhole, leavesWhole);
  });
}
