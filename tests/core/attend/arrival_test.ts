import { assertEquals } from "@std/assert";
import {
  type Arrival,
  placedAnswer,
  whyElsewhere,
  yieldsTo,
} from "../../../shared/core/attend/arrival.ts";
import type { MemberPlace, Placement } from "../../../shared/core/attend/placement.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { attended, callOf, gang, start } from "../../support/attending.ts";

const kind = "worker";
const use = (node: string, count: number) => ({ node, kind, requests: new Map(), count });
const member: Arrival = { uid: "a", kind, gang, node: "n1" };

/** Where members are planned, who was sent where, and whether member a may be held on n1. */
const cases: [
  id: string,
  {
    steering?: Placement["steering"];
    uses?: Record<string, number>;
    sent?: Record<string, string>;
  },
  isHeld: boolean,
][] = [
  ["its place is where it comes from", { sent: { a: "n1" } }, true],
  ["it was sent nowhere, and a place is open there", {}, true],
  ["its gang is planned on another node", { uses: { n2: 1 }, sent: { a: "n2" } }, false],
  ["a sibling was sent there instead", { sent: { a: "n2", b: "n1" } }, false],
  ["there is a place beside the sibling's", { uses: { n1: 2 }, sent: { b: "n1" } }, true],
  ["there is no place for one more of its gang", { uses: {} }, false],
  ["where it would rather be planned is no must", { steering: "planned", uses: { n2: 1 } }, true],
  ["nothing has been planned yet", { steering: "unplanned", uses: {} }, true],
  ["any node will do", { steering: "free", uses: { n2: 1 } }, true],
];

for (const [id, { steering = "strict", uses = { n1: 1, n2: 1 }, sent = {} }, isHeld] of cases) {
  Deno.test(`a member that comes to be bound is ${isHeld ? "" : "not "}held where ${id}`, () => {
    let chosen = SharedMap.empty<MemberPlace>();
    for (const [uid, node] of Object.entries(sent)) chosen = chosen.with(uid, { node, kind, gang });
    const planned = Object.entries(uses).map(([node, count]) => use(node, count));
    const known = attended({
      placement: { steering, uses: planned, isPublished: false, chosen },
    });
    assertEquals(whyElsewhere(known, member) === undefined, isHeld);
  });
}

Deno.test("a member of which nothing has been seen yet is held anywhere", () => {
  const placement = {
    steering: "strict",
    uses: [],
    isPublished: false,
    chosen: SharedMap.empty<MemberPlace>(),
  } as const;
  const unseen = { ...member, kind: undefined };
  assertEquals(whyElsewhere(attended({ placement }), unseen), undefined);
});

Deno.test("placedAnswer(): a call whose pod has got a node is answered as that is, but for one that is being bound", () => {
  const call = callOf("a", { pod: { namespace: "default", name: "a", uid: "a", node: "n1" } });
  assertEquals(placedAnswer(call, undefined), undefined);
  assertEquals(placedAnswer(call, "n1"), { error: undefined });
  assertEquals(placedAnswer(call, "n2"), { error: "Muster: the pod is already bound to n2" });
  assertEquals(placedAnswer({ ...call, isGranted: true }, "n2"), undefined);
});

Deno.test("yieldsTo(): a preemptor is made room for until it has its place or is gone, or its time is over", () => {
  const to = { uid: "high", title: "pod default/high" };
  const known = attended({ yields: { to, until: start + 5 } });
  const now = start;
  assertEquals(yieldsTo(known, { isOver: () => false, now }), to);
  assertEquals(yieldsTo(known, { isOver: ({ uid }) => uid === "high", now }), undefined);
  assertEquals(yieldsTo(known, { isOver: () => false, now: start + 5 }), undefined);
  assertEquals(yieldsTo(attended(), { isOver: () => false, now }), undefined);
});
