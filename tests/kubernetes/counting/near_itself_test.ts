import { assertEquals } from "@std/assert";
import { Gang } from "../../../shared/cluster/gang.ts";
import { recordOf } from "../../../shared/cluster/pod_record.ts";
import { nearItself } from "../../../shared/kubernetes/counting/near_itself.ts";
import type { PodAffinityTerm } from "../../../shared/kubernetes/types.ts";
import { podOf, type PodParts } from "../../support/objects.ts";

const [host, zone] = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"];
const own = { matchLabels: { app: "t" } };

/** A pod with label app=t that is to be where those are that the terms select. */
function near(...terms: PodAffinityTerm[]): PodParts {
  return {
    labels: { app: "t" },
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  };
}

const rows: readonly (readonly [what: string, PodParts, readonly string[]])[] = [
  ["nothing", {}, []],
  ["beside its like", near({ topologyKey: zone, labelSelector: own }), [zone]],
  [
    "beside its like, by several labels: the host first",
    near({ topologyKey: zone, labelSelector: own }, { topologyKey: host, labelSelector: own }),
    [host, zone],
  ],
  ["beside others", near({ topologyKey: zone, labelSelector: { matchLabels: { app: "u" } } }), []],
  [
    "beside its like of another namespace",
    near({ topologyKey: zone, labelSelector: own, namespaces: ["other"] }),
    [],
  ],
  ["beside nobody that is named", near({ topologyKey: zone }), []],
  [
    "beside its like, if possible",
    {
      labels: { app: "t" },
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{
            weight: 1,
            podAffinityTerm: { topologyKey: zone, labelSelector: own },
          }],
        },
      },
    },
    [],
  ],
];

for (const [what, pod, expected] of rows) {
  Deno.test(`near itself: ${what}`, () => assertEquals(nearItself(podOf(pod)), expected));
}

Deno.test("gang: members whose affinity keeps them beside each other prefer its domains, where they say nothing else", () => {
  const labels = {
    app: "t",
    "pod-group.scheduling.sigs.k8s.io/name": "train",
    "pod-group.scheduling.sigs.k8s.io/min-available": "1",
  };
  const topologyOf = (annotations: Record<string, string>) => {
    const gang = new Gang("default/train", {});
    const parts = near({ topologyKey: zone, labelSelector: own });
    gang.memberChanged(recordOf(podOf({ ...parts, labels, annotations }), undefined));
    return gang.read().spec.topology;
  };
  assertEquals(topologyOf({}), { preferred: [zone] });
  assertEquals(topologyOf({ "muster.scheduling/required-topology": "rack" }), { required: "rack" });
});
