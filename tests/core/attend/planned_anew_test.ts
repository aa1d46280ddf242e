import { assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, gang, start, told } from "../../support/attending.ts";

const taken = [{ node: "n1", kind: "k", requests: new Map(), count: 1 }];
const whole: Plan = { fit: { members: 3, of: 3 }, taken, isShort: false };
const short: Plan = { fit: { members: 1, of: 3 }, isShort: true };
const elsewhere: Plan = { ...whole, taken: [{ ...taken[0]!, node: "n2" }] };
const reservation = { startsAt: start + 3_600_000, uses: [] };
const known = { ...told, plan: JSON.stringify([whole.fit, undefined]) };
const place = { node: "n1", kind: "k", gang };
const sent = {
  steering: "strict",
  uses: taken,
  isPublished: true,
  chosen: SharedMap.empty<typeof place>().with("a1", place),
} as const;
const unplaced = {
  pod: { namespace: "default", name: "a1" },
  gang,
  reason: "NoPlace",
  sentence: "Muster: it waits for a place",
  at: start,
};

/** What is known of a group that is planned anew, and whether it is looked at for that. */
const plans: [id: string, known: Partial<Attended>, plan: Plan, isLookedAt: boolean][] = [
  ["as it was", {}, whole, false],
  ["elsewhere, and nobody was sent anywhere", {}, elsewhere, false],
  [
    "elsewhere, and a member was nominated there",
    {
      placement: sent,
      nominated: SharedMap.empty<string>().with("a1", "n1"),
    },
    elsewhere,
    true,
  ],
  [
    "elsewhere, and a member was nominated where it stays",
    {
      placement: sent,
      nominated: SharedMap.empty<string>().with("a1", "n1"),
    },
    { ...whole, taken: [...taken] },
    false,
  ],
  [
    "elsewhere, and a member waits for a place",
    {
      refused: SharedMap.empty<typeof unplaced>().with("a1", unplaced),
    },
    elsewhere,
    true,
  ],
  [
    "as it was, and a member waits for a place",
    {
      refused: SharedMap.empty<typeof unplaced>().with("a1", unplaced),
    },
    { ...elsewhere, taken },
    false,
  ],
  [
    "with a start that can be told now",
    {
      plan: short,
      told: { ...told, plan: JSON.stringify([short.fit, undefined]) },
    },
    { ...short, reservation },
    true,
  ],
  [
    "as it was, but without one of its gangs",
    {},
    { ...whole, leftOut: [{ part: "default/b", gangs: ["default/b"] }] },
    true,
  ],
  [
    "with room once others have left, after a plan that was not told",
    { plan: short, told },
    { ...short, fit: { ...short.fit, byPreemption: 2 } },
    true,
  ],
];

for (const [id, more, plan, isLookedAt] of plans) {
  Deno.test(`advance(): a group that is planned ${id} is ${isLookedAt ? "" : "not "}looked at`, () => {
    const group = attended({ plan: whole, told: known, ...more });
    const { effects } = advance(group, { is: "planned", plan, waits: () => true }, start);
    assertEquals(effects.map((effect) => effect.do), isLookedAt ? ["look"] : []);
  });
}

Deno.test("advance(): since when a group lacks room, and since when it has some", () => {
  const since = (more: Partial<Attended>, plan: Plan) => {
    const event = { is: "planned", plan, waits: () => true } as const;
    const { shortSince, fitsSince } = advance(attended(more), event, start).attended;
    return [shortSince, fitsSince];
  };
  assertEquals(since({}, short), [start, undefined]);
  assertEquals(since({ shortSince: 7 }, short), [7, undefined]);
  assertEquals(since({ shortSince: 7 }, whole), [undefined, start]);
  assertEquals(since({ fitsSince: 7 }, whole), [undefined, 7]);
  assertEquals(since({ fitsSince: 7 }, { ...whole, isShort: true }), [start, 7]);
});

Deno.test("advance(): of two members that had one place it is the one that is on its way which keeps it", () => {
  const chosen = SharedMap.empty<typeof place>().with("a1", place).with("a2", place);
  const kept = (until: number) => {
    const coming = SharedMap.empty<number>().with("a2", until);
    const group = attended({ placement: { ...sent, chosen }, coming });
    const event = { is: "planned", plan: whole, waits: () => true } as const;
    return [...advance(group, event, start).attended.placement.chosen.keys()];
  };
  assertEquals(kept(start + 1), ["a2"]);
  assertEquals(kept(start), ["a1"]);
});

Deno.test("advance(): what is known of a group that is planned as before stays the same object", () => {
  const advanced = (group: Attended, plan: Plan) =>
    advance(group, { is: "planned", plan, waits: () => true }, start + 1).attended;
  const group = advanced(attended({ told: known }), short);
  assertStrictEquals(advanced(group, short), group);
  for (const other of [{ ...short }, { ...short, isShort: false }, { ...short, reservation }]) {
    assertEquals(advanced(group, other).plan, other);
    assertNotStrictEquals(advanced(group, other), group);
  }
  const published = advanced(group, { ...short, isPublished: true });
  assertEquals([group, published].map(({ placement }) => placement.isPublished), [false, true]);
});
