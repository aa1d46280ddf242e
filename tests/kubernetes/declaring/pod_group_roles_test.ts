import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Role, Topology } from "../../../shared/core/gang/topology.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { topologyLevels } from "../../../shared/kubernetes/declaring/topology_level.ts";
import { at } from "../../support/facts.ts";
import { podOf, type PodParts } from "../../support/objects.ts";

const levels = topologyLevels("zone,block,rack");

/** A member of Volcano's PodGroup default/tf. */
function volcano(task?: string): PodParts {
  const annotations = {
    "scheduling.k8s.io/group-name": "tf",
    ...(task !== undefined && { "volcano.sh/task-spec": task }),
  };
  return { name: task ?? "p", annotations };
}

/** A member of KAI's PodGroup default/tf. */
function kai(subgroup?: string): PodParts {
  const labels = subgroup === undefined ? {} : { "kai.scheduler/subgroup-name": subgroup };
  return { name: subgroup ?? "p", labels, annotations: { "pod-group-name": "tf" } };
}

/** What is read of PodGroup default/tf of an API group. */
function read(group: string, spec: Record<string, unknown>, members: PodParts[]) {
  const podGroup = {
    apiVersion: "any/v1",
    metadata: { namespace: "default", name: "tf", uid: "uid-pg", creationTimestamp: at(-600) },
    spec,
  };
  const pods = members.map(podOf);
  const gang = readGang(pods, {
    findPodGroup: (kind) => kind.group === group ? podGroup : undefined,
    levels,
  });
  return { ...gang, rolesOfMembers: pods.map((pod) => gang.roleOf?.(pod)) };
}

const ofVolcano = "scheduling.volcano.sh";
const ofKai = "scheduling.run.ai";

Deno.test("roles, Volcano: minTaskMember by the tasks of its pods", () => {
  const spec = { minMember: 3, minTaskMember: { ps: 1, worker: 2 } };
  const gang = read(ofVolcano, spec, [volcano("ps"), volcano("worker"), volcano("chief")]);
  assertEquals(gang.spec.roles, [{ name: "ps", min: 1 }, { name: "worker", min: 2 }]);
  assertEquals(gang.rolesOfMembers, ["ps", "worker", undefined]);
  assertEquals([gang.problem, gang.warnings], [undefined, []]);
});

/** minMember of a PodGroup whose tasks need 2 and 4, the roles' names, and the gang's minMember. */
const elastic: readonly (readonly [number | undefined, string[] | undefined, number])[] = [
  [3, undefined, 3],
  [1, undefined, 1],
  [5, undefined, 5],
  [6, ["ps", "worker"], 6],
  [7, ["ps", "worker"], 7],
  [0, ["ps", "worker"], 6],
  [undefined, ["ps", "worker"], 6],
];

for (const [minMember, names, needed] of elastic) {
  Deno.test(`roles, Volcano: minMember ${minMember} of tasks that need 6 is ${needed}`, () => {
    const spec = { minMember, minTaskMember: { ps: 2, worker: 4 } };
    const gang = read(ofVolcano, spec, [volcano("ps"), volcano("worker")]);
    assertEquals(gang.spec.roles?.map(({ name }) => name), names);
    assertEquals([gang.spec.minMember, gang.problem], [needed, undefined]);
  });
}

Deno.test("roles, Volcano: tasks without minTaskMember are no roles", () => {
  const gang = read(ofVolcano, { minMember: 2 }, [volcano("ps"), volcano("worker")]);
  assertEquals([gang.spec.roles, gang.roleOf], [undefined, undefined]);
});

Deno.test("roles, Volcano: a minTaskMember that is no number is not guessed", () => {
  const { problem } = read(ofVolcano, { minMember: 2, minTaskMember: { ps: "few" } }, [volcano()]);
  assertStringIncludes(problem?.message ?? "", 'spec.minTaskMember is "few", but must be a whole');
});

Deno.test("roles, Volcano: a minMember that is no number says nothing of tasks", () => {
  const spec = { minMember: { toString: 1 }, minTaskMember: { ps: 2 } };
  const gang = read(ofVolcano, spec, [volcano("ps")]);
  assertEquals(gang.spec.roles?.map(({ name }) => name), ["ps"]);
  assertStringIncludes(gang.problem?.message ?? "", "spec.minMember");
});

/** Volcano's networkTopology, and where the gang is to run. */
const tiers: readonly (readonly [Record<string, unknown>, Topology | undefined, string?])[] = [
  [{ mode: "hard", highestTierAllowed: 1 }, { required: "rack" }],
  [{ mode: "hard", highestTierAllowed: 2 }, {
    required: "block",
    preferred: ["rack", "block", "zone"],
  }],
  [{ mode: "hard", highestTierName: "zone" }, {
    required: "zone",
    preferred: ["rack", "block", "zone"],
  }],
  [{ mode: "soft" }, { preferred: ["rack", "block", "zone"] }],
  [{ mode: "hard", highestTierAllowed: 4 }, undefined, "must name a tier of --topology-levels"],
  [{ mode: "hard", highestTierAllowed: { toString: 1 } }, undefined, "must name a tier of"],
  [{ mode: "hard" }, undefined, "must name a tier of --topology-levels, which has 3"],
  [{ mode: "firm" }, undefined, 'must have mode "hard" or "soft"'],
];

for (const [networkTopology, topology, says] of tiers) {
  Deno.test(`topology, Volcano: ${JSON.stringify(networkTopology)}`, () => {
    const { spec, problem } = read(ofVolcano, { minMember: 1, networkTopology }, [volcano()]);
    assertEquals([spec.topology, problem?.reason], [topology, says && "InvalidTopology"]);
    assertStringIncludes(problem?.message ?? "", says ?? "");
  });
}

Deno.test("roles, KAI: subGroups, one within another, each with its place", () => {
  const subGroups = [
    { name: "decode", topologyConstraint: { requiredTopologyLevel: "block" } },
    { name: "leaders", parent: "decode", minMember: 1 },
    {
      name: "workers",
      parent: "decode",
      minMember: 2,
      topologyConstraint: { topology: "t", preferredTopologyLevel: "rack" },
    },
    { name: "prefill", minMember: 0 },
  ];
  const topologyConstraint = { topology: "t", requiredTopologyLevel: "zone" };
  const members = [kai("leaders"), kai("workers"), kai("prefill"), kai()];
  const gang = read(ofKai, { minMember: 0, subGroups, topologyConstraint }, members);
  const roles: Role[] = [
    { name: "decode", min: 2, topology: { required: "block" } },
    { name: "decode/leaders", min: 1 },
    { name: "decode/workers", min: 2, topology: { preferred: ["rack"] } },
    { name: "prefill", min: 0 },
  ];
  assertEquals([gang.spec.roles, gang.spec.topology], [roles, { required: "zone" }]);
  assertEquals(gang.rolesOfMembers, ["decode/leaders", "decode/workers", "prefill", undefined]);
  assertEquals([gang.spec.minMember, gang.problem], [3, undefined]);
});

Deno.test("roles, KAI: so many subGroups are enough as a parent says", () => {
  const subGroups = [
    { name: "any", minSubGroup: 1 },
    { name: "a", parent: "any", minMember: 4 },
    { name: "b", parent: "any", minMember: 2 },
  ];
  const { spec } = read(ofKai, { subGroups }, [kai("a"), kai("b")]);
  assertEquals([spec.roles?.[0], spec.minMember], [{ name: "any", min: 1 }, 2]);
});

Deno.test("roles, KAI: parents in a circle can not be used", () => {
  const subGroups = [{ name: "a", parent: "b" }, { name: "b", parent: "a" }];
  const { problem } = read(ofKai, { minMember: 1, subGroups }, [kai("a")]);
  assertStringIncludes(problem?.message ?? "", 'is "a circle of parents", but must be a name');
});
