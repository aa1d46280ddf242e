import { assertEquals } from "@std/assert";
import { type Mover, Spare } from "../../../shared/core/attend/spare.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";

const now = 1_000_000;
const requests = new Map([["gpu", 2]]);

const member = (uid: string, group = "a"): Mover => ({ uid, group, kind: "worker", requests });

/** Group a is planned for one member on n1, and d on n3; on n2 there is room for one, on n3 for two, on n4 for none. */
function spareAfterPlan(): Spare {
  const left = new Map([["n1", 0], ["n2", 3], ["n3", 4], ["n4", 1]]);
  const taken = [{ node: "n1", kind: "worker", requests, count: 1 }];
  const plan: Plan = { fit: { members: 1, of: 1 }, taken, isShort: false };
  const spare = new Spare();
  const elsewhere = { ...plan, taken: [{ ...taken[0]!, node: "n3" }] };
  spare.planned({
    spare: (node) => left.has(node) ? new Map([["gpu", left.get(node)!]]) : undefined,
    byGroup: new Map([["a", plan], ["d", elsewhere]]),
  });
  return spare;
}

function open(spare: Spare, mover: Mover): string[] {
  return ["n1", "n2", "n3", "n4", "n5"].filter(spare.roomFor(mover));
}

Deno.test("spare: a member goes where it is planned, or where something is left when all others have what is planned", () => {
  const spare = spareAfterPlan();
  assertEquals(open(spare, member("a1")), ["n1", "n2", "n3"]);
  assertEquals(open(spare, member("b1", "b")), ["n2", "n3"]);
});

Deno.test("spare: to be filled first is where a member is planned, or else where it leaves least", () => {
  const spare = spareAfterPlan();
  const first = (mover: Mover) => spare.fullestOf(mover, ["n1", "n2", "n3", "n4", "n5"]);
  assertEquals([first(member("a1")), first(member("b1", "b"))], ["n1", "n2"]);
  assertEquals(first(member("d1", "d")), "n3");
  spare.arrived(member("a1"), "n1");
  assertEquals(first(member("a2")), "n2");
  spare.arrived(member("c1", "c"), "n3");
  assertEquals(spare.fullestOf(member("b1", "b"), ["n2", "n3"]), "n3");
  assertEquals(spare.fullestOf(member("b1", "b"), ["n2", "n1"]), "n2", "on n1 is no room");
  assertEquals(spare.fullestOf(member("b1", "b"), ["n1", "n4"]), undefined);
});

Deno.test("spare: what members took since the plan is not there for others", () => {
  const spare = spareAfterPlan();
  spare.arrived(member("a1"), "n1");
  spare.arrived(member("b1", "b"), "n2");
  assertEquals(open(spare, member("a2")), ["n3"]);
});

Deno.test("spare: a member that is on its way may take any node, until it is there or late", () => {
  const spare = spareAfterPlan();
  spare.moves(member("a1"), { nodes: ["n1", "n2", "n3"], now });
  assertEquals(open(spare, member("a2")), ["n3"]);
  assertEquals(open(spare, member("a1")), ["n1", "n2", "n3"], "itself, tried again");
  spare.moves(member("a3"), { nodes: ["n1", "n2", "n3"], now: now + times.moves });
  assertEquals(open(spare, member("a2")), ["n3"], "a3 moves, a1 is late");
  spare.arrived(member("a3"), "n3");
  assertEquals(open(spare, member("a2")), ["n1", "n2", "n3"]);
});

Deno.test("spare: a new plan knows what was taken", () => {
  const spare = spareAfterPlan();
  spare.arrived(member("b1", "b"), "n2");
  spare.planned({ spare: () => new Map([["gpu", 2]]), byGroup: new Map() });
  assertEquals(open(spare, member("a1")), ["n1", "n2", "n3", "n4", "n5"]);
});

Deno.test("spare: a member that is sent to one node takes its room there, whatever is planned meanwhile, until it is late", () => {
  const spare = spareAfterPlan();
  spare.moves(member("b1", "b"), { nodes: ["n2"], now });
  spare.moves(member("b1", "b"), { nodes: ["n2"], now });
  assertEquals(open(spare, member("b2", "b")), ["n3"]);
  assertEquals(open(spare, member("b1", "b")), ["n2", "n3"], "itself, tried again");
  spare.planned({ spare: () => new Map([["gpu", 4]]), byGroup: new Map() });
  spare.moves(member("b2", "b"), { nodes: ["n2"], now: now + 1 });
  assertEquals(open(spare, member("b3", "b")), ["n1", "n3", "n4", "n5"]);
  spare.arrived(member("b1", "b"), "n2");
  spare.planned({ spare: () => new Map([["gpu", 2]]), byGroup: new Map() });
  assertEquals(open(spare, member("b3", "b")), ["n1", "n3", "n4", "n5"], "b2 is on its way");
  spare.moves(member("a1"), { nodes: ["n5"], now: now + 1 + times.moves });
  spare.planned({ spare: () => new Map([["gpu", 2]]), byGroup: new Map() });
  assertEquals(open(spare, member("b3", "b")), ["n1", "n2", "n3", "n4"], "b2 is late");
});

Deno.test("spare: a member that is sent to the node again where it is expected takes no more room there", () => {
  const spare = spareAfterPlan();
  spare.moves(member("b1", "b"), { nodes: ["n3"], now });
  spare.moves(member("b1", "b"), { nodes: ["n3"], now });
  assertEquals(open(spare, member("b2", "b")), ["n2", "n3"]);
});

Deno.test("spare: a member that was sent to one node and may now take any is expected anywhere", () => {
  const spare = spareAfterPlan();
  spare.moves(member("b1", "b"), { nodes: ["n3"], now });
  spare.moves(member("b1", "b"), { nodes: ["n2", "n3"], now });
  assertEquals(open(spare, member("b2", "b")), []);
});

Deno.test("spare: of two that may take any node both are expected until they are late", () => {
  const spare = spareAfterPlan();
  spare.moves(member("b1", "b"), { nodes: ["n2", "n3"], now });
  spare.moves(member("b2", "b"), { nodes: ["n2", "n3"], now: now + times.moves - 1 });
  assertEquals(open(spare, member("b3", "b")), []);
});

Deno.test("spare: of two places that a plan has on a node one is left when one is taken", () => {
  const taken = [{ node: "n1", kind: "worker", requests, count: 2 }];
  const plan: Plan = { fit: { members: 2, of: 2 }, taken, isShort: false };
  const spare = new Spare();
  spare.planned({ spare: () => new Map([["gpu", 0]]), byGroup: new Map([["a", plan]]) });
  spare.arrived(member("a1"), "n1");
  assertEquals(open(spare, member("a2")), ["n1"]);
  spare.arrived(member("a2"), "n1");
  assertEquals(open(spare, member("a3")), []);
});

Deno.test("spare: others on their way are in nobody's way who does not ask for what they ask for", () => {
  const room = new Map([["gpu", 1], ["cpu", 2]]);
  const fits = (asks: [string, number][]) => {
    const spare = new Spare();
    spare.planned({ spare: () => room, byGroup: new Map() });
    spare.moves(member("b1", "b"), { nodes: ["n1", "n2"], now });
    const mover = { uid: "c", group: "c", kind: "other", requests: new Map(asks) };
    return spare.roomFor(mover)("n1") !== undefined;
  };
  assertEquals(fits([["gpu", 1]]), false);
  assertEquals(fits([["cpu", 2]]), true);
  assertEquals(fits([["cpu", 2], ["gpu", 0]]), true);
});

/** Each of two groups has one place on a node on which nothing else is left, after members went their ways. */
function roomsAfter(moves: (spare: Spare) => void, count = 1): (string | undefined)[] {
  const planOf = (node: string): Plan => {
    const taken = [{ node, kind: "worker", requests, count }];
    return { fit: { members: count, of: count }, taken, isShort: false };
  };
  const spare = new Spare();
  moves(spare);
  const left = new Map([["gpu", 0]]);
  spare.planned({
    spare: () => left,
    byGroup: new Map([["a", planOf("n1")], ["b", planOf("n2")]]),
  });
  return ["n1", "n2"].map(spare.roomFor(member("a1")));
}

const onTheWay: [id: string, moves: (spare: Spare) => void, room: (string | undefined)[]][] = [
  ["nobody is on the way", () => {}, ["own", undefined]],
  ["another group's member goes to a place that is planned for this one now", (spare) => {
    spare.moves(member("c1", "c"), { nodes: ["n1"], now });
  }, ["contested", undefined]],
  ["it may go there", (spare) => {
    spare.moves(member("c1", "c"), { nodes: ["n1", "n2"], now });
  }, ["contested", undefined]],
  ["it may go elsewhere", (spare) => {
    spare.moves(member("c1", "c"), { nodes: ["n2", "n3"], now });
  }, ["own", undefined]],
  ["it goes to the place that is planned for its own group", (spare) => {
    spare.moves(member("b1", "b"), { nodes: ["n2", "n3"], now });
  }, ["own", undefined]],
  ["it asks for something else", (spare) => {
    const requests = new Map([["cpu", 1]]);
    spare.moves({ ...member("c1", "c"), requests }, { nodes: ["n1"], now });
  }, ["own", undefined]],
];

for (const [id, moves, room] of onTheWay) {
  Deno.test(`spare: a place of a group's own is another's first who was on the way there before it was planned: ${id}`, () => {
    assertEquals(roomsAfter(moves), room);
  });
}

Deno.test("spare: of two places of a group's own one stays when one other comes, and none when two do", () => {
  const come = (uids: string[]) => (spare: Spare) => {
    for (const uid of uids) spare.moves(member(uid, "c"), { nodes: ["n1"], now });
  };
  assertEquals(roomsAfter(come(["c1"]), 2)[0], "own");
  assertEquals(roomsAfter(come(["c1", "c2"]), 2)[0], "contested");
});

Deno.test("spare: that less than nothing is left beside all plans makes nobody's place another's", () => {
  const taken = [{ node: "n1", kind: "worker", requests, count: 1 }];
  const plan: Plan = { fit: { members: 1, of: 1 }, taken, isShort: false };
  const spare = new Spare();
  spare.planned({ spare: () => new Map([["gpu", -2]]), byGroup: new Map([["a", plan]]) });
  assertEquals(spare.roomFor(member("a1"))("n1"), "own");
});

/** What room a member of group a has on n1, where groups a and b have such places, and so much is left beside them. */
function roomBeside(
  { places = { a: 1, b: 1 }, left = { gpu: 0 }, asks = { gpu: 2 } }: {
    places?: { a: number; b: number };
    left?: Record<string, number> | null;
    asks?: Record<string, number>;
  },
  movers: readonly { readonly uid: string; readonly asks?: Record<string, number> }[],
): string | undefined {
  const spare = new Spare();
  for (const { uid, asks = { gpu: 2 } } of movers) {
    const mover = { ...member(uid, uid[0]), requests: new Map(Object.entries(asks)) };
    spare.moves(mover, { nodes: ["n1", "n2"], now });
  }
  const plans = Object.entries(places).map(([group, count]) => {
    const taken = [{ node: "n1", kind: "worker", requests, count }];
    return [group, { fit: { members: count, of: count }, taken, isShort: false }] as const;
  });
  spare.planned({
    spare: (node) => node === "n1" && left ? new Map(Object.entries(left)) : undefined,
    byGroup: new Map(plans),
  });
  return spare.roomFor({ ...member("a1"), requests: new Map(Object.entries(asks)) })("n1");
}

const beside: [id: string, room: string, ...Parameters<typeof roomBeside>][] = [
  ["one goes to its own group's", "own", {}, [{ uid: "b1" }]],
  ["two go, and its own group has one", "contested", {}, [{ uid: "b1" }, { uid: "b2" }]],
  ["two go, and its own group has two", "own", { places: { a: 1, b: 2 } }, [
    { uid: "b1" },
    { uid: "b2" },
  ]],
  ["what is left is enough for the other", "own", { left: { gpu: 1 } }, [
    { uid: "c1", asks: { gpu: 1 } },
  ]],
  ["it is not", "contested", { left: { gpu: 1 }, asks: { gpu: 1 } }, [{ uid: "c1" }]],
  ["the other takes one of two resources", "contested", {
    left: { cpu: 9, gpu: 0 },
    asks: { cpu: 1, gpu: 2 },
  }, [{ uid: "c1" }]],
  ["the other takes what this one does not ask for", "own", {
    left: { cpu: 0, gpu: 0 },
    asks: { cpu: 1, gpu: 0 },
  }, [{ uid: "c1" }]],
  ["nothing is known of the node", "own", { left: null }, [{ uid: "c1" }]],
];

for (const [id, room, ...about] of beside) {
  Deno.test(`spare: a place of a group's own beside others that may go there: ${id}`, () => {
    assertEquals(roomBeside(...about), room);
  });
}
