import { assertEquals } from "@std/assert";
import type { Attended, Refusal } from "../../../shared/core/attend/attended.ts";
import { wakeAllowed } from "../../../shared/core/attend/refusal.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import {
  isBeyondNeed,
  mayEvict,
  memberComes,
  reasonOfEvictions,
  reasonOfSurplus,
  surplusDueAt,
  waitsFor,
} from "../../../shared/core/attend/surplus.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, gang, kept, letIn, snapshotOf, start } from "../../support/attending.ts";

/** A gang that needs so many more members. */
function needs(of: number) {
  return attended({ plan: { fit: { members: of, of }, isShort: false } });
}

Deno.test("isBeyondNeed(): a member is where its gang needs no more, or others are on their way that are enough", () => {
  const coming = SharedMap.empty<number>().with("a", start + 1);
  const nominated = SharedMap.empty<string>().with("b", "node-1");
  assertEquals(isBeyondNeed(needs(0), "c", start), true);
  assertEquals(isBeyondNeed(needs(1), "c", start), false);
  assertEquals(isBeyondNeed({ ...needs(1), coming }, "c", start), true);
  assertEquals(isBeyondNeed({ ...needs(1), coming }, "a", start), false);
  assertEquals(isBeyondNeed({ ...needs(1), coming }, "c", start + 1), false);
  assertEquals(isBeyondNeed({ ...needs(2), coming }, "c", start), false);
  assertEquals(isBeyondNeed({ ...needs(2), coming, nominated }, "c", start), true);
  assertEquals(isBeyondNeed(attended(), "c", start), false);
});

Deno.test("mayEvict(): who is needed may only where there is room beside all siblings on their way", () => {
  const changedAt = start - times.heard;
  const on = (fits: number, at = changedAt) => ({
    uid: "c",
    on: { node: "n1", fits, changedAt: at },
  });
  const coming = SharedMap.empty<number>().with("a", start + 1).with("c", start + 1);
  const group = {
    ...attended({ plan: { fit: { members: 3, of: 3 }, taken: [], isShort: false } }),
    coming,
  };
  assertEquals(mayEvict(group, on(2), start), true);
  assertEquals(mayEvict(group, on(1), start), false);
  assertEquals(mayEvict(group, on(1), start + 1), true);
  // The scheduler may not have heard of it.
  assertEquals(mayEvict(group, on(2, changedAt + 1), start), false);
  const nominatedTo = (node: string) => SharedMap.empty<string>().with("b", node).with("c", node);
  assertEquals(mayEvict({ ...group, nominated: nominatedTo("n1") }, on(2), start), false);
  assertEquals(mayEvict({ ...group, nominated: nominatedTo("n2") }, on(2), start), true);
  assertEquals(mayEvict(needs(3), on(2), start), false);
  assertEquals(mayEvict(needs(0), on(0), start), true);
});

/** Members that are held, by gang, and who waits then for which gang. */
const waits: [
  held: Record<string, number>,
  comes: Record<string, number>,
  other: string | undefined,
][] = [
  [{ [gang]: 2, "default/b": 1 }, {}, "default/b"],
  [{ [gang]: 2, "default/b": 2 }, {}, undefined],
  [{ [gang]: 1, "default/b": 1 }, {}, undefined],
  [{ [gang]: 1, "default/b": 1 }, { a2: start + 1 }, "default/b"],
  // Whose time is over comes no more, and nobody waits for being on the way.
  [{ [gang]: 1, "default/b": 1 }, { a2: start }, undefined],
  [{ [gang]: 1, "default/b": 1 }, { a1: start + 1 }, undefined],
];

for (const [held, comes, other] of waits) {
  Deno.test(`waitsFor(): with ${JSON.stringify([held, comes])} held and coming`, () => {
    const quotas = new Map([[gang, 2], ["default/b", 2]]);
    const coming = Object.entries(comes)
      .reduce((all, [uid, until]) => all.with(uid, until), SharedMap.empty<number>());
    const placed = (of: string, comes = (_: string) => false) =>
      held[of]! + (of === gang ? ["a1", "a2"].filter(comes).length : 0);
    const known = attended({ standing: letIn({ quotas }), coming });
    assertEquals(waitsFor(known, { uid: "a1", gang, placed }, start), other);
    const alone = attended({ standing: letIn({ quotas: new Map([[gang, 2]]) }) });
    assertEquals(waitsFor(alone, { uid: "a1", gang, placed }, start), undefined);
  });
}

Deno.test("waitsFor(): a gang of which nobody said what it needs keeps nobody waiting, and has no surplus", () => {
  const quotas = new Map([["default/b", 1], ["default/c", 1]]);
  const known = attended({ standing: letIn({ quotas }) });
  assertEquals(waitsFor(known, { uid: "a1", gang, placed: () => 0 }, start), "default/b");
});

Deno.test("waitsFor(): a gang whose members are only on their way is still waited for", () => {
  const quotas = new Map([[gang, 1], ["default/b", 1]]);
  const coming = SharedMap.empty<number>().with("b1", start + 1);
  const known = attended({ standing: letIn({ quotas }), coming });
  const placed = (of: string, comes = (_: string) => false) =>
    of === gang ? 1 : comes("b1") ? 1 : 0;
  assertEquals(waitsFor(known, { uid: "a1", gang, placed }, start), "default/b");
});

/** What is known of a group of two gangs, how many members of the other one are placed, and which of its own are woken. */
const woken: [id: string, known: Partial<Attended>, placed: number, woken: string[]][] = [
  ["the other gang has all members", {}, 1, ["Surplus", "JustSeen"]],
  ["the other gang lacks some", {}, 0, ["JustSeen"]],
  ["the group lost members that it needs", { brokenAt: 1 }, 1, []],
  ["it is kept out again", { standing: kept }, 1, []],
];

for (const [id, known, placed, expected] of woken) {
  Deno.test(`wakeAllowed(): where ${id}, of members told Surplus, JustSeen and NoPlace ${expected.join(" and ") || "none"} wake`, () => {
    const refusalFor = (reason: string) => ({
      pod: { namespace: "default", name: reason },
      gang,
      reason,
      sentence: "it waits",
      at: start,
    });
    let refused = SharedMap.empty<Refusal>();
    for (const reason of [reasonOfSurplus, "JustSeen", "NoPlace", reasonOfEvictions]) {
      refused = refused.with(reason, refusalFor(reason));
    }
    const quotas = new Map([[gang, 1], ["default/b", 1]]);
    const group = attended({ standing: letIn({ quotas }), refused, ...known });
    const of = (other: string) => other === gang ? 1 : placed;
    const { effects } = wakeAllowed(group, { ...snapshotOf({ pending: 1 }), placed: of }, start);
    const pokes = effects.map((effect) => effect.do === "poke" && effect.uid);
    assertEquals(pokes, expected);
  });
}

Deno.test("memberComes(): a member is awaited for a while, and those whose while is over are not", () => {
  const first = memberComes(attended(), "a1", start);
  const both = memberComes(first, "a2", start + times.comes - 1);
  assertEquals([...both.coming.keys()].sort(), ["a1", "a2"]);
  const later = memberComes(first, "a2", start + times.comes);
  assertEquals([...later.coming], [["a2", start + 2 * times.comes]]);
});

Deno.test("surplusDueAt(): when the next member that was let through is late, as long as others are surplus", () => {
  const refusal = (reason: string) => ({
    pod: { namespace: "default", name: "a3" },
    gang,
    reason,
    sentence: "it waits",
    at: start,
  });
  const coming = SharedMap.empty<number>().with("a1", start + 2).with("a2", start + 1);
  const dueAt = (reason: string, now: number) => {
    const refused = SharedMap.empty<ReturnType<typeof refusal>>().with("a3", refusal(reason));
    return surplusDueAt(attended({ coming, refused }), now);
  };
  assertEquals([dueAt("Surplus", start), dueAt("NoPlace", start)], [start + 1, Infinity]);
  assertEquals([dueAt("Surplus", start + 1), dueAt("Surplus", start + 2)], [start + 2, Infinity]);
  const one = coming.without("a2");
  const refused = SharedMap.empty<ReturnType<typeof refusal>>().with("a3", refusal("Surplus"));
  assertEquals(surplusDueAt(attended({ coming: one, refused }), start), start + 2);
});
