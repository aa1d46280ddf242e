import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import { noticeFailure, noticeStanding } from "../../../shared/core/attend/failure.ts";
import { learnFailure, learnUntaken } from "../../../shared/core/attend/learn_failure.ts";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { Placement } from "../../../shared/core/attend/placement.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, callOf, gang, letIn, snapshotOf, start } from "../../support/attending.ts";

/** A plan with room for one of kind k on n1. */
const placed: Placement = {
  steering: "strict",
  uses: [{ node: "n1", kind: "k", requests: new Map(), count: 1 }],
  isPublished: false,
  chosen: SharedMap.empty(),
};

const port = "0/3 nodes are available: 3 node(s) didn't have free ports.";
const full = "0/3 nodes are available: 3 Insufficient cpu.";

/** A member that fails, and the nodes on which its kind is not planned any more. */
const learnt: [
  id: string,
  known: Partial<Placement>,
  kind: string | undefined,
  message: string,
  nodes: string[],
][] = [
  ["its place, for a reason that no plan knows of", {}, "k", port, ["n1"]],
  ["nothing for a reason that plans know of", {}, "k", full, []],
  ["nothing where it may go anywhere", { steering: "free" }, "k", port, []],
  ["nothing where its kind is not known", {}, undefined, port, []],
  ["nothing where it has no place", {}, "l", port, []],
];

for (const [id, known, kind, message, nodes] of learnt) {
  Deno.test(`learnFailure(): of a member that no node takes ${id} is refused`, () => {
    const group = attended({ placement: { ...placed, ...known } });
    const failure = { uid: "a1", name: "a1", message };
    const { refusedNodes } = learnFailure(group, { failure, kind }, start);
    assertEquals([...refusedNodes].map(([kind, all]) => [kind, ...all.keys()]), [
      ...nodes.map((node) => ["k", node]),
    ]);
  });
}

Deno.test("learnFailure(): a member that may go anywhere and is not needed keeps no room where no node takes it", () => {
  const placement = { ...placed, steering: "free" } as const;
  const failure = { uid: "a1", name: "a1", message: port, gang };
  const refused = (...gangs: string[]) => {
    const group = attended({ id: gangs.join(","), whole: { [gang]: 2 }, placement });
    const { refusedNodes } = learnFailure(group, { failure, kind: "k" }, start);
    return [...refusedNodes.get("k")?.keys() ?? []];
  };
  assertEquals(refused(gang), ["n1"]);
  assertEquals(refused(gang, "default/other"), [], "another gang of its group still lacks some");
});

Deno.test("advance(): what is said of a place that has just changed is doubted, and learnt when it stands", () => {
  const group = attended({ standing: letIn(), placement: placed });
  const failure = { uid: "a1", name: "a1", message: port, gang };
  const event = { is: "member changed", failure, kind: "k", changed: ["n1"] } as const;
  const { attended: doubted } = advance(group, event, start);
  assertEquals([doubted.standing, doubted.refusedNodes], [letIn({ doubtedAt: start }), new Map()]);
  const facts = snapshotOf({ pending: 1, unschedulable: [{ ...failure, kind: "k" }] });
  const later = noticeStanding(doubted, facts, start + times.settled);
  assertEquals([...later.refusedNodes.get("k")?.keys() ?? []], ["n1"]);
  const { attended: noted } = advance(group, { ...event, changed: ["n2"] }, start);
  assertEquals([...noted.refusedNodes.get("k")?.keys() ?? []], ["n1"], "another node has changed");
});

Deno.test("noticeStanding(): a refusal that was said before there was a plan is learnt when it stands", () => {
  const plan = { fit: { members: 1, of: 1 }, taken: [], isShort: false };
  const group = attended({ standing: letIn(), placement: placed, plan });
  const failure = { uid: "a1", name: "a1", message: port, gang };
  const stands = (kind?: string) => {
    const facts = snapshotOf({
      pending: 1,
      calls: [callOf("b1")],
      unschedulable: [{ ...failure, kind }],
    });
    const { refusedNodes, plan, standing } = noticeStanding(group, facts, start + times.settled);
    const { failed } = { failed: undefined, ...standing };
    return [[...refusedNodes.get("k")?.keys() ?? []], plan, failed?.get("a1")];
  };
  assertEquals(stands("k"), [["n1"], undefined, failure]);
  assertEquals(stands(), [[], plan, failure], "what was recorded without kinds");
});

Deno.test("advance(): a place that refuses one more takes as many as have it", () => {
  const group = attended({ standing: letIn(), placement: placed });
  const failure = { uid: "a1", name: "a1", message: port, gang };
  const event = { is: "member changed", failure, kind: "k", alikeOn: [["n1", 2]] } as const;
  const takes = (known: Attended) => known.refusedNodes.get("k")?.get("n1")?.takes;
  assertEquals(takes(advance(group, event, start).attended), 2);
  const plan = { fit: { members: 1, of: 1 }, taken: [], isShort: false };
  const facts = snapshotOf({
    calls: [callOf("b1")],
    unschedulable: [{ ...failure, kind: "k" }],
    alikeOn: { k: { n1: 1 } },
  });
  assertEquals(takes(noticeStanding({ ...group, plan }, facts, start + times.settled)), 1);
});

/** A member of kind k that no node takes. */
const failed = { uid: "a1", name: "a1", message: port, kind: "k" };
const roomy = { k: ["n2", "n3"] };
const plan = { fit: { members: 1, of: 1 }, taken: [], isShort: false };

/** What the scheduler says of a member, and the nodes on which kind k is not planned any more. */
const untaken: [id: string, says: Partial<typeof failed>, kind: string | undefined, string[]][] = [
  ["for a reason that no plan knows of", {}, "k", ["n2", "n3"]],
  ["not for one that plans know of", { message: full }, "k", []],
  ["not where its kind is not known", {}, undefined, []],
  ["not of a kind that no node has room for", {}, "l", []],
];

for (const [id, says, kind, nodes] of untaken) {
  Deno.test(`learnUntaken(): what has room for a member that no node takes is refused, ${id}`, () => {
    const failure = { ...failed, ...says };
    const before = attended({ standing: letIn(), plan });
    const noted = noticeFailure(before, { failure, failedBefore: false, kind }, start);
    const facts = snapshotOf({ pending: 1, untaken: roomy });
    const after = learnUntaken(noted, facts, start);
    assertEquals([...after.refusedNodes.get("k")?.keys() ?? []], nodes);
    assertEquals(after.plan, nodes.length > 0 ? undefined : plan);
    assertEquals(
      learnUntaken(after, facts, start + 1),
      after,
      "what is learnt is not learnt again",
    );
  });
}

Deno.test("learnUntaken(): what has room and refuses one more takes as many as have it", () => {
  const before = attended({ standing: letIn({ untaken: [["k", "a1"]] }), plan });
  const facts = snapshotOf({ pending: 1, untaken: roomy, alikeOn: { k: { n2: 3 } } });
  const known = learnUntaken(before, facts, start).refusedNodes.get("k")!;
  assertEquals([known.get("n2")!.takes, known.get("n3")!.takes], [3, undefined]);
});

Deno.test("look(): what a failed member says of all nodes is learnt before the functions hear of it", () => {
  const before = attended({ standing: letIn(), plan });
  const event = { is: "member changed", failure: failed, kind: "k" } as const;
  const group = { ...advance(before, event, start).attended, plan };
  const snapshot = snapshotOf({ pending: 1, calls: [callOf("b1")], untaken: roomy });
  const looked = advance(group, { is: "look", snapshot, longestHold: 50_000 }, start);
  assertEquals([...looked.attended.refusedNodes.get("k")?.keys() ?? []], ["n2", "n3"]);
  const asked = looked.effects.flatMap((effect) => effect.do === "ask" ? effect.question : []);
  assertEquals(asked.map(({ stage }) => stage), ["postfilter"]);
});

Deno.test("look(): of refusals that stand, too, all nodes are learnt that have room", () => {
  const before = attended({ standing: letIn({ doubtedAt: start }), plan });
  const facts = { pending: 1, untaken: roomy, unschedulable: [failed] };
  const event = { is: "look", snapshot: snapshotOf(facts), longestHold: 50_000 } as const;
  const looked = advance(before, event, start + times.settled);
  assertEquals([...looked.attended.refusedNodes.get("k")?.keys() ?? []], ["n2", "n3"]);
});
