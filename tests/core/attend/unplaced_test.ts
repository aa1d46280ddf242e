import { assertEquals } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { LetIn } from "../../../shared/core/attend/standing.ts";
import {
  type MemberPlace,
  openPlaces,
  type Placement,
  sendTo,
} from "../../../shared/core/attend/placement.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import {
  hasUnplaced,
  isLeftOut,
  mayPlace,
  noticeUnplaced,
  wakePlaced,
} from "../../../shared/core/attend/unplaced.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, callOf, gang, kept, letIn, snapshotOf, start } from "../../support/attending.ts";

const other = "default/other";
const whole: Plan = { fit: { members: 1, of: 1 }, taken: [], isShort: false };
const lacks: Plan = { fit: { members: 1, of: 2 }, isShort: false };
const isBehind: Plan = {
  fit: { members: 1, of: 1 },
  ahead: { gang: "default/first", since: "2026-01-01T00:00:00.000Z" },
  isShort: true,
};

function refusalOf(reason: string, kind?: string) {
  return {
    pod: { namespace: "default", name: "a1" },
    gang,
    kind,
    reason,
    sentence: `it waits: ${reason}`,
    at: start,
  };
}

function refused(reason: string, kind?: string): Attended["refused"] {
  return SharedMap.empty<ReturnType<typeof refusalOf>>().with("a1", refusalOf(reason, kind));
}

/** A plan with room for one of kind k on n1. */
const placed: Placement = {
  steering: "strict",
  uses: [{ node: "n1", kind: "k", requests: new Map(), count: 1 }],
  isPublished: false,
  chosen: SharedMap.empty(),
};

Deno.test("a member waits for a place only where that is why it was refused", () => {
  const reasons = ["NoPlace", "Replanned", "NotOffered", "PlannedElsewhere", "JustSeen", "Surplus"];
  const waits = reasons.map((reason) => hasUnplaced(attended({ refused: refused(reason) })));
  assertEquals(waits, [true, true, true, true, false, false]);
  assertEquals(hasUnplaced(attended()), false);
});

/** What is known of a group of which a member waits for a place, and whether it is woken. */
const woken: [id: string, known: Partial<Attended>, isWoken: boolean][] = [
  ["there is a place for it", {}, true],
  ["there is none for its kind", { refused: refused("NoPlace", "l") }, false],
  ["its kind is not known", { refused: refused("NoPlace") }, true],
  ["it waits for something else", { refused: refused("Surplus", "k") }, false],
  ["its group is not let in", { standing: kept }, false],
  ["its group waits for another verdict", { weakened: 1, brokenAt: 1 }, false],
  ["its group is being planned", { plan: undefined }, false],
];

for (const [id, known, isWoken] of woken) {
  Deno.test(`wakePlaced(): where ${id} a member is ${isWoken ? "" : "not "}woken`, () => {
    const group = attended({
      standing: letIn(),
      plan: whole,
      placement: placed,
      refused: refused("NoPlace", "k"),
      ...known,
    });
    assertEquals(wakePlaced(group).effects.map((effect) => effect.do), isWoken ? ["poke"] : []);
  });
}

/** One was sent to n1, where the plan has place for one. */
function sent(uid: string, place: Partial<MemberPlace> = {}): Placement {
  return sendTo(placed, uid, { node: "n1", kind: "k", gang, ...place });
}

/** Where a member goes, or others, and whether it is woken. */
const taken: [id: string, placement: Placement, isWoken: boolean][] = [
  ["its own place is still planned", sent("a1"), true],
  ["its own place is planned no more", { ...sent("a1"), uses: [] }, false],
  [
    "its own place was another kind's",
    sendTo(sent("b1"), "a1", { node: "n1", kind: "l", gang }),
    false,
  ],
  [
    "more were sent there than it has place for",
    sendTo(sent("b1"), "a1", { node: "n1", kind: "k", gang }),
    false,
  ],
  ["a sibling has the only place", sent("b1"), false],
  ["one of another kind was sent there", sent("b1", { kind: "l" }), true],
  ["one of another gang was sent there", sent("b1", { gang: other }), true],
];

for (const [id, placement, isWoken] of taken) {
  Deno.test(`wakePlaced(): where ${id} a member is ${isWoken ? "" : "not "}woken`, () => {
    const waits = refused("NoPlace", "k");
    const group = attended({ standing: letIn(), plan: whole, placement, refused: waits });
    assertEquals(wakePlaced(group).effects.length, isWoken ? 1 : 0);
    assertEquals(openPlaces(placement, { uid: "a1", kind: "k", gang }).length > 0, isWoken);
  });
}

Deno.test("wakePlaced(): the plan is gone through once, however many members of a kind wait for a place", () => {
  let looks = 0;
  const use = {
    ...placed.uses[0]!,
    get kind() {
      looks++;
      return "k";
    },
  };
  const looksFor = (members: number) => {
    looks = 0;
    let waits: Attended["refused"] = SharedMap.empty();
    for (let each = 0; each < members; each++) {
      waits = waits.with(`a${each}`, refusalOf("NoPlace", "k"));
    }
    const placement = { ...sent("b1"), uses: [use] };
    wakePlaced(attended({ standing: letIn(), plan: whole, placement, refused: waits }));
    return looks;
  };
  assertEquals([looksFor(1), looksFor(100)], [1, 1]);
});

const use = { node: "n1", kind: "k", requests: new Map(), count: 1 };

/** Two plans, and whether the second may have a place for a member that the first had none for. */
const plans: [id: string, before: Plan | undefined, plan: Plan, mayPlace: boolean][] = [
  ["the same again", whole, { ...whole }, false],
  ["the first one", undefined, whole, true],
  ["one with a place more", whole, { ...whole, taken: [use] }, true],
  ["one with a place beyond what is needed", whole, { ...whole, surplus: [use] }, true],
  ["one that has none any more", whole, lacks, true],
  ["one that never had any", lacks, { ...lacks, isShort: true }, false],
];

for (const [id, before, plan, expected] of plans) {
  Deno.test(`mayPlace(): ${id}: ${expected}`, () => {
    const group = attended({ plan: before, refused: refused("NoPlace", "k") });
    assertEquals(mayPlace(plan, group), expected);
    assertEquals(mayPlace(plan, { ...group, refused: refused("Surplus", "k") }), false);
  });
}

/** What is known of a group of which a member waits for a place, and whether its round fails by that. */
const stuck: [id: string, known: Partial<Attended>, held: number, isNoted: boolean][] = [
  ["a sibling is held, and the plan lacks room", {}, 1, true],
  ["a sibling is held, and all room is kept for a gang ahead", { plan: isBehind }, 1, true],
  ["nobody is held", {}, 0, false],
  ["the plan has room for all", { plan: whole }, 1, false],
  ["it is being planned", { plan: undefined }, 1, false],
  ["it is not let in", { standing: kept }, 1, false],
  ["the member waits for something else", { refused: refused("Surplus") }, 1, false],
];

for (const [id, known, held, isNoted] of stuck) {
  Deno.test(`noticeUnplaced(): where ${id} the member has ${isNoted ? "" : "not "}failed`, () => {
    const group = attended({
      standing: letIn(),
      plan: lacks,
      refused: refused("NoPlace"),
      ...known,
    });
    const calls = held > 0 ? [callOf("b1")] : [];
    const after = noticeUnplaced(group, snapshotOf({ pending: 1, calls }));
    const { failed } = { failed: undefined, ...after.standing };
    const message = "it waits: NoPlace";
    assertEquals(failed?.get("a1"), isNoted ? { uid: "a1", name: "a1", message, gang } : undefined);
    if (!isNoted) assertEquals(after, group);
  });
}

Deno.test("noticeUnplaced(): who has failed already has not failed anew", () => {
  const known = { uid: "a1", name: "a1", message: "the scheduler's own" };
  const failed = SharedMap.empty<typeof known>().with("a1", known);
  const group = attended({
    standing: letIn({ failed }),
    plan: lacks,
    refused: refused("NoPlace"),
  });
  const { standing } = noticeUnplaced(group, snapshotOf({ calls: [callOf("b1")] }));
  const { hasNewFailure, failed: after } = standing as LetIn;
  assertEquals([hasNewFailure, after.get("a1")?.message], [false, known.message]);
});

/** A group of gangs, of two of which a member is held, and one of `gated` waits behind its gate. */
const gatedOf: [
  id: string,
  known: { plan: Plan; without?: readonly string[]; gated?: string },
  isNoted: boolean,
][] = [
  ["their gang has no place, and a sibling is held", { plan: whole, without: [other] }, true],
  ["no place is lacking", { plan: whole, without: [] }, false],
  ["another gang has no place", { plan: whole, without: ["default/third"] }, false],
  [
    "nobody of their gang is held, which has no place",
    { plan: whole, without: [gang], gated: gang },
    false,
  ],
  ["the plan lacks room for what is needed", { plan: lacks, without: [] }, true],
  ["it needs all of its gangs", { plan: lacks }, false],
];

for (const [id, { plan, without, gated = other }, isNoted] of gatedOf) {
  Deno.test(`noticeUnplaced(): where ${id} members behind gates have ${isNoted ? "" : "not "}failed`, () => {
    const choice = without && { counted: new Set([gang]), without: new Set(without), leftOut: [] };
    const group = attended({
      standing: letIn(),
      plan,
      placement: { ...placed, ...(choice && { choice }) },
    });
    const calls = [callOf("b1", { gang: other }), callOf("c2", { gang: "default/held" })];
    const snapshot = snapshotOf({ calls, gated: [{ uid: "a1", kind: "k", gang: gated }] });
    const { standing } = noticeUnplaced(group, snapshot);
    assertEquals((standing as LetIn).failed.get("a1")?.gang, isNoted ? gated : undefined);
  });
}

Deno.test("isLeftOut(): a member for which the plan has no place, while it has some", () => {
  const failure = { uid: "a1", name: "a1", message: "no node" };
  const leftOut = (known: Partial<Placement>, kind: string | undefined) =>
    isLeftOut(attended({ placement: { ...placed, ...known } }), failure, kind);
  assertEquals(leftOut({}, "l"), true);
  assertEquals(leftOut({}, "k"), false);
  assertEquals(leftOut({}, undefined), false);
  assertEquals(leftOut({ steering: "free" }, "l"), false);
  assertEquals(leftOut({ uses: [] }, "l"), false);
});
