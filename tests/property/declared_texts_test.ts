import { assert, assertEquals, assertLess } from "@std/assert";
import fc from "fast-check";
import { safeParse } from "valibot";
import { GangFacts } from "../../shared/contract/schemas.ts";
import { prefilter } from "../../shared/core/stage/prefilter.ts";
import { emptyState } from "../../shared/core/stage/state.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { isSendable } from "../../shared/core/attend/unsendable.ts";
import { takeCensus } from "../../shared/kubernetes/counting/census.ts";
import { membershipOf } from "../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../shared/kubernetes/declaring/gang_reader.ts";
import { koordinator, type PodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { now } from "../support/facts.ts";
import { podOf } from "../support/objects.ts";
import { runs } from "./runs.ts";

/** What is read of a pod, and what is not. */
const labels = [
  "pod-group.scheduling.sigs.k8s.io",
  "pod-group.scheduling.sigs.k8s.io/name",
  "pod-group.scheduling.sigs.k8s.io/min-available",
  "pod-group/name",
  "pod-group/min-available",
  "scheduling.x-k8s.io/pod-group",
  "leaderworkerset.sigs.k8s.io/name",
  "applicationId",
  "app",
];
const annotations = [
  ...["name", "min-available", "total-number", "mode", "waiting-time", "match-policy", "groups"]
    .map((field) => koordinator + field),
  `${koordinator}gang-groups`,
  "scheduling.k8s.io/group-name",
  ...["required-topology", "preferred-topology", "topology-slice"].flatMap((field) => [
    `muster.scheduling/${field}`,
    `muster.scheduling/role-${field}`,
  ]),
  "muster.scheduling/role",
  "muster.scheduling/role-min",
  "kueue.x-k8s.io/podset-slice-required-topology",
  `${koordinator}network-topology-spec`,
  "scheduling.volcano.sh/group-name",
  "pod-group-name",
  "yunikorn.apache.org/task-group-name",
  "yunikorn.apache.org/task-groups",
  "leaderworkerset.sigs.k8s.io/leader-name",
  "leaderworkerset.sigs.k8s.io/size",
];

/** Texts that mean something, any others, and long ones of both. */
const id = fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-zA-Z._-]{1,8}$/))
  .map((parts) => parts.join("/"));
const short = fc.oneof(
  fc.constantFrom("tf", "2", "NonStrict", "1h", "only-waiting", "a/b", "Team_A", "", "null", "[]"),
  fc.constantFrom(
    "rack",
    "zone,rack",
    "rack=2",
    "ps=2,worker=1",
    "worker=rack=3",
    "decode/leaders",
  ),
  fc.array(fc.record({ name: fc.constantFrom("tf", "2", "a/b"), minMember: fc.integer() }))
    .map((groups) => JSON.stringify(groups)),
  fc.array(id, { maxLength: 120 }).map((ids) => JSON.stringify(ids)),
  fc.string({ unit: "binary" }),
);
const text = fc.oneof(
  { weight: 4, arbitrary: short },
  {
    weight: 1,
    arbitrary: fc.tuple(short, fc.constantFrom(65, 254, 600, 20_001, 200_000))
      .map(([part, length]) => (part || "x").repeat(Math.ceil(length / (part.length || 1)))),
  },
  {
    weight: 1,
    arbitrary: fc.array(id, { minLength: 90, maxLength: 130 }).map((ids) => JSON.stringify(ids)),
  },
);

const pod: fc.Arbitrary<Pod> = fc.record({
  name: fc.stringMatching(/^[a-z]{1,253}$/),
  labels: fc.dictionary(fc.constantFrom(...labels), text, { maxKeys: 3 }),
  annotations: fc.dictionary(fc.constantFrom(...annotations), text, { maxKeys: 6 }),
  priority: fc.constantFrom(0, 0, 0, 7, -(2 ** 31)),
  age: fc.nat(100),
}).map(podOf);

const podGroup: fc.Arbitrary<PodGroup> = fc.record({
  apiVersion: fc.constant("v1"),
  metadata: fc.record({
    name: fc.constant("tf"),
    namespace: fc.constant("default"),
    uid: fc.uuid(),
    annotations: fc.dictionary(fc.constantFrom(...annotations), text, { maxKeys: 4 }),
  }),
  spec: fc.dictionary(
    fc.constantFrom(
      "minMember",
      "minMembers",
      "minResources",
      "totalResources",
      "scheduleTimeoutSeconds",
      "schedulingPolicy",
    ),
    fc.oneof(text, fc.nat(), fc.jsonValue(), fc.dictionary(text, text, { maxKeys: 40 })),
  ) as fc.Arbitrary<Record<string, unknown>>,
});

const declared = fc.tuple(
  fc.array(pod, { minLength: 1, maxLength: 3 }),
  fc.option(podGroup, { nil: undefined }),
);

Deno.test("property: whatever users write, the facts keep to the contract and every sentence is short", () => {
  let sent = 0;
  fc.assert(
    fc.property(declared, ([pods, group]) => {
      const [first] = pods;
      const gang = membershipOf(first!);
      const members = pods.filter((pod) => gang && membershipOf(pod)?.name === gang.name);
      if (members.length === 0) return;
      const { spec, problem, warnings } = readGang(members, { findPodGroup: () => group });
      const sentences = [...warnings.map(({ message }) => message), problem?.message ?? ""];
      for (const sentence of sentences) assertLess(new TextEncoder().encode(sentence).length, 1024);
      const census = takeCensus(members.map((pod) => ({ pod })));
      const facts = { gang: spec, census, held: [], ...(problem && { problem }) };
      if (!isSendable(spec)) return assertEquals(problem?.reason, "InvalidName");
      sent++;
      const { success, issues } = safeParse(GangFacts, facts);
      assert(success, issues?.[0].message);
      const event = {
        stage: "prefilter",
        group: { relay: { id: "r", epoch: 1 }, gangs: [facts] },
        settings: profiles.default,
      } as const;
      const { message } = prefilter(emptyState, event, now);
      assertLess(new TextEncoder().encode(message).length, 1024);
    }),
    runs(2000),
  );
  assert(sent > 0);
});
