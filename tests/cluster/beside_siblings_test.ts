import { assertEquals } from "@std/assert";
import { mayRunBeside } from "../../shared/cluster/beside_siblings.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import { attendedSince } from "../../shared/core/attend/attended.ts";
import type { Composite } from "../../shared/core/gang/topology.ts";
import { podOf, type PodParts } from "../support/objects.ts";

const nodes = {
  "r1-1": { rack: "r1", zone: "z1" },
  "r1-2": { rack: "r1", zone: "z1" },
  "r2-1": { rack: "r2", zone: "z1" },
  "r3-1": { rack: "r3", zone: "z2" },
  "none": {},
};
const byRack = { "muster.scheduling/required-topology": "rack" };
const ofRole = (role: string, more: object = {}) => ({
  "muster.scheduling/role": role,
  "muster.scheduling/role-min": "a/x=1,b=1",
  "muster.scheduling/role-required-topology": "a=rack",
  ...more,
});
const inZone = { "muster.scheduling/required-topology": "zone" };

interface Case {
  /** What the member that asks says. */
  annotations: Record<string, string>;
  siblings?: Record<string, PodParts>;
  /** A sibling was sent there. */
  sentTo?: Record<string, string>;
  composite?: Composite;
  runs: string[];
}

const cases: Record<string, Case> = {
  "nothing is required": { annotations: {}, siblings: { s: on("r1-1") }, runs: Object.keys(nodes) },
  "no sibling has a node": {
    annotations: byRack,
    siblings: { s: {} },
    runs: ["r1-1", "r1-2", "r2-1", "r3-1"],
  },
  "a sibling has one": {
    annotations: byRack,
    siblings: { s: on("r1-1"), waits: {} },
    runs: ["r1-1", "r1-2"],
  },
  "a sibling was sent to one": {
    annotations: byRack,
    siblings: { s: {} },
    sentTo: { s: "r2-1" },
    runs: ["r2-1"],
  },
  "one was sent elsewhere than to where another is": {
    annotations: byRack,
    siblings: { s: {}, t: on("r1-1") },
    sentTo: { s: "r2-1" },
    runs: ["r1-1", "r1-2"],
  },
  "the member itself was sent to one": {
    annotations: byRack,
    sentTo: { own: "r2-1" },
    runs: ["r1-1", "r1-2", "r2-1", "r3-1"],
  },
  "a sibling's node is gone": { annotations: byRack, siblings: { s: on("gone") }, runs: [] },
  "a sibling is in no rack": {
    annotations: byRack,
    siblings: { s: on("none") },
    runs: ["r1-1", "r1-2", "r2-1", "r3-1"],
  },
  "its role is in a rack": {
    annotations: ofRole("a/x"),
    siblings: {
      s: { ...on("r1-1"), annotations: ofRole("a/x") },
      t: { ...on("r2-1"), annotations: ofRole("b") },
    },
    runs: ["r1-1", "r1-2"],
  },
  "another role is in a rack": {
    annotations: ofRole("b", inZone),
    siblings: { s: { ...on("r1-1"), annotations: ofRole("a/x", inZone) } },
    runs: ["r1-1", "r1-2", "r2-1"],
  },
  "another gang of its composite is in a zone": {
    annotations: {},
    siblings: { s: { ...on("r1-1"), labels: labelsOf("other") } },
    composite: {
      name: "c",
      children: [{
        name: "d",
        topology: { required: "zone" },
        children: ["default/g", "default/other"],
      }],
    },
    runs: ["r1-1", "r1-2", "r2-1"],
  },
};

function on(nodeName: string): PodParts {
  return { nodeName, phase: "Running" };
}

function labelsOf(gang: string) {
  return { "pod-group/name": gang, "pod-group/min-available": "1" };
}

for (
  const [what, { annotations, siblings = {}, sentTo = {}, composite, runs }] of Object.entries(
    cases,
  )
) {
  Deno.test(`mayRunBeside(): ${what}`, () => {
    const nothing = () => {};
    const cluster = new Cluster({
      podChanged: nothing,
      podGroupChanged: nothing,
      roomChanged: nothing,
    }, { schedulerNames: ["muster"] });
    for (const [name, labels] of Object.entries(nodes)) {
      cluster.room.nodeChanged({ metadata: { name, uid: name, labels }, spec: {}, status: {} });
    }
    const parts = { schedulerName: "muster", labels: labelsOf("g"), annotations };
    cluster.podChanged(podOf({ ...parts, name: "own" }));
    for (const [name, own] of Object.entries(siblings)) {
      cluster.podChanged(podOf({ ...parts, ...own, name }));
    }
    const groups = new GroupTable(cluster, nothing);
    const gangs = ["default/g", "default/other"].flatMap((gang) => groups.find(gang)?.gangs ?? []);
    let attended = attendedSince("default/g", 0);
    for (const [name, node] of Object.entries(sentTo)) {
      attended = { ...attended, nominated: attended.nominated.with(`uid-${name}`, node) };
    }
    const allows = mayRunBeside(cluster.pods.get("uid-own")!, {
      group: { gangs, composite, attended },
      cluster,
    });
    assertEquals(Object.keys(nodes).filter(allows), runs);
  });
}
