import { assertEquals, assertNotEquals } from "@std/assert";
import type { Demand } from "../../../shared/core/plan/demand.ts";
import { leastAmounts } from "../../../shared/core/plan/may_fit.ts";
import { leavesOf, partOf } from "../../../shared/core/plan/part.ts";
import type { GangFacts } from "../../../shared/core/gang/facts.ts";
import type { Candidate } from "../../../shared/core/room/fit.ts";
import { gang, gangOfRoles } from "../../support/facts.ts";
import { groundIn, members, resources } from "../../support/rooms.ts";

const ground = groundIn({ n1: { gpu: 8 }, n2: { gpu: 8 } });

/** What members are planned by that look for room. */
function demandOf(
  facts: GangFacts,
  { candidates, placed = [], needed = candidates.length }: {
    candidates: readonly Candidate[];
    placed?: Demand["placed"];
    needed?: number;
  },
): Demand {
  const none = { minResources: new Map(), evictsBelow: -Infinity };
  return { facts, candidates, placed, needed, ...none };
}

/** Of a role of at least three members: those that look for a node, have one, and have ended well; and what it lacks. */
const roles: [
  id: string,
  members: { pending: number; bound?: number; succeeded?: number },
  lacks: { needed: number; wanted: number; isBroken: boolean },
][] = [
  ["none has a node", { pending: 3 }, { needed: 3, wanted: 3, isBroken: false }],
  ["some have one", { pending: 2, bound: 2 }, { needed: 1, wanted: 1, isBroken: false }],
  ["enough have one", { pending: 1, bound: 3 }, { needed: 0, wanted: 0, isBroken: false }],
  ["too few are there", { pending: 1, bound: 1 }, { needed: 1, wanted: 2, isBroken: true }],
  ["one that succeeded stands for one that is not there", { pending: 1, bound: 1, succeeded: 1 }, {
    needed: 1,
    wanted: 1,
    isBroken: false,
  }],
  ["one that succeeded does not where others can come", { pending: 1, bound: 2, succeeded: 1 }, {
    needed: 1,
    wanted: 1,
    isBroken: false,
  }],
];

for (const [id, { pending, bound = 0, succeeded = 0 }, lacks] of roles) {
  Deno.test(`part: what a role lacks where ${id}`, () => {
    const facts = gangOfRoles({ worker: { min: 3, pending, bound, succeeded } });
    const candidates = members(pending, { gpu: 1 }).map((one) => ({ ...one, role: "worker" }));
    const placed = Array.from({ length: bound }, () => ({
      node: "n1",
      requests: resources({ gpu: 1 }),
      role: "worker",
    }));
    const part = partOf([demandOf(facts, { candidates, placed })], { ground });
    const worker = leavesOf(part).find(({ all }) => all.some(({ role }) => role === "worker"))!;
    const { needed, wanted, isBroken } = worker;
    assertEquals({ needed, wanted, isBroken }, lacks);
  });
}

Deno.test("part: a gang that the composite of its group does not name stands beside it", () => {
  const demands = ["a", "b"].map((name) =>
    demandOf(gang({ name, minMember: 1 }), { candidates: members(1, { gpu: 1 }) })
  );
  const whole = (...children: string[]) => {
    const composite = { name: "parent", topology: {}, children };
    const part = partOf(demands, { ground, composite });
    return part.is === "branch" ? part.parts.map(({ is }) => is) : part.is;
  };
  assertEquals(whole("default/a", "default/b"), ["leaf", "leaf"]);
  assertEquals(whole("default/a"), ["branch", "leaf"]);
});

Deno.test("part: of the gangs of a composite those come first of which a member has a node", () => {
  const named = (name: string, bound: number) =>
    demandOf(gang({ name, minMember: 1 + bound }), {
      candidates: members(1, { gpu: 1 }),
      placed: Array.from({ length: bound }, () => ({
        node: "n1",
        requests: resources({ gpu: 1 }),
      })),
    });
  const order = (...bound: number[]) => {
    const demands = bound.map((count, index) => named(`g${index}`, count));
    const children = demands.map((_, index) => `default/g${index}`);
    const part = partOf(demands, { ground, composite: { name: "all", topology: {}, children } });
    return part.is === "branch" ? part.parts.map(({ name }) => name) : [];
  };
  assertEquals(order(0, 1, 0, 2), ["default/g1", "default/g3", "default/g0", "default/g2"]);
});

Deno.test("part: what the scheduler refused a gang is forgotten with it", () => {
  const candidates = members(2, { gpu: 1 });
  const [{ kind }] = candidates as [Candidate];
  const facts = gang({ minMember: 2 });
  const refused = new Map([[kind, { more: new Map([["n1", 0]]) }]]);
  const demand = demandOf(facts, { candidates });
  const keysOf = (made: Demand, making: { refused?: typeof refused }) =>
    partOf([made], { ground, ...making }).all.map(({ key }) => key);
  const anew = (making: { refused?: typeof refused }) =>
    keysOf(demandOf(facts, { candidates }), making);
  for (const making of [{ refused }, {}, { refused }]) {
    assertEquals(keysOf(demand, making), anew(making));
  }
  assertNotEquals(anew({ refused }), anew({}));
});

Deno.test("part: which kinds are the largest is another question on other nodes", () => {
  const candidates = [...members(1, { gpu: 1 }), ...members(1, { cpu: 1 })];
  const demand = demandOf(gang({ minMember: 2 }), { candidates });
  const firstOn = (free: Record<string, number>) => {
    const [first] = partOf([demand], { ground: groundIn({ n1: free }) }).all;
    return [...first!.requests.keys()];
  };
  assertEquals(firstOn({ gpu: 1, cpu: 9 }), ["gpu"]);
  assertEquals(firstOn({ gpu: 9, cpu: 1 }), ["cpu"]);
});

Deno.test("leastAmounts: members that are needed ask together for no less, whichever they are", () => {
  const least = (needed: number) => {
    const candidates = [
      ...members(2, { gpu: 4 }),
      ...members(2, { gpu: 1 }),
      ...members(1, { cpu: 7 }),
    ];
    const part = partOf([demandOf(gang({ minMember: needed }), { candidates, needed })], {
      ground,
    });
    return Object.fromEntries(leastAmounts(part));
  };
  assertEquals(least(1), { gpu: 0, cpu: 0 });
  assertEquals(least(2), { gpu: 1, cpu: 0 });
  assertEquals(least(4), { gpu: 6, cpu: 0 });
  assertEquals(least(5), { gpu: 10, cpu: 7 });
});
