import { assertEquals } from "@std/assert";
import { noticeStanding } from "../../../shared/core/attend/failure.ts";
import { learnFailure } from "../../../shared/core/attend/learn_failure.ts";
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
  const group = attended({ whole: { [gang]: 2 }, placement });
  const failure = { uid: "a1", name: "a1", message: port };
  const { refusedNodes } = learnFailure(group, { failure, kind: "k" }, start);
  assertEquals([...refusedNodes.get("k")?.keys() ?? []], ["n1"]);
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
