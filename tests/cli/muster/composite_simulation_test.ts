import { assertEquals, assertStringIncludes } from "@std/assert";
import { noObjects, readManifests } from "../../../cli/muster/simulation/manifests.ts";
import { simulate } from "../../../cli/muster/simulation/simulation.ts";
import { withManifests } from "../../../cli/muster/simulation/what_if.ts";
import { backfillOf } from "../../../shared/core/gang/backfill.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { at, now } from "../../support/facts.ts";

/** Verdicts about manifests on nodes with so many GPUs in racks. */
function verdictsOf(
  manifests: string,
  nodes: readonly [name: string, gpus: number, rack: string][],
) {
  const read = (text: string) =>
    readManifests([{ name: "f.yaml", text }], { namespace: "default", now: at(0) });
  const cluster = withManifests(
    noObjects(),
    read(
      nodes.map(([name, gpus, rack]) => `
---
kind: Node
metadata: { name: ${name}, labels: { rack: ${rack} } }
status: { allocatable: { cpu: "8", pods: "20", nvidia.com/gpu: "${gpus}" } }`).join(""),
    ),
  );
  return simulate(withManifests(cluster, read(manifests)), {
    settings: profiles.default,
    now,
    backfill: backfillOf("timed")!,
  });
}

/** A native PodGroup of pods with a GPU each, in a CompositePodGroup. */
function inComposite(name: string, size: number): string {
  const pods = Array.from({ length: size }, (_, index) => `
---
kind: Pod
metadata: { name: ${name}-${index} }
spec:
  schedulingGroup: { podGroupName: ${name} }
  containers: [{ resources: { limits: { nvidia.com/gpu: 1 } } }]`);
  return `
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: { name: ${name} }
spec:
  parentCompositePodGroupName: whole
  schedulingPolicy: { gang: { minCount: ${size} } }${pods.join("")}`;
}

const wholeInRack = `
---
apiVersion: scheduling.k8s.io/v1alpha3
kind: CompositePodGroup
metadata: { name: whole }
spec:
  schedulingPolicy: { gang: { minGroupCount: 2 } }
  schedulingConstraints: { topology: [{ key: rack }] }`;

Deno.test("simulate: PodGroups of a CompositePodGroup start together, in the rack that it asks for", () => {
  const manifests = wholeInRack + inComposite("ps", 2) + inComposite("workers", 2);
  const [verdict, ...others] = verdictsOf(manifests, [
    ["a", 2, "r1"],
    ["b", 3, "r2"],
    ["c", 1, "r2"],
  ]);
  assertEquals(verdict!.gangs, ["default/ps", "default/workers"]);
  assertEquals([verdict!.starts, verdict!.domains, others], [true, ["rack r2"], []]);
  const [waiting] = verdictsOf(manifests, [["a", 3, "r1"], ["b", 3, "r2"]]);
  assertEquals(waiting!.starts, false);
  assertStringIncludes(waiting!.message, "rack r1 has room for 3 of 4");
});

Deno.test("simulate: a CompositePodGroup that is not there is told", () => {
  const [verdict] = verdictsOf(inComposite("ps", 1), [["a", 1, "r1"]]);
  assertEquals([verdict!.starts, verdict!.reason], [false, "InvalidGang"]);
  assertStringIncludes(verdict!.message, "waits for its CompositePodGroup: create one named");
});

Deno.test("simulate: a CompositePodGroup starts without a PodGroup that it does not need, and says what that lacks", () => {
  const one = wholeInRack.replace("minGroupCount: 2", "minGroupCount: 1");
  const manifests = one + inComposite("ps", 2) + inComposite("workers", 2);
  const [verdict] = verdictsOf(manifests, [["a", 3, "r1"]]);
  assertEquals([verdict!.starts, Object.keys(verdict!.nodes)], [true, [
    "default/ps-0",
    "default/ps-1",
  ]]);
  assertStringIncludes(
    verdict!.leftOut!.join(),
    "gang default/workers needs room for 2 more members and finds it for 1",
  );
});
