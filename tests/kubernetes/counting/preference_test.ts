import { assertEquals } from "@std/assert";
import { isIndifferent, reservationsOf } from "../../../shared/kubernetes/counting/preference.ts";
import type { Node, Pod, Taint } from "../../../shared/kubernetes/types.ts";
import { podOf } from "../../support/objects.ts";

const term = { topologyKey: "rack" };
const preference = { matchExpressions: [{ key: "gpu", operator: "Exists" }] };
const required = { nodeSelectorTerms: [preference] };
const weighted = { weight: 1, preference };

const said: [string, isIndifferent: boolean, Partial<Pod["spec"]>][] = [
  ["nothing", true, {}],
  ["a node that it must have", true, {
    nodeSelector: { gpu: "yes" },
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  }],
  ["pods that it must be apart from", true, {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
  }],
  ["no rule at all", true, {
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    topologySpreadConstraints: [],
  }],
  ["a node that it prefers", false, {
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [weighted] } },
  }],
  ["pods that it prefers to be near", false, {
    affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{}] } },
  }],
  ["pods that it must be near", false, {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
  }],
  ["pods that it prefers to be apart from", false, {
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{}] } },
  }],
  ["to be spread", false, {
    topologySpreadConstraints: [{ topologyKey: "rack", whenUnsatisfiable: "ScheduleAnyway" }],
  }],
];

for (const [what, expected, spec] of said) {
  Deno.test(`isIndifferent(): a pod says ${what}`, () => {
    assertEquals(isIndifferent(podWith(spec), [nodeWith([])]), expected);
  });
}

const taint: Taint = { key: "spot", value: "yes", effect: "PreferNoSchedule" };

const taints: [string, Taint, Pod["spec"]["tolerations"], expected: boolean][] = [
  ["a taint by which it is the last choice", taint, [], false],
  ["one that the pod tolerates", taint, [{ key: "spot", operator: "Exists" }], true],
  ["one that it tolerates as a rule only", taint, [
    { key: "spot", operator: "Exists", effect: "NoSchedule" },
  ], false],
  ["one that keeps it out", { ...taint, effect: "NoSchedule" }, [], true],
];

for (const [what, taint, tolerations, expected] of taints) {
  Deno.test(`isIndifferent(): one of the nodes has ${what}`, () => {
    const pod = podWith({ tolerations: tolerations ?? [] });
    assertEquals(isIndifferent(pod, [nodeWith([]), nodeWith([taint])]), expected);
    assertEquals(reservationsOf(nodeWith([taint]), pod), expected ? [] : [taint]);
  });
}

function podWith(spec: Partial<Pod["spec"]>): Pod {
  const pod = podOf({ name: "a" });
  return { ...pod, spec: { ...pod.spec, ...spec } };
}

function nodeWith(taints: Taint[]): Node {
  return { metadata: { name: "n", uid: "n" }, spec: { taints } };
}
