import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { offer, type OfferedMember } from "../../../shared/core/attend/offer.ts";
import { learn, stillRefused } from "../../../shared/core/attend/refused_nodes.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import type { Steering } from "../../../shared/core/plan/steering.ts";
import { attended, gang, letIn, start } from "../../support/attending.ts";

const nodes = ["gpu-1", "gpu-2", "cpu-1"];
const worker = { node: "gpu-1", kind: "worker", requests: new Map(), count: 1 };

const member: OfferedMember = {
  uid: "a",
  gang,
  kind: "worker",
  nodes,
  nominated: undefined,
  isPart: false,
  isIndifferent: false,
  roomOn: () => "spare",
  alikeOn: () => new Map(),
  hasJustChanged: () => false,
  fullestOf: (nodes) => nodes.at(-1),
};

const groupOf = (steering: Steering, uses = [worker]) =>
  attended({
    standing: letIn(),
    placement: { steering, uses, isPublished: false, chosen: SharedMap.empty() },
  });

const stillIn = ({ refusedNodes }: Pick<Attended, "refusedNodes">) =>
  stillRefused(refusedNodes, { changedAt: () => 0, now: start, alikeOn: () => new Map() });

const cases: [
  id: string,
  steering: Steering,
  about: Partial<OfferedMember>,
  expect: readonly string[] | string,
][] = [
  ["alike members go where room is to spare", "free", {
    roomOn: (node) => node === "gpu-2" ? undefined : "own",
  }, ["gpu-1", "cpu-1"]],
  ["alike members go anywhere where nothing is to spare: the scheduler knows of room", "free", {
    roomOn: () => undefined,
  }, nodes],
  ["alike members of which nothing is said go to their planned node", "free", {
    isIndifferent: true,
  }, ["gpu-1"]],
  ["so they do where others may come to it first", "free", {
    isIndifferent: true,
    roomOn: (node) => node === "gpu-1" ? "contested" : "own",
  }, ["gpu-1"]],
  ["they go where room is to spare once others are on the way to it", "free", {
    isIndifferent: true,
    roomOn: (node) => node === "gpu-1" ? undefined : "spare",
  }, ["gpu-2", "cpu-1"]],
  ["or where the scheduler takes them, if not there", "free", {
    isIndifferent: true,
    nodes: ["gpu-2", "cpu-1"],
  }, ["gpu-2", "cpu-1"]],
  ["members that differ go to their planned node", "planned", {}, ["gpu-1"]],
  ["one that has not been seen goes anywhere", "strict", { kind: undefined }, nodes],
  ["one beyond those that are planned goes where room is to spare", "planned", {
    kind: "launcher",
    roomOn: (node) => node === "cpu-1" ? "spare" : "own",
  }, ["cpu-1"]],
  ["one beyond those that are planned waits where a place is required", "strict", {
    kind: "launcher",
  }, "NoPlace"],
  ["one whose planned node the scheduler does not take waits for another plan", "strict", {
    nodes: ["gpu-2"],
  }, "Replanned"],
  ["so it does where members differ", "planned", { nodes: ["gpu-2"] }, "Replanned"],
  ["one whose planned node the scheduler did not look at comes again", "strict", {
    nodes: ["gpu-2"],
    isPart: true,
  }, "NotOffered"],
];

for (const [id, steering, about, expect] of cases) {
  Deno.test(`offer(): ${id}`, () => {
    const { nodes, refusal } = offer(groupOf(steering), { ...member, ...about }, start);
    assertEquals(refusal?.reason ?? nodes, expect);
    if (refusal) assertEquals(nodes, []);
  });
}

const published: [id: string, about: Partial<OfferedMember>, expect: readonly string[]][] = [
  ["the one to fill first", { isIndifferent: true }, [nodes.at(-1)!]],
  ["anywhere where none has room", { isIndifferent: true, fullestOf: () => undefined }, nodes],
  ["to all with room that has a preference", {}, ["gpu-1", "gpu-2"]],
];

for (const [id, about, expect] of published) {
  Deno.test(`offer(): where places are published an alike member goes to ${id}`, () => {
    const placement = { steering: "free", uses: [], isPublished: true, chosen: SharedMap.empty() };
    const group = attended({ standing: letIn(), placement } as never);
    const roomOn = (node: string) => node === "cpu-1" ? undefined : "spare";
    assertEquals(offer(group, { ...member, roomOn, ...about }, start).nodes, expect);
  });
}

Deno.test("offer(): the members of a group that policy lets in without room may go wherever the scheduler takes them", () => {
  const lacks = { fit: { members: 0, of: 1 }, isShort: true };
  const planned = { is: "planned", plan: lacks, waits: () => true } as const;
  const group = advance(attended({ standing: letIn() }), planned, start).attended;
  assertEquals(offer(group, member, start).nodes, nodes);
});

Deno.test("offer(): a member of a gang that its group starts without is told why, where it has no place", () => {
  const message = "no room for it";
  const { placement, ...group } = groupOf("strict", []);
  const without = attended({
    ...group,
    standing: {
      ...letIn(),
      why: {
        reason: "Satisfied",
        message: "",
        leftOut: { [gang]: { reason: "LeftOut", message } },
      },
    },
    placement: {
      ...placement,
      choice: { counted: new Set(), without: new Set([gang]), leftOut: [] },
    },
  });
  const { refusal } = offer(without, member, start);
  assertEquals([refusal?.reason, refusal?.message], ["LeftOut", message]);
});

Deno.test("offer(): a node that the scheduler refuses is known for that kind, and the plan is not followed any more", () => {
  const group = { ...groupOf("planned"), plan: { fit: { members: 1, of: 1 }, isShort: false } };
  const refused = offer(group, { ...member, nodes: ["gpu-2"] }, start).attended;
  assertEquals(
    refused.refusedNodes,
    new Map([["worker", new Map([["gpu-1", { at: start, isRefused: true, tries: 0 }]])]]),
  );
  assertEquals(refused.plan, undefined);
  const part = offer(group, { ...member, nodes: ["gpu-2"], isPart: true }, start).attended;
  assertEquals(part, group);
});

Deno.test("offer(): where another member may have come to the planned room first nothing is learnt, and the plan is made anew", () => {
  const group = { ...groupOf("planned"), plan: { fit: { members: 1, of: 1 }, isShort: false } };
  const contested: OfferedMember = { ...member, nodes: ["gpu-2"], roomOn: () => "contested" };
  const { attended, refusal } = offer(group, contested, start);
  assertEquals(refusal?.reason, "Replanned");
  assertEquals(stillIn(attended), new Map());
  assertEquals(attended.plan, undefined);
});

Deno.test("offer(): of a node that has just changed nothing is learnt, and the plan is made anew", () => {
  const group = { ...groupOf("planned"), plan: { fit: { members: 1, of: 1 }, isShort: false } };
  const hasJustChanged = (node: string) => node === "gpu-1";
  const late = offer(group, { ...member, nodes: ["gpu-2"], hasJustChanged }, start);
  assertEquals(late.refusal?.reason, "Replanned");
  const { refusedNodes, plan } = late.attended;
  assertEquals([stillIn({ refusedNodes }), plan], [
    new Map(),
    undefined,
  ]);
});

Deno.test("offer(): from one node that is tried before all others nothing is learnt", () => {
  const group = groupOf("strict");
  const alone = { ...member, nodes: ["gpu-2"], nominated: "gpu-2" };
  const { attended, refusal } = offer(group, alone, start);
  assertEquals([attended, refusal?.isAskedAgain], [group, true]);
  const only = offer(group, { ...alone, nominated: "gpu-1" }, start);
  assertEquals([only.refusal?.reason, only.refusal?.isAskedAgain], ["Replanned", false]);
});

Deno.test("offer(): where a member finds no place, a refused node that the scheduler offers is planned with again", () => {
  const refusedNodes = learn(new Map(), { kind: "worker", nodes: ["gpu-1", "gpu-3"], now: start });
  const plan = { fit: { members: 1, of: 1 }, isShort: false };
  const group = { ...groupOf("strict"), refusedNodes, plan };
  const { attended } = offer(group, { ...member, nodes: ["gpu-2", "gpu-3"] }, start);
  const still = stillIn(attended);
  assertEquals([...still.get("worker")?.more.keys() ?? []], ["gpu-1"]);
  assertEquals(attended.plan, undefined);
});

Deno.test("offer(): a node that refuses one more is known to take as many as are there, or on their way there", () => {
  const group = groupOf("strict", [{ ...worker, count: 3 }]);
  const takenBy = (about: Partial<OfferedMember>, sent = group) => {
    const { attended } = offer(sent, { ...member, nodes: ["gpu-2"], ...about }, start);
    return attended.refusedNodes.get("worker")?.get("gpu-1")?.takes;
  };
  const held = () => new Map([["gpu-1", 1], ["gpu-2", 5]]);
  assertEquals([takenBy({}), takenBy({ alikeOn: held })], [undefined, 1]);
  const coming = offer(group, { ...member, uid: "b" }, start).attended;
  assertEquals([takenBy({}, coming), takenBy({ alikeOn: held }, coming)], [1, 2]);
  assertEquals(takenBy({ uid: "b" }, coming), undefined, "the member itself is not there yet");
  const stale = { ...coming, coming: SharedMap.empty<number>() };
  assertEquals(takenBy({}, stale), undefined, "one that is only planned there is not");
});

Deno.test("offer(): a node that takes some is planned with again once it is offered while as many are there", () => {
  const refusedNodes = learn(new Map(), {
    kind: "worker",
    nodes: ["gpu-2"],
    now: start,
    thereOn: () => 1,
  });
  const group = { ...groupOf("strict", []), refusedNodes };
  const stands = (there: number) => {
    const alikeOn = () => new Map([["gpu-2", there]]);
    return stillIn(offer(group, { ...member, alikeOn }, start).attended).has("worker");
  };
  assertEquals([stands(0), stands(1)], [true, false]);
});
