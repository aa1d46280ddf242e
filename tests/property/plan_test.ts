import { assert, assertEquals, assertGreaterOrEqual, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import type { Role, Topology } from "../../shared/core/gang/topology.ts";
import type { Use } from "../../shared/core/room/fit.ts";
import { planned, type Situation, type WaitingGang } from "../support/planned.ts";
import { runs } from "./runs.ts";
import { isOf, treeOfRoles } from "./sound/roles.ts";
import { gangsOf, leastCost, mayStart, startedIn } from "./sound/trees.ts";

/** Node names to what is free there, its rack and its block. */
const nodes = fc.array(
  fc.record({ free: fc.nat(4), rack: fc.nat(2), block: fc.nat(1) }),
  { minLength: 1, maxLength: 4 },
).map((list) =>
  Object.fromEntries(
    list.map(({ free, rack, block }, index) => [`n${index}`, `${free} b${block}/r${rack}`]),
  )
);

const key = fc.constantFrom("rack", "block", "host");
const topology: fc.Arbitrary<Topology | undefined> = fc.option(
  fc.record({
    required: fc.option(key, { nil: undefined }),
    preferred: fc.option(fc.subarray(["rack", "block"], { minLength: 1 }), { nil: undefined }),
  }),
  { nil: undefined },
);

const apart = ["another member"];
/** Nodes that members may run on; undefined: all. */
const on = fc.constantFrom(undefined, undefined, /n[01]/, /n[12]/, /n0/);
const members = fc.array(
  fc.record({
    count: fc.integer({ min: 1, max: 3 }),
    gpus: fc.integer({ min: 1, max: 3 }),
    exclusive: fc.constantFrom(undefined, undefined, apart),
    on,
  }),
  { minLength: 1, maxLength: 2 },
);

const plainGang = fc.record({ members, topology, missing: fc.nat(2) })
  .map(({ members, topology, missing }): Omit<WaitingGang, "name"> => ({
    members: members.map(({ exclusive, on, ...each }) => ({
      ...each,
      ...(exclusive && { exclusive }),
      ...(on && { on }),
    })),
    topology,
    minMember: Math.max(1, members.reduce((sum, { count }) => sum + count, 0) - missing),
  }));

/** What is said of a role that others may be within; undefined: nothing. */
const around = fc.option(fc.record({ topology, min: fc.nat(2) }), { nil: undefined });

const gangOfRoles = fc.record({
  topology,
  around: fc.record({ a: around, "a/x": around }),
  roles: fc.array(
    fc.record({
      topology,
      min: fc.nat(2),
      more: fc.nat(1),
      gpus: fc.integer({ min: 1, max: 2 }),
      on,
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

/** The gang whose members are of roles of these paths. */
const rolesGang = (...paths: string[]) =>
  gangOfRoles.map(({ topology, around, roles }): Omit<WaitingGang, "name"> => {
    const lowest = roles.map(({ topology, min }, at): Role => ({
      name: paths[at]!,
      min,
      topology,
    }));
    const outer = Object.entries(around).flatMap(([name, said]): Role[] => {
      const within = lowest.some((role) => isOf(role.name, name));
      return said && within ? [{ name, ...said }] : [];
    });
    const all = [...outer, ...lowest];
    const least = leastCost(
      treeOfRoles(all),
      (path) => lowest.find(({ name }) => name === path)!.min,
    );
    return {
      topology,
      members: roles.map(({ min, more, gpus, on }, index) => ({
        count: min + more,
        gpus,
        role: paths[index]!,
        ...(on && { on }),
      })),
      roles: all,
      minMember: Math.max(1, least),
    };
  }).filter(({ minMember }) => Number.isFinite(minMember));

const gang = fc.oneof(plainGang, rolesGang("role0", "role1", "role2"));
const deepGang = rolesGang("a/x/p", "a/x/q", "a/y");

/** A member that is placed. */
interface Seat {
  node: string;
  gpus: number;
  role: string | undefined;
  isApart: boolean;
  /** Where it may run. */
  on: RegExp;
}

/** Whether members may be where they are: one of their nodes, room on each node, and every domain that is required. */
function holds(
  seats: readonly Seat[],
  { nodes, gang }: { nodes: Situation["nodes"]; gang: WaitingGang },
): boolean {
  if (!seats.every(({ node, on }) => on.test(node))) return false;
  for (const [node, text] of Object.entries(nodes)) {
    const there = seats.filter((seat) => seat.node === node);
    if (there.reduce((sum, { gpus }) => sum + gpus, 0) > Number(text.split(" ")[0])) return false;
    if (there.filter(({ isApart }) => isApart).length > 1) return false;
  }
  const isOne = (some: readonly Seat[], topology: Topology | undefined) =>
    !topology?.required ||
    new Set(some.map(({ node }) => domainOf(node, topology, nodes))).size <= 1;
  return isOne(seats, gang.topology) &&
    (gang.roles ?? []).every((role) =>
      isOne(seats.filter((seat) => isOf(seat.role, role.name)), role.topology)
    );
}

/** As the plan tells domains apart: by the levels that are wanted less, too. */
function domainOf(
  node: string,
  { required, preferred = [] }: Topology,
  nodes: Situation["nodes"],
): string {
  const [block, rack] = nodes[node]!.split(" ")[1]!.split("/") as [string, string];
  const values: Record<string, string> = { host: node, rack, block };
  const wanted = preferred.indexOf(required!);
  return (wanted < 0 ? [required!] : preferred.slice(wanted)).map((key) => values[key]).join("/");
}

/** Tries every node for every member, and every choice of members. */
function canStart(nodes: Situation["nodes"], gang: WaitingGang): boolean {
  const all = gang.members.flatMap(({ count, gpus = 1, role, exclusive, on = /./ }) =>
    Array.from({ length: count }, () => ({ gpus, role, isApart: exclusive !== undefined, on }))
  );
  const { roles = [] } = gang;
  const tree = treeOfRoles(roles);
  // Who may not start without others of its role stands for nobody.
  const isWhole = (seats: readonly Seat[]) => {
    const isRoleWhole = (path: string) =>
      seats.filter(({ role }) => role === path).length >=
        roles.find(({ name }) => name === path)!.min;
    const started = new Set(startedIn(tree, isRoleWhole));
    const isIn = new Set(gangsOf(tree));
    const starts = ({ role = "" }: Seat) => !isIn.has(role) || started.has(role);
    return mayStart(tree, isRoleWhole) && seats.filter(starts).length >= gang.minMember!;
  };
  const place = (index: number, seats: readonly Seat[]): boolean => {
    if (!holds(seats, { nodes, gang })) return false;
    if (isWhole(seats)) return true;
    const member = all[index];
    if (!member) return false;
    return Object.keys(nodes).some((node) => place(index + 1, [...seats, { ...member, node }])) ||
      place(index + 1, seats);
  };
  return place(0, []);
}

function seatsOf(uses: readonly Use[]): Seat[] {
  return uses.flatMap(({ node, role, requests, count, kind }) =>
    Array.from({ length: count }, () => ({
      node,
      role,
      gpus: requests.get("gpu")!,
      isApart: requests.size > 1,
      on: new RegExp(JSON.parse(kind)[2] ?? "."),
    }))
  );
}

/** Whether members of one GPU each find nodes that they may run on: one after another, others moving aside for it. */
function canShare(nodes: Situation["nodes"], members: WaitingGang["members"]): boolean {
  const slots = Object.entries(nodes).flatMap(([node, text]) =>
    Array<string>(Number(text)).fill(node)
  );
  const all = members.flatMap(({ count, on = /./ }) => Array<RegExp>(count).fill(on));
  const takenBy = new Map<number, number>();
  const findsPlace = (member: number, seen: Set<number>): boolean =>
    slots.some((node, slot) => {
      if (seen.has(slot) || !all[member]!.test(node)) return false;
      seen.add(slot);
      const other = takenBy.get(slot);
      if (other !== undefined && !findsPlace(other, seen)) return false;
      takenBy.set(slot, member);
      return true;
    });
  return all.every((_, member) => findsPlace(member, new Set()));
}

/** Nodes of a cluster that kinds and roles may run on parts of. */
const shared = fc.record({
  nodes: fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
  members: fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 8 }), on: fc.subarray([..."abcdefghijkl"]) }),
    { minLength: 2, maxLength: 3 },
  ),
  areRoles: fc.boolean(),
}).map(({ nodes, members, areRoles }) => ({
  nodes: Object.fromEntries(nodes.map((gpus, at) => ["abcdefghijkl"[at]!, `${gpus}`])),
  members: members.map(({ count, on }, at) => ({
    count,
    on: new RegExp(`[${on.join("")}]`),
    ...(areRoles && { role: `role${at}` }),
  })),
}));

Deno.test("property: kinds and roles that may run on some nodes only all find theirs wherever there are enough", () => {
  fc.assert(
    fc.property(shared, ({ nodes, members }) => {
      const roles = members.flatMap(({ role: name, count: min }) => name ? [{ name, min }] : []);
      const gang = { name: "g", members, ...(roles.length > 0 && { roles }) };
      const { g } = planned({ nodes, gangs: [gang] });
      assertEquals(g!.taken !== undefined, canShare(nodes, members));
      for (const { node, on } of seatsOf(g!.taken ?? [])) assert(on.test(node));
    }),
    runs(2000),
  );
});

Deno.test("property: a gang is planned exactly if its members can be placed, and then so that all rules hold", () => {
  fc.assert(
    fc.property(nodes, fc.oneof({ weight: 2, arbitrary: gang }, deepGang), (nodes, one) => {
      const gang = { ...one, name: "g" };
      fc.pre(gang.members.reduce((sum, { count }) => sum + count, 0) >= gang.minMember!);
      const { g } = planned({ nodes, gangs: [gang] });
      const seats = seatsOf([...g!.taken ?? [], ...g!.surplus ?? []]);
      assertEquals(g!.taken !== undefined, canStart(nodes, gang));
      assert(holds(seats, { nodes, gang }));
      if (g!.taken) assertLessOrEqual(gang.minMember!, seatsOf(g!.taken).length);
      else assertLessOrEqual(g!.fit.members + 1, g!.fit.of);
    }),
    runs(2000),
  );
});

Deno.test("property: several gangs together never take more than a node has, and the same world gives the same plan", () => {
  fc.assert(
    fc.property(nodes, fc.array(gang, { minLength: 1, maxLength: 4 }), (nodes, list) => {
      const gangs = list.map((gang, index) => ({ ...gang, name: `g${index}` }));
      const plans = planned({ nodes, gangs });
      assertEquals(planned({ nodes, gangs }), plans);
      const taken = Object.values(plans).flatMap((
        { taken = [], surplus = [] },
      ) => [...taken, ...surplus]);
      for (const [node, text] of Object.entries(nodes)) {
        const gpus = seatsOf(taken).filter((seat) => seat.node === node)
          .reduce((sum, seat) => sum + seat.gpus, 0);
        assertLessOrEqual(gpus, Number(text.split(" ")[0]));
      }
    }),
    runs(500),
  );
});

Deno.test("property: what was planned is planned again, also where there is more room", () => {
  fc.assert(
    fc.property(nodes, gang, (nodes, one) => {
      const before = planned({ nodes, gangs: [{ ...one, name: "g" }] })["g"]!;
      fc.pre(before.taken !== undefined);
      const more = { ...nodes, more: "9 b9/r9" };
      const places = [...before.taken!, ...before.surplus ?? []];
      const { g } = planned({
        nodes: more,
        gangs: [{ ...one, name: "g", group: { before: places } }],
      });
      const again = counts([...g!.taken!, ...g!.surplus ?? []]);
      for (const [place, count] of Object.entries(counts(places))) {
        assertGreaterOrEqual(again[place] ?? 0, count, place);
      }
    }),
    runs(500),
  );
});

Deno.test("property: members that come later are where those are that run, where a domain is required", () => {
  fc.assert(
    fc.property(nodes, plainGang, fc.nat(3), (nodes, one, index) => {
      const node = Object.keys(nodes)[index % Object.keys(nodes).length]!;
      const gang = { ...one, name: "g", placed: [node], topology: { required: "rack" } };
      const { g } = planned({ nodes, gangs: [gang] });
      const rack = (name: string) => nodes[name]!.split("/")[1];
      for (const use of [...g!.taken ?? [], ...g!.surplus ?? []]) {
        assertEquals(rack(use.node), rack(node));
      }
    }),
    runs(500),
  );
});

/** So many members of each kind on each node. */
function counts(uses: readonly Use[]): Record<string, number> {
  const byPlace = Map.groupBy(uses, ({ node, kind, role }) => JSON.stringify([node, kind, role]));
  return Object.fromEntries(
    [...byPlace].map(([place, alike]) => [place, alike.reduce((sum, { count }) => sum + count, 0)]),
  );
}
