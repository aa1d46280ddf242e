import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { needsOf } from "../../shared/cluster/pod_needs.ts";
import { podOf } from "../support/objects.ts";

const rows: readonly (readonly [resources: number, areShared: boolean])[] = [[2, true], [
  1000,
  false,
]];

for (const [resources, areShared] of rows) {
  Deno.test(`needsOf(): pods of one kind ${areShared ? "share" : "do not share"} what they ask for where that are ${resources} resources`, () => {
    const requests = Object.fromEntries(
      Array.from({ length: resources }, (_, at) => [`example.com/r${at}`, "1"]),
    );
    const [a, b] = [1, 2].map(() => needsOf(podOf({ containers: [{ resources: { requests } }] })));
    assertEquals(a, b);
    assertEquals(a === b, areShared);
  });
}

const beside = (app: string, topologyKey = "kubernetes.io/os") => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        topologyKey,
        labelSelector: { matchLabels: { app } },
      }],
    },
  },
});
const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        topologyKey: "rack",
        labelSelector: { matchLabels: { app: "other" } },
      }],
    },
  },
};
const spread = (whenUnsatisfiable: string) => ({
  topologySpreadConstraints: [{ topologyKey: "rack", whenUnsatisfiable }],
});
const claims = (...names: string[]) => ({ resourceClaims: names.map((name) => ({ name })) });

/** What two pods that ask for the same say besides, and whether the one is refused by no rule that the other is not. */
const besides: readonly (readonly [what: string, areOfOne: boolean, one: object, other: object])[] =
  [
    ["only the one must be beside another pod", false, {}, beside("anchor")],
    ["they must be beside different pods", true, beside("anchor-1"), beside("anchor-2")],
    ["one must be beside it in a narrower domain", false, beside("a"), beside("a", "rack")],
    ["only the one must be apart from others", false, {}, apart],
    ["only the one must be spread", false, {}, spread("DoNotSchedule")],
    ["the one would rather be spread", true, {}, spread("ScheduleAnyway")],
    ["only the one has a claim", false, {}, claims("gpu")],
    ["they have different claims", true, claims("gpu-1"), claims("gpu-2")],
  ];

for (const [what, areOfOne, ...specs] of besides) {
  Deno.test(`needsOf(): what the scheduler refuses one pod does${areOfOne ? "" : " not"} count for another where ${what}`, () => {
    const [one, other] = specs.map((spec) => needsOf(podOf({ containers: [{}], ...spec })).kind);
    assert((one === other) === areOfOne);
  });
}

Deno.test("needsOf(): what a pod keeps from is short, and what differs in the end is not the same", () => {
  const [a, again, b] = ["a", "a", "b"].map((last) => {
    const values = [...Array.from({ length: 50 }, () => "v".repeat(63)), last];
    const labelSelector = { matchExpressions: [{ key: "app", operator: "In", values }] };
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector };
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    return needsOf(podOf({ labels: { app: last }, affinity: { podAntiAffinity } })).exclusive;
  });
  assertEquals([a!.length, a![0]!.length < 100], [1, true]);
  assertEquals(a, again);
  assertNotEquals(a, b);
});
