import { assertEquals } from "@std/assert";
import { type Attended, attendedSince } from "../../../shared/core/attend/attended.ts";
import { gatedDueAt, tellGated } from "../../../shared/core/attend/gated_members.ts";
import { followPlan } from "../../../shared/core/attend/placement.ts";
import { refusalOf, retell, retellAt } from "../../../shared/core/attend/refusal.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import type { GatedMember } from "../../../shared/core/attend/snapshot.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { noticeUnplaced } from "../../../shared/core/attend/unplaced.ts";
import { attended, callOf, letIn, snapshotOf, start } from "../../support/attending.ts";

const { placement } = attendedSince("default/a,default/b", 0);
const nobody = { waits: () => true, comes: () => false };
const use = { node: "n1", kind: "k", gang: "default/a", requests: new Map(), count: 2 };
const leftOut = [{ part: "default/b", gangs: ["default/b"], fit: { members: 1, of: 2 } }];

const ours = "default/a";
const theirs = "default/b";
const without = {
  reason: "LeftOut",
  message: "gang default/b needs room for 2 more members and finds it for 1",
} as const;

/** A group of two gangs that starts with the first, and is told why without the second. */
function startsWithout(known: Partial<Attended> = {}): Attended {
  const why = { reason: "Admitted", message: "may be scheduled", leftOut: { [theirs]: without } };
  return attended({
    id: `${ours},${theirs}`,
    standing: letIn({ why: { ...why, reason: "Admitted" } }),
    placement: followPlan(placement, { taken: [use], leftOut, steering: "strict" }, nobody),
    ...known,
  });
}

function gated(uid: string, gang: string, says?: GatedMember["says"]): GatedMember {
  return { uid, kind: "k", gang, ...(says && { says }) };
}

const said = { reason: "Unschedulable", message: `Muster: ${without.message}` } as const;

/** What is known of a group, and which of its members behind the gate are told that it starts without them. */
const told: [id: string, known: Partial<Attended>, gated: GatedMember[], uids: string[]][] = [
  ["those of the gang that is left out", {}, [gated("a1", ours), gated("b1", theirs)], ["b1"]],
  ["who says so already is not told again", {}, [
    gated("b1", theirs, said),
    gated("b2", theirs),
  ], ["b2"]],
  ["nobody where no place is known yet", { placement }, [gated("b1", theirs)], []],
  ["nobody where policy has said nothing of it", { standing: letIn() }, [gated("b1", theirs)], []],
  ["nobody before the group was asked about", { standing: { phase: "collecting" } }, [
    gated("b1", theirs),
  ], []],
];

for (const [id, known, members, uids] of told) {
  Deno.test(`left out, behind the gate: ${id}`, () => {
    const group = startsWithout(known);
    const snapshot = snapshotOf({ pending: members.length, gated: members });
    const dueAt = gatedDueAt(group, snapshot);
    assertEquals(dueAt, uids.length > 0 ? start + times.conditionQuiet : Infinity);
    assertEquals(tellGated(group, snapshot, start).effects, [], "it may start just now");
    const { effects } = tellGated(group, snapshot, start + times.conditionQuiet);
    const says = effects.flatMap((effect) => effect.do === "say" ? effect : []);
    assertEquals(says, uids.length > 0 ? [{ do: "say", uids, ...said }] : []);
    const events = effects.flatMap((effect) => effect.do === "tell" ? effect : []);
    assertEquals(
      events.map(({ uids, reason, type }) => [uids, reason, type]),
      uids.length > 0 ? [[uids, "LeftOut", "Warning"]] : [],
    );
  });
}

Deno.test("left out, behind the gate: all are told where their group is kept out", () => {
  const why = { reason: "InsufficientResources", message: "no room for 4" } as const;
  const group = startsWithout({ standing: { phase: "refused", why, since: start } });
  const members = [gated("a1", ours), gated("b1", theirs)];
  const snapshot = snapshotOf({ pending: 2, gated: members });
  const { effects } = tellGated(group, snapshot, start + times.conditionQuiet);
  const says = effects.flatMap((effect) => effect.do === "say" ? effect : []);
  assertEquals(says.map(({ uids, message }) => [uids, message]), [
    [["a1", "b1"], "Muster: no room for 4"],
  ]);
});

/** A member that `filter` refused with this reason in these words. */
function refusal(uid: string, { gang, reason = "LeftOut", sentence = "Muster: earlier" }: {
  gang: string;
  reason?: string;
  sentence?: string;
}) {
  return { pod: { namespace: "default", name: uid }, gang, kind: "k", reason, sentence, at: start };
}

/** What a member was told, and how much later it hears what is so now, in ms; Infinity: it need not. */
const retold: [id: string, refused: ReturnType<typeof refusal>, afterMs: number][] = [
  [
    "of a gang that is left out, what is so",
    refusal("m", { gang: theirs, sentence: said.message }),
    Infinity,
  ],
  [
    "of a gang that is left out, earlier numbers",
    refusal("m", { gang: theirs }),
    times.retellSame + times.retellSamePerMember,
  ],
  [
    "of a gang that is left out, another reason",
    refusal("m", { gang: theirs, reason: "JustSeen" }),
    times.retell,
  ],
  ["of a gang that its group starts with", refusal("m", { gang: ours }), Infinity],
];

for (const [id, refused, afterMs] of retold) {
  Deno.test(`left out, refused by filter: a member ${id} is ${afterMs < Infinity ? "" : "not "}told anew`, () => {
    const known = SharedMap.empty<typeof refused>().with("m", refused);
    const group = startsWithout({ refused: known });
    const snapshot = snapshotOf({ pending: 1 });
    assertEquals(retellAt(group, snapshot), start + afterMs);
    if (afterMs === Infinity) return;
    assertEquals(retell(group, snapshot, start + afterMs - 1).effects, []);
    const { effects, attended: after } = retell(group, snapshot, start + afterMs);
    assertEquals(effects.map((effect) => effect.do), ["poke"]);
    assertEquals(after.refused.size, 0, "its next refusal says it");
  });
}

Deno.test("left out, refused by filter: a member that was refused since the verdict is not woken again at once", () => {
  const late = { ...refusal("m", { gang: theirs, reason: "Surplus" }), at: start + 500 };
  const refused = SharedMap.empty<typeof late>().with("m", late);
  const group = startsWithout({ refused });
  assertEquals(retellAt(group, snapshotOf({ pending: 1 })), start + 500 + times.retell);
});

Deno.test("left out, refused by filter: a member is told that, and not that another gang lacks members first", () => {
  const { standing } = startsWithout();
  const quotas = new Map([[ours, 2], [theirs, 2]]);
  const refusedAs = (gang: string, known: Partial<Attended> = {}) => {
    const group = startsWithout({
      standing: { ...standing, quotas } as Attended["standing"],
      ...known,
    });
    const placed = (other: string) => other === ours ? 0 : 2;
    return refusalOf(group, { uid: "m", gang, placed }, start)?.reason;
  };
  assertEquals(refusedAs(theirs), "LeftOut");
  assertEquals(refusedAs(theirs, { placement }), "Surplus", "its place is not known yet");
  assertEquals(refusedAs(ours), undefined);
});

Deno.test("left out, refused by filter: nothing is told anew of a group that can do without nobody", () => {
  const refused = SharedMap.empty<ReturnType<typeof refusal>>().with(
    "m",
    refusal("m", { gang: theirs }),
  );
  const group = startsWithout({ refused, placement });
  assertEquals(retellAt(group, snapshotOf({ pending: 1 })), Infinity);
});

Deno.test("left out, refused by filter: nothing is told anew while the group waits for another verdict, which wakes all", () => {
  const refused = SharedMap.empty<ReturnType<typeof refusal>>().with(
    "m",
    refusal("m", { gang: theirs, reason: "JustLost" }),
  );
  const group = startsWithout({ refused, weakened: 1, brokenAt: 1 });
  const snapshot = snapshotOf({ pending: 1 });
  assertEquals(retellAt(group, snapshot), Infinity);
  assertEquals(retell(group, snapshot, start + times.retellSame).effects, []);
});

/** Whose members are held while the plan has room for all that is needed, and who has failed by that. */
const vain: [id: string, held: string[], failed: string[]][] = [
  ["those of a gang that is left out and has begun", [theirs], ["b1", "b2"]],
  ["nobody where those of the other are held", [ours], []],
  ["nobody where none are", [], []],
];

for (const [id, held, expected] of vain) {
  Deno.test(`left out: ${id} can not get a place any more`, () => {
    const refused = SharedMap.empty<ReturnType<typeof refusal>>()
      .with("b1", refusal("b1", { gang: theirs, reason: "NoPlace" }))
      .with("a1", refusal("a1", { gang: ours, reason: "NoPlace" }));
    const plan = { fit: { members: 2, of: 2 }, taken: [use], isShort: false };
    const group = startsWithout({ plan, refused });
    const calls = held.map((gang, index) => callOf(`held${index}`, { gang }));
    const snapshot = snapshotOf({
      pending: 3,
      calls,
      gated: [gated("b2", theirs), gated("a2", ours)],
    });
    const { failed } = { failed: undefined, ...noticeUnplaced(group, snapshot).standing };
    assertEquals([...failed?.keys() ?? []].toSorted(), expected);
  });
}

Deno.test("left out: where the plan lacks room for what is needed all that wait have failed", () => {
  const refused = SharedMap.empty<ReturnType<typeof refusal>>()
    .with("a1", refusal("a1", { gang: ours, reason: "NoPlace" }));
  const group = startsWithout({ plan: { fit: { members: 1, of: 2 }, isShort: false }, refused });
  const snapshot = snapshotOf({
    pending: 3,
    calls: [callOf("held", { gang: ours })],
    gated: [gated("b2", theirs), gated("a2", ours)],
  });
  const { failed } = { failed: undefined, ...noticeUnplaced(group, snapshot).standing };
  assertEquals([...failed?.keys() ?? []].toSorted(), ["a1", "a2", "b2"]);
  assertEquals(failed?.get("a2")?.gang, ours);
});
