import { assertEquals } from "@std/assert";
import { membershipOf } from "../../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import {
  koordinator,
  type PodGroup,
  podGroupKinds,
} from "../../../shared/kubernetes/declaring/pod_group.ts";
import { at } from "../../support/facts.ts";
import { podGroupOf, podOf, type PodParts } from "../../support/objects.ts";

/** Finds a PodGroup of one API group only. */
function serving(group: string, object: PodGroup) {
  return (kind: { group: string }, namespace: string, name: string) =>
    kind.group === group && `${namespace}/${name}` === "default/tf" ? object : undefined;
}

/** How a member of each dialect that needs a PodGroup points to default/tf, and how that says minMember 3. */
const withPodGroup: Record<
  string,
  { group: string; member: PodParts; spec: Record<string, unknown>; groups?: string }
> = {
  "sigs PodGroup (S3)": {
    group: "scheduling.sigs.k8s.io",
    member: { labels: { "pod-group.scheduling.sigs.k8s.io": "tf" } },
    spec: { minMember: 3 },
  },
  "scheduler-plugins PodGroup": {
    group: "scheduling.x-k8s.io",
    member: { labels: { "scheduling.x-k8s.io/pod-group": "tf" } },
    spec: { minMember: 3 },
  },
  "kube-batch PodGroup (S4)": {
    group: "incubator.scheduling.k8s.io",
    member: { annotations: { "scheduling.k8s.io/group-name": "tf" } },
    spec: { minMembers: 3 },
    groups: "incubator.scheduling.k8s.io or scheduling.volcano.sh",
  },
  "Volcano PodGroup by kube-batch's annotation": {
    group: "scheduling.volcano.sh",
    member: { annotations: { "scheduling.k8s.io/group-name": "tf" } },
    spec: { minMember: 3 },
    groups: "incubator.scheduling.k8s.io or scheduling.volcano.sh",
  },
  "Volcano PodGroup": {
    group: "scheduling.volcano.sh",
    member: { annotations: { "scheduling.volcano.sh/group-name": "tf" } },
    spec: { minMember: 3 },
  },
  "KAI PodGroup": {
    group: "scheduling.run.ai",
    member: { annotations: { "pod-group-name": "tf" } },
    spec: { minMember: 3 },
  },
  "native PodGroup (KEP-4671)": {
    group: "scheduling.k8s.io",
    member: { schedulingGroup: { podGroupName: "tf" } },
    spec: { schedulingPolicy: { gang: { minCount: 3 } } },
  },
};

for (const [dialect, { group, member, spec, groups }] of Object.entries(withPodGroup)) {
  Deno.test(`dialect, ${dialect}: the gang is its PodGroup's`, () => {
    const read = readGang([podOf(member)], { findPodGroup: serving(group, podGroupOf(spec)) });
    assertEquals(read.problem, undefined);
    assertEquals(
      [read.spec.minMember, read.spec.uid, read.spec.createdAt],
      [3, "uid-pg", at(-600)],
    );
    assertEquals(read.podGroup?.metadata.name, "tf");
  });

  Deno.test(`dialect, ${dialect}: KO-DF-2 before its PodGroup exists the gang is collected and waits`, () => {
    for (const find of [() => undefined, serving("another.group", podGroupOf(spec))]) {
      assertEquals(readGang([podOf(member)], { findPodGroup: find }).problem, {
        reason: "PodGroupNotFound",
        message: `gang default/tf waits for its PodGroup: create one named "tf", of ${
          groups ?? group
        }`,
      });
    }
  });

  Deno.test(`dialect, ${dialect}: of members of different priorities the lowest is the gang's`, () => {
    const launcher = podOf({ ...member, name: "launcher", priority: 1000 });
    const workers = ["a", "b"].map((name) => podOf({ ...member, name, priority: 10 }));
    const { problem, spec: read } = readGang([launcher, ...workers], {
      findPodGroup: serving(group, podGroupOf(spec)),
    });
    assertEquals([problem, read.priority], [undefined, 10]);
  });

  Deno.test(`dialect, ${dialect}: KO-DF-14 an updated PodGroup is read anew`, () => {
    const changed = JSON.parse(JSON.stringify(spec).replace("3", "4"));
    assertEquals(
      readGang([podOf(member)], { findPodGroup: serving(group, podGroupOf(changed)) }).spec
        .minMember,
      4,
    );
  });

  Deno.test(`dialect, ${dialect}: a PodGroup without a usable quorum is named with what is wrong`, () => {
    const broken = JSON.parse(JSON.stringify(spec).replace("3", "0"));
    const { problem } = readGang([podOf(member)], {
      findPodGroup: serving(group, podGroupOf(broken)),
    });
    assertEquals(problem?.reason, "InvalidMinMember");
    assertEquals(problem?.message.includes('of PodGroup tf is "0"'), true, problem?.message);
  });
}

Deno.test("dialect, Volcano: what its PodGroup says beside the quorum", () => {
  const pod = podOf({ annotations: { "scheduling.k8s.io/group-name": "tf" } });
  const object = podGroupOf({ minMember: 2, minResources: { cpu: 4 }, queue: "research" });
  const { spec } = readGang([pod], { findPodGroup: serving("scheduling.volcano.sh", object) });
  assertEquals([spec.minResources, spec.queue], [{ cpu: "4" }, "research"]);
  const long = podGroupOf({ minMember: 2, queue: "q".repeat(1000) });
  assertEquals(
    readGang([pod], { findPodGroup: serving("scheduling.volcano.sh", long) }).spec.queue?.length,
    253,
  );
});

Deno.test("dialect, Volcano: without its quorum the field of its own kind is named", () => {
  const pod = podOf({ annotations: { "scheduling.k8s.io/group-name": "tf" } });
  const { problem } = readGang([pod], {
    findPodGroup: serving("scheduling.volcano.sh", podGroupOf({})),
  });
  assertEquals(
    problem?.message.includes("spec.minMember of PodGroup tf is missing"),
    true,
    problem?.message,
  );
});

Deno.test("dialect, native: a basic policy lets every member go alone", () => {
  const pod = podOf({ schedulingGroup: { podGroupName: "tf" } });
  const basic = podGroupOf({ schedulingPolicy: { basic: {} } });
  assertEquals(
    readGang([pod], { findPodGroup: serving("scheduling.k8s.io", basic) }).spec.minMember,
    1,
  );
});

const sigsMember = podOf({ labels: { "pod-group.scheduling.sigs.k8s.io": "tf" } });

/** KO-DF-16 and S3: seconds of the spec to the gang's wait. */
for (
  const [seconds, wait] of [[undefined, undefined], [0, undefined], [30, 30], [3600, 3600]] as const
) {
  Deno.test(`dialect, sigs PodGroup: KO-DF-16 scheduleTimeoutSeconds ${seconds} is wait ${wait}`, () => {
    const spec = {
      minMember: 2,
      ...(seconds !== undefined && { scheduleTimeoutSeconds: seconds }),
    };
    const read = readGang([sigsMember], {
      findPodGroup: serving("scheduling.sigs.k8s.io", podGroupOf(spec)),
    });
    assertEquals([read.spec.waitSeconds, read.warnings], [wait, []]);
  });
}

Deno.test("dialect, sigs PodGroup: S3 total-number, mode and groups are its annotations", () => {
  const object = podGroupOf({ minMember: 2, minResources: { cpu: "5", memory: "2048Mi" } }, {
    [`${koordinator}total-number`]: "5",
    [`${koordinator}mode`]: "NonStrict",
    [`${koordinator}groups`]: '["team-b/b", "default/tf"]',
  });
  const { spec } = readGang([sigsMember], {
    findPodGroup: serving("scheduling.sigs.k8s.io", object),
  });
  assertEquals(
    [spec.totalMember, spec.mode, spec.groups, spec.minResources],
    [5, "NonStrict", ["default/tf", "team-b/b"], { cpu: "5", memory: "2048Mi" }],
  );
});

Deno.test("dialect, sigs PodGroup: KO-DF-13 annotations that became illegal take their defaults", () => {
  const read = (mode: string, groups: string) =>
    readGang(
      [sigsMember],
      {
        findPodGroup: serving(
          "scheduling.sigs.k8s.io",
          podGroupOf({ minMember: 2 }, {
            [`${koordinator}mode`]: mode,
            [`${koordinator}groups`]: groups,
            [`${koordinator}total-number`]: "1",
          }),
        ),
      },
    );
  const legal = read("NonStrict", '["default/tf", "default/b"]').spec;
  assertEquals([legal.mode, legal.groups], ["NonStrict", ["default/b", "default/tf"]]);
  const { spec, problem, warnings } = read("Loose", "default/b");
  assertEquals([spec.mode, spec.groups, spec.totalMember, problem], [
    undefined,
    undefined,
    2,
    undefined,
  ]);
  assertEquals(warnings.length, 3);
});

Deno.test("dialect: S3 the annotations of a pod overwrite its PodGroup", () => {
  const pod = podOf({
    labels: { "pod-group.scheduling.sigs.k8s.io": "tf" },
    annotations: { [`${koordinator}min-available`]: "4", [`${koordinator}waiting-time`]: "1h30m" },
  });
  const object = podGroupOf({ minMember: 2, scheduleTimeoutSeconds: 60 });
  const { spec } = readGang([pod], { findPodGroup: serving("scheduling.sigs.k8s.io", object) });
  assertEquals([spec.minMember, spec.waitSeconds, spec.uid], [4, 5400, "uid-pg"]);
});

Deno.test("dialect, kube-batch: TotalResources are what must be free (S4)", () => {
  const pod = podOf({ annotations: { "scheduling.k8s.io/group-name": "tf" } });
  const object = podGroupOf({ minMembers: 2, totalResources: { cpu: "6" } });
  const { spec } = readGang([pod], {
    findPodGroup: serving("incubator.scheduling.k8s.io", object),
  });
  assertEquals(spec.minResources, { cpu: "6" });
});

/** A member of the annotation gang default/tf with two members at least, and more annotations. */
function annotated(more: Record<string, string> = {}) {
  const annotations: Record<string, string> = {
    [`${koordinator}name`]: "tf",
    [`${koordinator}min-available`]: "2",
  };
  for (const [name, text] of Object.entries(more)) annotations[koordinator + name] = text;
  return podOf({ annotations });
}

Deno.test("dialect, koordinator: KO-DF-3 annotations alone declare a gang", () => {
  const pod = annotated({
    "total-number": "3",
    mode: "NonStrict",
    "waiting-time": "3600s",
    "match-policy": "only-waiting",
    groups: '["default/tf", "team-b/b"]',
  });
  const { spec, problem, warnings } = readGang([pod]);
  assertEquals([problem, warnings], [undefined, []]);
  assertEquals(spec, {
    namespace: "default",
    name: "tf",
    minMember: 2,
    totalMember: 3,
    mode: "NonStrict",
    waitSeconds: 3600,
    matchPolicy: "only-waiting",
    groups: ["default/tf", "team-b/b"],
    priority: 0,
    createdAt: at(0),
  });
});

Deno.test("dialect, koordinator: S3 gang-groups is another name of groups", () => {
  assertEquals(readGang([annotated({ "gang-groups": '["b/x","a/y"]' })]).spec.groups, [
    "a/y",
    "b/x",
    "default/tf",
  ]);
});

Deno.test("dialect, koordinator: KO-DF-15 a gang group is canonical as a sorted list", () => {
  const { groups } = readGang([annotated({ groups: '["b/x", "default/tf", "a/y", "b/x"]' })]).spec;
  assertEquals(groups, ["a/y", "b/x", "default/tf"]);
});

Deno.test("dialect, koordinator: KO-DF-6 a total below min is min", () => {
  assertEquals(readGang([annotated({ "total-number": "1" })]).spec.totalMember, 2);
});

/** What can not be used takes its default, and the user learns it. */
const malformed: [annotation: string, text: string, must: string][] = [
  ["mode", "strict", 'must be "Strict" or "NonStrict"'],
  ["mode", "", 'must be "Strict" or "NonStrict"'],
  ["waiting-time", "ten minutes", 'must be a duration above 0, such as "600s" or "1h30m"'],
  ["waiting-time", "0s", 'must be a duration above 0, such as "600s" or "1h30m"'],
  ["waiting-time", "-5s", 'must be a duration above 0, such as "600s" or "1h30m"'],
  ["waiting-time", "600", 'must be a duration above 0, such as "600s" or "1h30m"'],
  ["total-number", "many", "must be a whole number of at least 1"],
  ["match-policy", "all", 'must be "once-satisfied", "waiting-and-running" or "only-waiting"'],
  ["groups", "default/tf", 'must be a JSON list such as ["ns/gang-a", "ns/gang-b"]'],
  ["groups", '{"a": 1}', 'must be a JSON list such as ["ns/gang-a", "ns/gang-b"]'],
  ["groups", '["no-namespace"]', 'must be a JSON list such as ["ns/gang-a", "ns/gang-b"]'],
  ["groups", "[1]", 'must be a JSON list such as ["ns/gang-a", "ns/gang-b"]'],
];

const malformedIds: Record<string, string> = {
  mode: "KO-DF-7",
  "waiting-time": "KO-DF-8",
  groups: "KO-DF-9",
};

for (const [annotation, text, must] of malformed) {
  const id = malformedIds[annotation] ?? "S3";
  Deno.test(`dialect, koordinator: ${id} ${annotation} "${text}" takes its default, with a warning`, () => {
    const pod = annotated({ [annotation]: text });
    const { spec, problem, warnings } = readGang([pod]);
    assertEquals(problem, undefined);
    assertEquals(spec, readGang([annotated()]).spec);
    assertEquals(warnings.map(({ message }) => message), [
      `annotation ${koordinator}${annotation} is "${text}", but ${must}: its default is used`,
    ]);
  });
}

for (const text of ["", "[]"]) {
  Deno.test(`dialect, koordinator: KO-DF-17 groups "${text}" is no group`, () => {
    const { spec, warnings } = readGang([annotated({ groups: text })]);
    assertEquals([spec.groups, warnings], [undefined, []]);
  });
}

for (const name of ["TF", "tf_smoke", "-tf", "tf-", "t f", "a/b", "a,default/b", "a".repeat(254)]) {
  Deno.test(`dialect: S3 "${name.slice(0, 20)}" is no name of a gang`, () => {
    const pod = podOf({
      annotations: { [`${koordinator}name`]: name, [`${koordinator}min-available`]: "2" },
    });
    assertEquals(readGang([pod]).problem?.reason, "InvalidName");
  });
}

Deno.test("dialect: KO-DF-1 pods that name no gang are regular, whatever else they carry", () => {
  const regular: PodParts[] = [
    {},
    { labels: { app: "tf", "pod-group/min-available": "3" } },
    { annotations: { [`${koordinator}min-available`]: "3" } },
    { labels: { "pod-group/name": "" } },
    { annotations: { "scheduling.k8s.io/group-name": "" } },
  ];
  assertEquals(regular.map((parts) => membershipOf(podOf(parts))), regular.map(() => undefined));
});

Deno.test("dialect: a pod that speaks several dialects belongs to one gang", () => {
  const pod = podOf({
    labels: { "pod-group/name": "kep", "pod-group.scheduling.sigs.k8s.io/name": "sigs" },
    annotations: { [`${koordinator}name`]: "koordinator" },
  });
  assertEquals(membershipOf(pod)?.name, "koordinator");
});

Deno.test("dialect: native PodGroups are read in the newest version that is served", () => {
  const native = podGroupKinds.find(({ group }) => group === "scheduling.k8s.io");
  assertEquals(native?.versions, ["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2"]);
});
