import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Topology } from "../../../shared/core/gang/topology.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { topologyLevels } from "../../../shared/kubernetes/declaring/topology_level.ts";
import { podGroupOf, podOf } from "../../support/objects.ts";

const levels = topologyLevels("zone,block,rack");
const sigs = "pod-group.scheduling.sigs.k8s.io";

/** A gang of one pod with these annotations. */
function annotated(annotations: Record<string, string>) {
  const labels = { [`${sigs}/name`]: "tf", [`${sigs}/min-available`]: "1" };
  return readGang([podOf({ name: "a", labels, annotations })], { levels });
}

const gathering = "gang.scheduling.koordinator.sh/network-topology-spec";

/** What Koordinator writes for layers. */
function layers(...strategies: [layer: string, strategy: string][]): Record<string, string> {
  const gatherStrategy = strategies.map(([layer, strategy]) => ({ layer, strategy }));
  return { [gathering]: JSON.stringify({ gatherStrategy }) };
}

/** What is written, and where the gang is to run. */
const rows: readonly (readonly [string, Record<string, string>, Topology | undefined])[] = [
  ["nothing", {}, undefined],
  ["a required level", { "muster.scheduling/required-topology": "rack" }, { required: "rack" }],
  ["a label that is no level", { "muster.scheduling/required-topology": "example.com/cell" }, {
    required: "example.com/cell",
  }],
  ["preferred levels, which go on with those above", {
    "muster.scheduling/preferred-topology": "rack",
  }, { preferred: ["rack", "block", "zone"] }],
  ["preferred levels in an order of their own", {
    "muster.scheduling/preferred-topology": "block, rack",
  }, { preferred: ["block", "rack", "zone"] }],
  ["slices", { "muster.scheduling/topology-slice": "rack=3" }, {
    slice: { key: "rack", members: 3 },
  }],
  ["everything", {
    "muster.scheduling/required-topology": "zone",
    "muster.scheduling/preferred-topology": "x,y",
    "muster.scheduling/topology-slice": " kubernetes.io/hostname=2 ",
  }, {
    required: "zone",
    preferred: ["x", "y"],
    slice: { key: "kubernetes.io/hostname", members: 2 },
  }],
  ["Kueue's required level", { "kueue.x-k8s.io/podset-required-topology": "rack" }, {
    required: "rack",
  }],
  ["Kueue's preferred level", { "kueue.x-k8s.io/podset-preferred-topology": "block" }, {
    preferred: ["block", "zone"],
  }],
  ["Kueue's slices", {
    "kueue.x-k8s.io/podset-required-topology": "block",
    "kueue.x-k8s.io/podset-slice-required-topology": "rack",
    "kueue.x-k8s.io/podset-slice-size": "4",
  }, { required: "block", slice: { key: "rack", members: 4 } }],
  ["Muster's words rather than Kueue's", {
    "muster.scheduling/required-topology": "rack",
    "kueue.x-k8s.io/podset-required-topology": "zone",
  }, { required: "rack" }],
  ["Koordinator's layers that must", layers(["block", "MustGather"], ["rack", "MustGather"]), {
    required: "rack",
  }],
  [
    "Koordinator's layers that must and that are preferred",
    layers(["zone", "MustGather"], ["block", "PreferGather"], ["rack", "PreferGather"]),
    { required: "zone", preferred: ["rack", "block", "zone"] },
  ],
  ["Koordinator's layer of a node", layers(["NodeTopologyLayer", "PreferGather"]), {
    preferred: ["kubernetes.io/hostname"],
  }],
];

for (const [what, annotations, topology] of rows) {
  Deno.test(`topology: ${what}`, () => {
    const { spec, problem, warnings } = annotated(annotations);
    assertEquals([spec.topology, problem, warnings], [topology, undefined, []]);
  });
}

/** What can not be read and may be a must: the gang waits, and is told. */
const unusable: readonly (readonly [Record<string, string>, string])[] = [
  [
    { "muster.scheduling/required-topology": "the rack" },
    'annotation muster.scheduling/required-topology is "the rack", but must be a node label such as ' +
    '"topology.kubernetes.io/zone"',
  ],
  [{ "muster.scheduling/required-topology": "" }, 'is "", but must be a node label'],
  [{ "muster.scheduling/topology-slice": "rack" }, "must be a node label and a number of members"],
  [{ "muster.scheduling/topology-slice": "rack=0" }, 'is "rack=0", but must'],
  [{ "kueue.x-k8s.io/podset-slice-required-topology": "rack" }, 'with slice-size is "rack="'],
  [{ [gathering]: "{" }, "must be JSON"],
  [{ [gathering]: '{"topologyLayers":["rack"]}' }, "must be JSON such as"],
  [layers(["rack", "Gather"]), "must be JSON such as"],
  [layers(["spine", "MustGather"]), 'must name layers of --topology-levels, not "spine"'],
  [{ "muster.scheduling/required-topology": "r".repeat(100_000) }, "must be a node label"],
];

for (const [annotations, says] of unusable) {
  const [text = ""] = Object.values(annotations);
  Deno.test(`topology: ${text.slice(0, 60)} can not be used, and is not guessed`, () => {
    const { spec, problem } = annotated(annotations);
    assertEquals([problem?.reason, spec.topology], ["InvalidTopology", undefined]);
    assertStringIncludes(problem!.message, "gang default/tf has a topology that can not be used: ");
    assertStringIncludes(problem!.message, says);
  });
}

/** What can not be read and is only a wish. */
const ignored: readonly (readonly [Record<string, string>, string])[] = [
  [
    { "muster.scheduling/preferred-topology": "rack,,block" },
    'annotation muster.scheduling/preferred-topology is "rack,,block", but must be at most 16 node labels, such as ' +
    '"rack,block": it is not used',
  ],
  [layers(["spine", "PreferGather"]), 'not "spine": it is not used'],
];

for (const [annotations, says] of ignored) {
  Deno.test(`topology: a wish that can not be read is none: ${says}`, () => {
    const { spec, problem, warnings } = annotated(annotations);
    assertEquals([problem, spec.topology, warnings.length], [undefined, undefined, 1]);
    assertStringIncludes(warnings[0]!.message, says);
  });
}

/** PodGroup default/tf, and a member of it that Kubernetes itself knows. */
function nativeGang(spec: Record<string, unknown>, more: {
  noted?: Record<string, string>;
  annotations?: Record<string, string>;
}) {
  const gang = { schedulingPolicy: { gang: { minCount: 1 } } };
  const podGroup = podGroupOf({ ...gang, ...spec }, more.noted);
  const { annotations = {} } = more;
  const member = podOf({ annotations, schedulingGroup: { podGroupName: "tf" } });
  return readGang([member], { findPodGroup: () => podGroup, levels });
}

Deno.test("topology: a native PodGroup's constraint is required", () => {
  const spec = { schedulingConstraints: { topology: [{ key: "rack" }] } };
  assertEquals(nativeGang(spec, {}).spec.topology, { required: "rack" });
});

Deno.test("topology: annotations of a PodGroup win over its spec, and those of pods over both", () => {
  const spec = { schedulingConstraints: { topology: [{ key: "rack" }] } };
  const noted = { "muster.scheduling/required-topology": "block" };
  const annotations = { "muster.scheduling/required-topology": "zone" };
  assertEquals(nativeGang(spec, { noted }).spec.topology, { required: "block" });
  assertEquals(nativeGang(spec, { noted, annotations }).spec.topology, { required: "zone" });
});

Deno.test("topology levels are node labels, the widest first, and may have names", () => {
  assertEquals(topologyLevels("zone, BlockLayer=example.com/block"), [
    { name: "zone", key: "zone" },
    { name: "BlockLayer", key: "example.com/block" },
  ]);
});

for (
  const [text, says] of [
    ["", '"" must be a node label, or <name>=<node label>'],
    ["zone,,rack", '"" must be a node label'],
    ["a=b=c", '"a=b=c" must be'],
    ["=rack", '"=rack" must be'],
    ["rack,rack", '"rack" is there twice'],
    ["a=x,a=y", '"a" is there twice'],
  ] as const
) {
  Deno.test(`topology levels "${text}" are refused`, () => {
    assertStringIncludes(
      assertThrows(() => topologyLevels(text), RangeError).message,
      `Cannot read topology levels "${text}": ${says}`,
    );
  });
}
