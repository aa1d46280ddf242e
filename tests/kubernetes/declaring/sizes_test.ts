import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { parse } from "valibot";
import { GangSpec } from "../../../shared/contract/gang_spec.ts";
import { limits } from "../../../shared/core/gang/limits.ts";
import { membershipOf } from "../../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { koordinator, type PodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import { amountsOf } from "../../../shared/kubernetes/counting/requests.ts";
import { podOf } from "../../support/objects.ts";

function annotated(fields: Record<string, string>) {
  const all = Object.entries({ name: "tf", "min-available": "2", ...fields });
  return podOf({
    annotations: Object.fromEntries(all.map(([field, text]) => [koordinator + field, text])),
  });
}

const many = (count: number, length = 1) =>
  Array.from({ length: count }, (_, index) => `default/${String(index).padStart(length, "g")}`);

Deno.test("sizes: the longest name that a gang may have is one that the contract takes", () => {
  const { spec, problem } = readGang([annotated({ name: "x".repeat(247) })]);
  assertEquals([problem, parse(GangSpec, spec).name.length], [undefined, 247]);
  const { problem: longest } = readGang([annotated({ name: "x".repeat(253) })]);
  assertEquals(longest, undefined);
});

for (const length of [254, 300, 250_000]) {
  Deno.test(`sizes: a name of ${length} letters is a problem, and kept short`, () => {
    const pod = annotated({ name: "x".repeat(length) });
    assertEquals(membershipOf(pod)?.name.length, 254);
    const { problem } = readGang([pod]);
    assertEquals(problem?.reason, "InvalidName");
    assertStringIncludes(problem!.message, "write it with 253 letters at most");
    assertLess(problem!.message.length, limits.sentence);
  });
}

const badGroups: [what: string, groups: string[]][] = [
  ["101 gangs", many(101)],
  ["100 gangs, and itself", many(100)],
  ["an entry of 600 letters", ["default/a", `default/${"g".repeat(600)}`]],
  ["an entry that no gang can be called", ["default/a!"]],
  ["100 long names", many(99, 240)],
  ["250 kB", many(1_000, 240)],
];

for (const [what, groups] of badGroups) {
  Deno.test(`sizes: groups of ${what} are a problem, and not told`, () => {
    const { spec, problem, warnings } = readGang([annotated({ groups: JSON.stringify(groups) })]);
    assertEquals([problem?.reason, spec.groups, warnings], ["InvalidGroups", undefined, []]);
    assertLess(problem!.message.length, limits.sentence);
    parse(GangSpec, spec);
  });
}

Deno.test("sizes: as many groups as there may be are taken", () => {
  const { spec, problem } = readGang([annotated({ groups: JSON.stringify(many(99, 140)) })]);
  assertEquals([problem, parse(GangSpec, spec).groups?.length], [undefined, 100]);
});

Deno.test("sizes: an amount beyond all numbers is as large as the API server's largest", () => {
  assertEquals([...amountsOf({ cpu: "9e999", "nvidia.com/gpu": "2" })], [
    ["cpu", 2 ** 63 - 1],
    ["nvidia.com/gpu", 2],
  ]);
});

Deno.test("sizes: a list that is too long is not read", (t) => {
  const parse = JSON.parse;
  let read = 0;
  JSON.parse = (text: string) => {
    read = Math.max(read, text.length);
    return parse(text);
  };
  try {
    readGang([annotated({ groups: JSON.stringify(many(20_000, 6)) })]);
  } finally {
    JSON.parse = parse;
  }
  assertEquals(read, 0, t.name);
});

Deno.test("sizes: a quorum of 200 kB is quoted in part", () => {
  const { problem } = readGang([annotated({ "min-available": "five".repeat(50_000) })]);
  assertEquals(problem?.reason, "InvalidMinMember");
  assertStringIncludes(problem!.message, 'min-available of pod p is "fivefive');
  assertLess(problem!.message.length, 300);
});

Deno.test("sizes: a duration of 200 kB takes its default, and is quoted in part", () => {
  const { spec, warnings } = readGang([annotated({ "waiting-time": "1s".repeat(100_000) })]);
  assertEquals([spec.waitSeconds, warnings.length], [undefined, 1]);
  assertLess(warnings[0]!.message.length, 300);
});

Deno.test("sizes: members that disagree in 250 kB are told so in less than 1 kB", () => {
  const [a, b] = ["a", "b"].map((letter) => annotated({ groups: letter.repeat(250_000) }));
  const one = { ...a!, metadata: { ...a!.metadata, name: "a".repeat(253) } };
  const { warnings } = readGang([one, {
    ...b!,
    metadata: { ...b!.metadata, name: "b".repeat(253) },
  }]);
  assert(warnings.length > 0);
  for (const { message } of warnings) assertLess(message.length, limits.sentence + 1);
});

const badResources: [what: string, minResources: Record<string, unknown>][] = [
  ["1.4 MB of digits", { cpu: "1".repeat(1_400_000) }],
  ["33 entries", Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`r${i}`, "1"]))],
  ["a name of 100 kB", { ["r".repeat(100_000)]: "1" }],
  ["an entry without a name", { "": "1" }],
];

for (const [what, minResources] of badResources) {
  Deno.test(`sizes: minResources of ${what} are a problem, and not told`, () => {
    const pod = podOf({ labels: { "pod-group.scheduling.sigs.k8s.io": "tf" } });
    const podGroup: PodGroup = {
      apiVersion: "scheduling.sigs.k8s.io/v1alpha1",
      metadata: { name: "tf", namespace: "default", uid: "uid-pg" },
      spec: { minMember: 2, minResources },
    };
    const { spec, problem } = readGang([pod], { findPodGroup: () => podGroup });
    assertEquals([problem?.reason, spec.minResources], ["InvalidMinResources", undefined]);
    assertLess(problem!.message.length, limits.sentence);
    parse(GangSpec, spec);
  });
}
