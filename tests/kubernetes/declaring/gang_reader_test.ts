import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { membershipOf } from "../../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { at } from "../../support/facts.ts";
import { podGroupOf, podOf, type PodParts } from "../../support/objects.ts";

/** The dialects of labels alone, by their two keys. */
const dialects = {
  sigs: {
    name: "pod-group.scheduling.sigs.k8s.io/name",
    quorum: "pod-group.scheduling.sigs.k8s.io/min-available",
  },
  kep: { name: "pod-group/name", quorum: "pod-group/min-available" },
};

for (const [dialect, keys] of Object.entries(dialects)) {
  const member = (name: string, quorum: string | undefined, more: PodParts = {}) =>
    podOf({
      name,
      ...more,
      labels: { [keys.name]: "tf", ...(quorum !== undefined && { [keys.quorum]: quorum }) },
    });

  Deno.test(`gang reader, ${dialect}: KO-DF-4 name and quorum, with defaults`, () => {
    const only = member("a", "3", { age: 60, priority: 7 });
    assertEquals(readGang([only]), {
      spec: {
        namespace: "default",
        name: "tf",
        minMember: 3,
        priority: 7,
        createdAt: at(-60),
      },
      warnings: [],
      isUniform: true,
      podGroupKinds: [],
      from: { ruling: only, oldest: only, waiting: only },
    });
  });

  Deno.test(`gang reader, ${dialect}: whoever is being deleted says nothing while others go on`, () => {
    const old = member("a", "2", { age: 60, priority: 7 });
    const leaves = { ...old, metadata: { ...old.metadata, deletionTimestamp: at(30) } };
    const { spec, problem } = readGang([leaves, member("b", "4"), member("c", "4")]);
    assertEquals([spec.minMember, spec.priority, problem], [4, 0, undefined]);
    assertEquals(readGang([leaves]).spec.minMember, 2);
  });

  for (
    const [text, minMember] of [["1", 1], ["007", 7], ["999999999", 999999999], [" 3 ", 3]] as const
  ) {
    Deno.test(`gang reader, ${dialect}: quorum "${text}" is ${minMember}`, () => {
      const { spec, problem } = readGang([member("a", text)]);
      assertEquals([spec.minMember, problem], [minMember, undefined]);
    });
  }

  for (const text of ["five", "0", "-1", "2.5", "1e3", "0x2", "", "9999999999", "٣"]) {
    Deno.test(`gang reader, ${dialect}: KO-DF-5 quorum "${text}" is not guessed`, () => {
      const { problem, warnings } = readGang([member("a", text), member("b", text)]);
      assertEquals(problem, {
        reason: "InvalidMinMember",
        message:
          `gang default/tf has no usable quorum: label ${keys.quorum} of pod a is "${text}", ` +
          "but must be a whole number of at least 1",
      });
      assertEquals(warnings, []);
    });
  }

  Deno.test(`gang reader, ${dialect}: a quorum that is missing`, () => {
    assertStringIncludes(
      readGang([member("a", undefined)]).problem?.message ?? "",
      `label ${keys.quorum} of pod a is missing`,
    );
  });

  Deno.test(`gang reader, ${dialect}: KO-DF-3 the oldest pod rules, the others are warned`, () => {
    const { spec, problem, warnings } = readGang([
      member("young", "5", { age: 10 }),
      member("old", "3", { age: 30 }),
      member("alike", "3", { age: 20 }),
    ]);
    assertEquals([spec.minMember, spec.createdAt, problem], [3, at(-30), undefined]);
    assertEquals(warnings.map(({ pod }) => pod.metadata.name), ["young"]);
    assertStringIncludes(warnings[0]!.message, `label ${keys.quorum} "5"`);
    assertStringIncludes(
      warnings[0]!.message,
      `pod old, the oldest one that can, rules with label ${keys.quorum} "3"`,
    );
  });

  Deno.test(`gang reader, ${dialect}: KO-DF-5 the oldest valid quorum rules over older garbage`, () => {
    const { spec, problem, warnings } = readGang([
      member("second", "4", { age: 20 }),
      member("first", "five", { age: 30 }),
      member("third", "2", { age: 10 }),
    ]);
    assertEquals([spec.minMember, spec.createdAt, problem], [4, at(-30), undefined]);
    assertEquals(warnings.map(({ pod }) => pod.metadata.name), ["first", "third"]);
    for (const { message } of warnings) {
      assertStringIncludes(message, "pod second, the oldest one that can, rules");
    }
  });

  Deno.test(`gang reader, ${dialect}: pods of the same second are told apart by name`, () => {
    for (const order of [["a", "b"], ["b", "a"]]) {
      const pods = order.map((name) => member(name, name === "a" ? "2" : "9"));
      assertEquals(readGang(pods).spec.minMember, 2);
    }
  });

  Deno.test(`gang reader, ${dialect}: S1 members of different priorities are refused`, () => {
    const { problem } = readGang([
      member("a", "2", { age: 9, priority: 100 }),
      member("b", "2"),
    ]);
    assertObjectMatch({ ...problem }, { reason: "PriorityConflict" });
    assertStringIncludes(problem!.message, "pod a has 100, pod b has 0");
  });

  Deno.test(`gang reader, ${dialect}: membership needs a name`, () => {
    assertEquals(membershipOf(podOf({ labels: { [keys.quorum]: "2" } })), undefined);
    assertEquals(
      membershipOf(podOf({ labels: { [keys.name]: "", [keys.quorum]: "2" } })),
      undefined,
    );
    const found = membershipOf(member("a", "2", { namespace: "ml" }));
    assertEquals([found?.dialect.name, found?.namespace, found?.name], [dialect, "ml", "tf"]);
  });
}

Deno.test("gang reader: KO-DF-1 a pod without any gang key is a regular pod", () => {
  assertEquals(membershipOf(podOf()), undefined);
  assertEquals(membershipOf(podOf({ labels: { app: "web" } })), undefined);
});

const latest: PodParts = { name: "latest", age: 10 };
const placesInTime: [id: string, others: PodParts[], createdAt: number][] = [
  ["the oldest that waits", [{ name: "older", age: 20 }, { name: "old", age: 30 }], -30],
  ["the oldest that waits, behind a gate too", [{
    age: 30,
    schedulingGates: [{ name: "example.com/later" }],
  }], -30],
  ["of those that wait, though an older one runs", [{ age: 30, nodeName: "n" }], -10],
  ["of those that wait, though an older one leaves", [{ age: 30, isTerminating: true }], -10],
  ["of those that wait, though an older one has ended", [{ age: 30, phase: "Failed" }], -10],
];
for (const [id, others, createdAt] of placesInTime) {
  Deno.test(`gang reader: without a PodGroup a gang's time is that ${id}`, () => {
    const labels = { [dialects.sigs.name]: "tf", [dialects.sigs.quorum]: "2" };
    const pods = [latest, ...others].map((parts) => podOf({ ...parts, labels }));
    assertEquals(readGang(pods).spec.createdAt, at(createdAt));
  });
}

Deno.test("gang reader: a gang that waits for no node is as old as its oldest member", () => {
  const labels = { [dialects.sigs.name]: "tf", [dialects.sigs.quorum]: "2" };
  const pods = [latest, { age: 30 }].map((parts) => podOf({ ...parts, labels, nodeName: "n" }));
  assertEquals(readGang(pods).spec.createdAt, at(-30));
});

Deno.test("gang reader: of two dialects of labels on one pod, that of S1 rules", () => {
  const pod = podOf({
    labels: {
      [dialects.kep.name]: "kep",
      [dialects.kep.quorum]: "2",
      [dialects.sigs.name]: "sigs",
      [dialects.sigs.quorum]: "3",
    },
  });
  assertEquals(membershipOf(pod)?.name, "sigs");
  assertEquals(readGang([pod]).spec.minMember, 3);
});

/** A member by its age, in seconds, and the keys of its dialect. */
type Says = readonly [name: string, age: number, parts: PodParts];

const rackAbove = { "muster.scheduling/required-topology": "rack" };
const hostBelow = { "muster.scheduling/required-topology": "kubernetes.io/hostname" };
const young = { labels: { "pod-group/name": "tf", "pod-group/min-available": "1" } };

/** Members of default/tf in more than one dialect, with a native PodGroup of minCount 8; what it needs, and who is warned. */
const mixed: readonly (readonly [string, Says[], number | string, string[]])[] = [
  [
    "a younger pod with labels does not rule over a PodGroup",
    [
      ["a", 30, { schedulingGroup: { podGroupName: "tf" }, annotations: rackAbove }],
      ["b", 20, { schedulingGroup: { podGroupName: "tf" }, annotations: rackAbove }],
      ["z", 10, { ...young, annotations: hostBelow }],
    ],
    8,
    ["z"],
  ],
  [
    "nor over pods of other labels, of which the oldest one has no quorum",
    [
      ["a", 30, { labels: { [dialects.sigs.name]: "tf" }, annotations: rackAbove }],
      ["z", 20, { ...young, annotations: hostBelow }],
      [
        "b",
        10,
        {
          labels: { [dialects.sigs.name]: "tf", [dialects.sigs.quorum]: "3" },
          annotations: rackAbove,
        },
      ],
    ],
    3,
    ["a", "z"],
  ],
  [
    "nor where nobody of them has one",
    [
      ["a", 30, { labels: { [dialects.sigs.name]: "tf" }, annotations: rackAbove }],
      ["z", 20, { ...young, annotations: hostBelow }],
    ],
    "InvalidMinMember",
    [],
  ],
];

for (const [what, says, needed, warned] of mixed) {
  Deno.test(`gang reader: S3 of several dialects in one gang that of the oldest pod rules: ${what}`, () => {
    const podGroup = podGroupOf({ schedulingPolicy: { gang: { minCount: 8 } } });
    const { spec, problem, warnings } = readGang(
      says.map(([name, age, parts]) => podOf({ ...parts, name, age })),
      { findPodGroup: (kind) => kind.group === "scheduling.k8s.io" ? podGroup : undefined },
    );
    assertEquals([problem?.reason ?? spec.minMember, spec.topology], [needed, {
      required: "rack",
    }]);
    assertEquals(warnings.map(({ pod }) => pod.metadata.name), warned);
  });
}
