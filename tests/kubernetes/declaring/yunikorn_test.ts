import { assertEquals } from "@std/assert";
import { forgottenName } from "../../../shared/kubernetes/declaring/forgotten_name.ts";
import { membershipOf } from "../../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { podOf, type PodParts } from "../../support/objects.ts";

const prefix = "yunikorn.apache.org/";
const head = { name: "head", minMember: 1 };
const workers = { name: "workers", minMember: 4 };

function annotationsOf(taskGroup: string, list: unknown): Record<string, string> {
  return {
    [`${prefix}task-group-name`]: taskGroup,
    [`${prefix}task-groups`]: typeof list === "string" ? list : JSON.stringify(list),
  };
}

/** A worker of application ray-1. */
function worker(list: unknown, more: PodParts = {}) {
  return podOf({
    labels: { applicationId: "ray-1" },
    annotations: annotationsOf("workers", list),
    ...more,
  });
}

Deno.test("YuniKorn: a task group is a gang, and the application's task groups are a gang group", () => {
  const { spec, problem } = readGang([worker([head, workers])]);
  assertEquals(problem, undefined);
  assertEquals([spec.name, spec.minMember], ["ray-1_workers", 4]);
  assertEquals(spec.groups, ["default/ray-1_head", "default/ray-1_workers"]);
});

Deno.test("YuniKorn: an application of one task group is a gang alone", () => {
  assertEquals(readGang([worker([workers])]).spec.groups, undefined);
});

/** Where the application is named; the first rules. */
const applications: [parts: PodParts, gang: string | undefined][] = [
  [{ annotations: { [`${prefix}app-id`]: "a" }, labels: { applicationId: "b" } }, "a_workers"],
  [{ labels: { [`${prefix}app-id`]: "a", applicationId: "b" } }, "a_workers"],
  [{ labels: { applicationId: "b", "spark-app-selector": "c" } }, "b_workers"],
  [{ labels: { "spark-app-selector": "c" } }, "c_workers"],
  [{}, undefined],
];

for (const [{ labels = {}, annotations = {} }, gang] of applications) {
  Deno.test(`YuniKorn: the gang of ${JSON.stringify({ labels, annotations })} is ${gang}`, () => {
    const all = { ...annotationsOf("workers", [workers]), ...annotations };
    const pod = podOf({ labels, annotations: all });
    assertEquals(membershipOf(pod)?.name, gang);
    assertEquals(forgottenName(pod)?.includes("label applicationId"), gang ? undefined : true);
  });
}

/** Lists that have no usable quorum of task group workers, and what is said. */
const unusable: [list: unknown, says: string][] = [
  ["no JSON", "is missing"],
  [{ name: "workers" }, "is missing"],
  [[head], "is missing"],
  [[null, 3, { minMember: 4 }], "is missing"],
  [[{ name: "workers" }], 'is ""'],
  [[{ name: "workers", minMember: "four" }], 'is ""four""'],
  [[{ name: "workers", minMember: 0 }], 'is "0"'],
];

for (const [list, says] of unusable) {
  Deno.test(`YuniKorn: of task groups ${JSON.stringify(list)} no quorum is guessed`, () => {
    const { problem } = readGang([worker(list)]);
    assertEquals(problem?.reason, "InvalidMinMember");
    const field = `minMember of its task group in annotation ${prefix}task-groups of pod p ${says}`;
    assertEquals(problem?.message.includes(field), true, problem?.message);
  });
}
