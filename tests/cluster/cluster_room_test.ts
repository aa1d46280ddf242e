import { assertEquals } from "@std/assert";
import { worldOf } from "../../shared/cluster/planned_world.ts";
import { podOf } from "../support/objects.ts";
import { clusterOf, groupOf, now } from "../support/planned_gangs.ts";

/** Terms of one requirement, which the last one alone meets. */
function affinity(terms: number) {
  const nodeSelectorTerms = Array.from({ length: terms }, (_, at) => ({
    matchFields: [{
      key: "metadata.name",
      operator: "In",
      values: [at === terms - 1 ? "a" : `x${at}`],
    }],
  }));
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}

Deno.test("ClusterRoom: a pod that says by more than 1,000 rules where it may run runs nowhere", () => {
  const cluster = clusterOf({ nodes: { a: 1 }, pods: [] });
  const mayRun = (terms: number) => {
    cluster.podChanged(podOf({ name: `p${terms}`, affinity: affinity(terms) }));
    return cluster.room.mayRunOn(cluster.pods.get(`uid-p${terms}`)!, "a");
  };
  assertEquals([500, 501].map(mayRun), [true, false]);
});

Deno.test("worldOf(): plans are told of members for which much is to be looked at where they may run", () => {
  const rulesOf = (terms: number) => {
    const cluster = clusterOf({ nodes: { a: 1 }, pods: [] });
    const gang = { name: "g", size: 1, gpus: 1, spec: { affinity: affinity(terms) } };
    const world = worldOf([groupOf(gang, cluster)], {
      cluster,
      backfill: { reservations: 0, backfillMs: 0 },
      settings: { matchPolicy: "once-satisfied" },
      evicts: false,
      now,
    });
    return world.waiting[0]!.gangs()[0]!.candidates[0]!.rules;
  };
  assertEquals([1, 50].map(rulesOf), [undefined, 100]);
});
