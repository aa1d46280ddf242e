import { assert, assertEquals } from "@std/assert";
import type { MatchPolicy } from "../../../shared/core/gang/facts.ts";
import { membersOfRoles } from "../../../shared/core/gang/roles.ts";
import type { Composite, Role } from "../../../shared/core/gang/topology.ts";
import { placesOf, planned, rolesOf } from "../../support/planned.ts";

/** `sub0 1, sub1 2`: roles with their minima. */
function roles(text: string): Role[] {
  return text.split(", ").map((role) => {
    const [name, min] = role.split(" ") as [string, string];
    return { name, min: Number(min) };
  });
}

const inOneRack: Composite = {
  name: "parent",
  topology: { required: "rack" },
  children: ["default/pg1", "default/pg2"],
};

Deno.test("plan: PL-C1 all gangs of a composite in the rack that it requires", () => {
  const [plan] = Object.values(planned({
    nodes: { a: "2 r1", b: "2 r1", c: "2 r2", d: "0 r2" },
    composite: inOneRack,
    gangs: [
      { name: "pg1", members: [{ count: 2 }] },
      { name: "pg2", members: [{ count: 2 }] },
    ],
  }));
  assertEquals(placesOf(plan!), { a: 2, b: 2 });
});

Deno.test("plan: PL-C2 a running member decides the rack for all gangs of a composite", () => {
  const [plan] = Object.values(planned({
    nodes: { a: "2 r1", b: "2 r1", c: "2 r2", d: "1 r2" },
    composite: inOneRack,
    gangs: [
      { name: "pg1", members: [{ count: 1 }], placed: ["d"] },
      { name: "pg2", members: [{ count: 2 }] },
    ],
  }));
  assertEquals(placesOf(plan!), { c: 2, d: 1 });
});

Deno.test("plan: PL-C3 no rack has room for both gangs of a composite", () => {
  const [plan] = Object.values(planned({
    nodes: { a: "1 r1", b: "1 r2" },
    composite: inOneRack,
    gangs: [
      { name: "pg1", members: [{ count: 1 }] },
      { name: "pg2", members: [{ count: 1 }] },
    ],
  }));
  assertEquals(plan!.taken, undefined);
  assertEquals([plan!.fit.members, plan!.fit.of], [1, 2]);
});

Deno.test("plan: PL-C9 what can not be whole is left out, and what depends on it", () => {
  const [plan] = Object.values(planned({
    nodes: { a: "20" },
    composite: {
      name: "root",
      min: 2,
      children: [
        { name: "sub1", min: 2, children: ["default/pg1", "default/pg2", "default/pg3"] },
        { name: "sub2", min: 0, children: ["default/pg4", "default/pg5"] },
        { name: "sub3", min: 2, children: ["default/pg6", "default/pg7"] },
      ],
    },
    gangs: [1, 2, 3, 4, 5, 6, 7].map((number) => ({
      name: `pg${number}`,
      members: [{ count: 3, gpus: number === 3 || number === 7 ? 100 : 1, role: `pg${number}` }],
    })),
  }));
  assertEquals(rolesOf(plan!), { pg1: 3, pg2: 3, pg4: 3, pg5: 3 });
});

Deno.test("plan: PL-C12 one of each role, where that is what each needs", () => {
  const { g } = planned({
    nodes: { a: "2" },
    gangs: [{
      name: "g",
      minMember: 2,
      roles: roles("sub0 1, sub1 1"),
      members: [{ count: 2, role: "sub0" }, { count: 2, role: "sub1" }],
    }],
  });
  assertEquals(rolesOf(g!), { sub0: 1, sub1: 1 });
});

Deno.test("plan: PL-C13 what is free goes to the role that lacks its minimum", () => {
  const { g } = planned({
    nodes: { a: "2" },
    gangs: [{
      name: "g",
      minMember: 4,
      roles: roles("sub0 2, sub1 2"),
      members: [{ count: 1, role: "sub0" }, { count: 2, role: "sub1" }],
      placed: ["sub0@a", "sub0@a"],
    }],
  });
  assertEquals(rolesOf(g!), { sub1: 2 });
});

Deno.test("plan: PL-C14 none where the roles do not fit together", () => {
  const { g } = planned({
    nodes: { a: "4" },
    gangs: [{
      name: "g",
      minMember: 3,
      roles: roles("sub0 1, sub1 2"),
      members: [{ count: 2, gpus: 3, role: "sub0" }, { count: 2, role: "sub1" }],
    }],
  });
  assertEquals(g!.taken, undefined);
  assertEquals(g!.fit.of, 3);
});

Deno.test("plan: PL-C16 no surplus member before the second gang is whole", () => {
  const gang = (name: string) => ({
    name,
    minMember: 2,
    roles: roles("sub0 1, sub1 1"),
    members: [{ count: 2, role: "sub0" }, { count: 2, role: "sub1" }],
  });
  const plans = planned({ nodes: { a: "4" }, gangs: [gang("g1"), gang("g2")] });
  for (const plan of Object.values(plans)) assertEquals(rolesOf(plan), { sub0: 1, sub1: 1 });
});

Deno.test("plan: PL-C18 a role that is not needed waits where there is no room for it", () => {
  const situation = (gpus: number) => ({
    nodes: { a: String(gpus) },
    gangs: [{
      name: "g",
      minMember: 2,
      roles: roles("needed 2, optional 0"),
      members: [{ count: 2, role: "needed" }, { count: 1, role: "optional" }],
    }],
  });
  assertEquals(rolesOf(planned(situation(2))["g"]!), { needed: 2 });
  assertEquals(rolesOf(planned(situation(3))["g"]!), { needed: 2, optional: 1 });
});

Deno.test("plan: PL-E1 one of two, where one is enough and there is room for one", () => {
  const { g } = planned({
    nodes: { a: "1" },
    gangs: [{ name: "g", minMember: 1, members: [{ count: 2 }] }],
  });
  assertEquals([g!.taken?.length, g!.surplus, g!.unplaced], [1, [], 1]);
});

Deno.test("plan: each role in one rack of its own, all of them in one block", () => {
  const { g } = planned({
    nodes: { a: "3 b1/r1", b: "1 b1/r2", c: "3 b2/r3", d: "2 b2/r4" },
    gangs: [{
      name: "g",
      topology: { required: "block" },
      roles: [
        { name: "prefill", min: 3, topology: { required: "rack" } },
        { name: "decode", min: 2, topology: { required: "rack" } },
      ],
      members: [{ count: 3, role: "prefill" }, { count: 2, role: "decode" }],
    }],
  });
  const places = g!.taken!.map(({ node, role, count }) => [role, node, count]);
  assertEquals(places.sort(), [["decode", "d", 2], ["prefill", "c", 3]]);
});

Deno.test("plan: a role within a role: one leader and two workers each in their own rack", () => {
  const { g } = planned({
    nodes: { a: "2 r1", b: "3 r2" },
    gangs: [{
      name: "g",
      minMember: 3,
      roles: [
        { name: "decode", min: 2, topology: { required: "rack" } },
        { name: "decode/leaders", min: 1 },
        { name: "decode/workers", min: 2 },
      ],
      members: [{ count: 1, role: "decode/leaders" }, { count: 2, role: "decode/workers" }],
    }],
  });
  assertEquals(placesOf(g!), { b: 3 });
});

/** A gang of roles three levels deep of which nobody declares the one in the middle: free GPUs, and who takes them. */
const undeclared: readonly [free: number, roles: string, taken: Record<string, number>][] = [
  [4, "a 1, a/x/p 2, a/x/q 2, a/y 5", { "a/x/p": 2, "a/x/q": 2 }],
  [3, "a 1, a/x/p 2, a/x/q 2, a/y 3", { "a/y": 3 }],
  [3, "a 1, a/x/p 2, a/x/q 2, a/y 5", {}],
  [4, "a/x/p 2, a/x/q 2, a/y 1", {}],
  [5, "a/x/p 2, a/x/q 2, a/y 1", { "a/x/p": 2, "a/x/q": 2, "a/y": 1 }],
  [3, "a/x 1, a/x/p/s 2, a/x/p/t 2, a/x/q/s 1, a/x/q/t 2", { "a/x/q/s": 1, "a/x/q/t": 2 }],
];

for (const [free, text, taken] of undeclared) {
  Deno.test(`plan: ${free} of ${text} go to ${JSON.stringify(taken)}`, () => {
    const all = roles(text);
    const members = all.filter(({ name }) => !all.some((role) => role.name.startsWith(`${name}/`)))
      .map(({ name, min }) => ({ count: min, role: name }));
    const { g } = planned({
      nodes: { n1: String(free) },
      gangs: [{ name: "g", minMember: membersOfRoles(all), roles: all, members }],
    });
    assertEquals(rolesOf(g!), taken);
  });
}

Deno.test("plan: members that a gang needs beside those of its roles go where their role is", () => {
  const { g } = planned({
    nodes: { a: "2 r1", b: "3 r2", c: "1 r3" },
    gangs: [{
      name: "g",
      minMember: 3,
      roles: [{ name: "worker", min: 1, topology: { required: "rack" } }],
      members: [{ count: 3, role: "worker" }],
    }],
  });
  assertEquals(placesOf(g!), { b: 3 });
});

Deno.test("plan: a role that the gang starts with, though it can do without, goes where all within it find room", () => {
  const { g } = planned({
    nodes: { a: "2 r1", b: "2 r2", c: "1 r2" },
    gangs: [{
      name: "g",
      minMember: 1,
      roles: [
        { name: "pairs", min: 0, topology: { required: "rack" } },
        ...roles("pairs/0/large 1, pairs/0/small 1"),
      ],
      members: [{ count: 1, gpus: 2, role: "pairs/0/large" }, { count: 1, role: "pairs/0/small" }],
    }],
  });
  assertEquals(placesOf(g!), { b: 1, c: 1 });
});

Deno.test("plan: one worker a node, also beside those that run", () => {
  const exclusive = ["another member of gang default/g"];
  const { g } = planned({
    nodes: { a: "8", b: "8", c: "8" },
    gangs: [{ name: "g", minMember: 3, members: [{ count: 3, exclusive }] }],
  });
  assertEquals(placesOf(g!), { a: 1, b: 1, c: 1 });
  const full = planned({
    nodes: { a: "8", b: "8" },
    gangs: [{ name: "g", minMember: 3, members: [{ count: 3, exclusive }] }],
  })["g"]!;
  assertEquals(full.fit, {
    members: 2,
    of: 3,
    shortOf: "nodes that have no such member yet",
    impossible: { scope: "gang", asks: 3, largest: 2 },
  });
});

Deno.test("plan: a kind goes to another node than those where the scheduler refused it", () => {
  const { g } = planned({
    nodes: { a: "1", b: "2" },
    gangs: [{
      name: "g",
      members: [{ count: 1 }],
      group: {
        refused: new Map([[JSON.stringify([1, undefined]), { more: new Map([["a", 0]]) }]]),
      },
    }],
  });
  assertEquals(placesOf(g!), { b: 1 });
});

Deno.test("plan: an earlier place is kept while it holds, and left when it does not", () => {
  const use = { kind: JSON.stringify([1, undefined]), requests: new Map([["gpu", 1]]) };
  const before = [{ ...use, node: "b", count: 1 }, { ...use, node: "c", count: 1 }];
  const nodes = { a: "2", b: "3", c: "3" };
  const gangs = [{ name: "g", members: [{ count: 2 }], group: { before } }];
  assertEquals(placesOf(planned({ nodes, gangs })["g"]!), { b: 1, c: 1 });
  const without = planned({ nodes: { ...nodes, c: "0" }, gangs })["g"]!;
  assertEquals(placesOf(without), { a: 2 });
  assert(planned({ nodes: { a: "2" }, gangs })["g"]!.taken);
});

Deno.test("plan: nobody begins in a role that lacks another one which is within it", () => {
  const placedOf = (matchPolicy: MatchPolicy) => {
    const gang = {
      name: "g",
      minMember: 1,
      placed: ["b"],
      members: [{ count: 1, role: "a/x/p" }],
      roles: roles("a 0, a/x/p 0, a/x/q 1"),
    };
    const world = { settings: { matchPolicy } };
    return rolesOf(planned({ nodes: { a: "1", b: "0" }, gangs: [gang], world })["g"]!);
  };
  assertEquals(placedOf("waiting-and-running"), {});
  assertEquals(placedOf("once-satisfied"), { "a/x/p": 1 }, "of the other there is none any more");
});
