import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Role } from "../../../shared/core/gang/topology.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { declaresSame } from "../../../shared/kubernetes/declaring/member.ts";
import type { PodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { podGroupOf, podOf } from "../../support/objects.ts";

const label = "scheduling.x-k8s.io/pod-group";

/** A member of gang default/tf by what it says of roles, without the prefix. */
function member(name: string, says: Record<string, string>, quorum?: string): Pod {
  const entries = Object.entries(says).map(([key, text]) => [`muster.scheduling/${key}`, text]);
  const minAvailable = "gang.scheduling.koordinator.sh/min-available";
  return podOf({
    name,
    labels: { [label]: "tf" },
    annotations: { ...Object.fromEntries(entries), ...(quorum && { [minAvailable]: quorum }) },
  });
}

function rolesOf(members: Pod[], found?: PodGroup) {
  return readGang(members, { findPodGroup: () => found ?? podGroupOf({ minMember: 2 }) });
}

const ps = { role: "ps", "role-min": "1" };
const worker = { role: "worker", "role-min": "2" };

/** What members say, and the gang's roles. */
const rows: readonly (readonly [string, Record<string, string>[], Role[]])[] = [
  ["each role by its members", [ps, worker, worker], [
    { name: "ps", min: 1 },
    { name: "worker", min: 2 },
  ]],
  ["a role without a minimum is optional", [{ role: "ps" }], [{ name: "ps", min: 0 }]],
  ["roles that other members name", [{ ...ps, "role-min": "ps=1,worker=2" }], [
    { name: "ps", min: 1 },
    { name: "worker", min: 2 },
  ]],
  ["roles that a younger member names, as a launcher does that comes last", [
    { role: "worker" },
    { ...ps, "role-min": "ps=1,worker=2" },
  ], [{ name: "ps", min: 1 }, { name: "worker", min: 2 }]],
  [
    "a role within another, which needs all that are within it",
    [{ role: "decode/leaders", "role-min": "1" }, { role: "decode/workers", "role-min": "3" }, {
      role: "decode/workers",
      "role-required-topology": "decode=rack",
    }],
    [
      { name: "decode", min: 2, topology: { required: "rack" } },
      { name: "decode/leaders", min: 1 },
      { name: "decode/workers", min: 3 },
    ],
  ],
  [
    "a role within one that nobody speaks of, and that within another, which needs it",
    [{ role: "decode/a/leaders", "role-min": "1" }, {
      role: "decode/a/workers",
      "role-min": "3",
      "role-required-topology": "decode=rack",
    }],
    [
      { name: "decode", min: 1, topology: { required: "rack" } },
      { name: "decode/a/leaders", min: 1 },
      { name: "decode/a/workers", min: 3 },
    ],
  ],
  [
    "a role of which some roles are enough",
    [{ role: "decode/a", "role-min": "decode=1,1" }, { role: "decode/b", "role-min": "1" }],
    [{ name: "decode", min: 1 }, { name: "decode/a", min: 1 }, { name: "decode/b", min: 1 }],
  ],
  ["places", [{
    ...ps,
    "role-required-topology": "rack",
    "role-preferred-topology": "x,y,worker=z,v",
    "role-topology-slice": "worker=kubernetes.io/hostname=2",
  }], [
    { name: "ps", min: 1, topology: { required: "rack", preferred: ["x", "y"] } },
    {
      name: "worker",
      min: 0,
      topology: { preferred: ["z", "v"], slice: { key: "kubernetes.io/hostname", members: 2 } },
    },
  ]],
];

for (const [what, says, roles] of rows) {
  Deno.test(`roles: ${what}`, () => {
    const members = says.map((said, index) => member(`m-${index}`, said));
    const { spec, problem, warnings, roleOf } = rolesOf(members);
    assertEquals([spec.roles, problem, warnings], [roles, undefined, []]);
    assertEquals(members.map((pod) => roleOf?.(pod)), says.map((said) => said["role"]));
  });
}

Deno.test("roles: a gang without any has none", () => {
  const { spec, roleOf } = rolesOf([member("a", {})]);
  assertEquals([spec.roles, roleOf], [undefined, undefined]);
});

Deno.test("roles: annotations of the PodGroup name them, and members win over them", () => {
  const said = podGroupOf({ minMember: 2 }, { "muster.scheduling/role-min": "ps=2,worker=2" });
  const { spec } = rolesOf([member("a", ps), member("b", { role: "worker" })], said);
  assertEquals(spec.roles, [{ name: "ps", min: 1 }, { name: "worker", min: 2 }]);
});

/** minMember as it is written, and as it is. */
for (const [written, minMember] of [[undefined, 3], ["2", 3], ["5", 5]] as const) {
  Deno.test(`roles: minMember ${written} of roles that ask for 3 is ${minMember}`, () => {
    const members = [member("a", ps, written), member("b", worker, written)];
    const { spec, problem } = rolesOf(members, podGroupOf({}));
    assertEquals([spec.minMember, problem], [minMember, undefined]);
  });
}

Deno.test("roles: a place for a role around others changes nothing of what these need", () => {
  const says = (more: Record<string, string>) => [
    member("l", { role: "decode/a/leaders", "role-min": "1", ...more }),
    member("w", { role: "decode/a/workers", "role-min": "3" }),
  ];
  for (const more of [{}, { "role-required-topology": "decode=rack" }]) {
    const { spec, problem } = rolesOf(says(more), podGroupOf({}));
    assertEquals([spec.minMember, problem], [4, undefined]);
  }
});

Deno.test("roles: of pods that disagree the older one rules, and the other is told", () => {
  const { spec, warnings } = rolesOf([member("a", ps), member("b", { ...ps, "role-min": "2" })]);
  assertEquals(spec.roles, [{ name: "ps", min: 1 }]);
  assertEquals(warnings.map(({ pod, message }) => [pod.metadata.name, message]), [[
    "b",
    'pod b says of role "ps" annotation muster.scheduling/role-min "2", but an older pod rules with "1"',
  ]]);
});

/** What can not be used: the gang waits. */
const unusable: readonly (readonly [Record<string, string>[], string])[] = [
  [
    [{ role: "a b" }],
    'annotation muster.scheduling/role is "a b", but must be a name, or at most 8 names joined by slashes, of letters, ' +
    "digits, dashes, underscores and dots",
  ],
  [[{ role: "a/b/c/d/e/f/g/h/i" }], "must be a name, or at most 8 names joined by slashes"],
  [[{ role: "/a" }], 'is "/a", but must be a name'],
  [[{ role: "a", "role-min": "two" }], 'is "two", but must be a whole number of at least 0'],
  [[{ role: "a", "role-required-topology": "?" }], 'is "?", but must be a node label'],
  [
    [{ role: "a", "role-topology-slice": "x=0" }],
    'is "x=0", but must be a node label and a number',
  ],
  [[{ role: "a/b" }, { role: "a" }], 'pod m-1 is of role "a", which has roles within it'],
  [[{ role: "a/b/c" }, { role: "a" }], 'pod m-1 is of role "a", which has roles within it'],
  [[{ role: "a/b/c" }, { role: "a/b" }], 'pod m-1 is of role "a/b", which has roles within it'],
  [[{ role: "a", "role-min": "b c=1" }], 'is "b c", but must be a name'],
  [
    [{ role: "a", "role-min": Array.from({ length: 70 }, (_, index) => `r${index}=1`).join() }],
    "it has more than 64 roles",
  ],
];

for (const [says, message] of unusable) {
  Deno.test(`roles: ${JSON.stringify(says).slice(0, 80)} can not be used`, () => {
    const { problem } = rolesOf(says.map((said, index) => member(`m-${index}`, said)));
    assertEquals(problem?.reason, "InvalidRoles");
    assertStringIncludes(
      problem!.message,
      `gang default/tf has roles that can not be used: `,
    );
    assertStringIncludes(problem!.message, message);
  });
}

Deno.test("roles: a minimum without a role, and a wish that can not be read, are told and not used", () => {
  const { spec, problem, warnings } = rolesOf([
    member("a", { "role-min": "2" }),
    member("b", { role: "x", "role-preferred-topology": "y z" }),
  ]);
  assertEquals([spec.roles, problem], [[{ name: "x", min: 0 }], undefined]);
  assertEquals(warnings.map(({ message }) => message), [
    'annotation muster.scheduling/role-min is "2", but names no role, and pod a has none',
    'annotation muster.scheduling/role-preferred-topology is "y z", but must be at most 16 node labels, such as ' +
    '"rack,block": it is not used',
  ]);
});

Deno.test("roles: a PodGroup has no role of its own", () => {
  const said = podGroupOf({ minMember: 2 }, { "muster.scheduling/role-min": "2" });
  assertStringIncludes(
    rolesOf([member("a", {})], said).problem?.message ?? "",
    'is "2", but names no role: write it as "workers=2"',
  );
});

Deno.test("roles: a pod whose role changes declares something else", () => {
  assertEquals(declaresSame(member("a", ps), member("a", { ...ps })), true);
  assertEquals(declaresSame(member("a", ps), member("a", worker)), false);
});
