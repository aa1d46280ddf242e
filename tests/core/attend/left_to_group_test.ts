import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import type { Attended, Evicting, Refusal } from "../../../shared/core/attend/attended.ts";
import {
  mayEvictSince,
  nextEvictsAt,
  wakeWhoMayEvict,
} from "../../../shared/core/attend/left_to_group.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { reasonOfEvictions } from "../../../shared/core/attend/surplus.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, gang, kept, letIn, snapshotOf, start } from "../../support/attending.ts";

const pod = { namespace: "default", name: "m" };

function of(reason: string): Refusal {
  return { pod, gang, reason, sentence: "", at: start, isByPreempt: true };
}

/** Left to its group on these nodes, where it has room. */
function left(reason: string, ...leftToGroup: Evicting[]): Refusal {
  return { ...of(reason), leftToGroup };
}

/** A gang that needs so many more members, for which there is room. */
function needs(members: number, known: Partial<Attended>): Attended {
  const plan = { fit: { members, of: members }, taken: [], isShort: false };
  return attended({ standing: letIn(), plan, ...known });
}

Deno.test("mayEvictSince(): members that left evictions to their group, as soon as it has what it needs without them", () => {
  const refused = SharedMap.empty<Refusal>()
    .with("a", left(reasonOfEvictions)).with("b", left("NoPlace")).with("c", of("NoPlace"));
  const group = needs(1, { refused });
  const coming = SharedMap.empty<number>().with("a", start + 1);
  assertEquals(mayEvictSince(group, start), []);
  assertEquals(mayEvictSince({ ...group, coming }, start), ["b"]);
  assertEquals(mayEvictSince({ ...group, coming }, start + 1), []);
  const both = coming.with("b", start + 1);
  assertEquals(mayEvictSince({ ...group, coming: both }, start), ["a", "b"]);
  const enough = needs(0, { refused });
  assertEquals(mayEvictSince(enough, start), ["a", "b"]);
  assertEquals(mayEvictSince({ ...enough, plan: undefined }, start), []);
  assertEquals(mayEvictSince({ ...enough, standing: kept }, start), []);
  assertEquals(nextEvictsAt({ ...group, coming }, start), Infinity);
});

Deno.test("mayEvictSince(): and where it has room, as soon as the scheduler has heard of that, and no sibling comes for it", () => {
  const on = { node: "n1", fits: 1, changedAt: start };
  const refused = SharedMap.empty<Refusal>().with("a", left(reasonOfEvictions, on));
  const heard = start + times.heard;
  const mayAt = (known: Partial<Attended>, now: number) =>
    mayEvictSince(needs(2, { refused, ...known }), now).length > 0;
  assertEquals([mayAt({}, heard - 1), mayAt({}, heard)], [false, true]);
  assertEquals(nextEvictsAt(needs(2, { refused }), start), heard);

  const coming = SharedMap.empty<number>().with("b", heard + 5).with("gone", start);
  assertEquals([mayAt({ coming }, heard), mayAt({ coming }, heard + 5)], [false, true]);
  assertEquals(nextEvictsAt(needs(2, { refused, coming }), start), heard + 5);

  const nominated = SharedMap.empty<string>().with("b", "n1");
  assertEquals([mayAt({ nominated }, heard), mayAt({ standing: kept }, heard)], [false, false]);
  const two = SharedMap.empty<Refusal>()
    .with("a", left(reasonOfEvictions, { ...on, changedAt: heard }, { ...on, node: "n2" }));
  assertEquals(nextEvictsAt(needs(2, { refused: two }), start), heard);
  assertEquals(nextEvictsAt(needs(2, { refused: two, nominated }), start), heard);
});

Deno.test("mayEvictSince(): whom one counts among those that come is counted for others once, and never for itself", () => {
  const heard = start + times.heard;
  const on = (fits: number) => ({ node: "n1", fits, changedAt: start });
  const refused = (fits: number) =>
    SharedMap.empty<Refusal>().with("a", left(reasonOfEvictions, on(fits)))
      .with("b", left(reasonOfEvictions, on(fits)));
  const coming = SharedMap.empty<number>().with("a", heard + 1).with("c", heard + 1);
  const nominated = SharedMap.empty<string>().with("a", "n1").with("c", "n1").with("d", "n2");
  const mayFor = (fits: number) =>
    mayEvictSince(needs(9, { refused: refused(fits), coming, nominated }), heard);
  assertEquals([1, 2, 3].map(mayFor), [[], ["a"], ["a", "b"]]);
});

Deno.test("wakeWhoMayEvict(): whoever is told where to go is one less that the group needs, and others wake by that", () => {
  const on = { node: "n1", fits: 1, changedAt: start - times.heard };
  const refused = SharedMap.empty<Refusal>()
    .with("a", { ...left(reasonOfEvictions, on), kind: "k" })
    .with("b", left(reasonOfEvictions)).with("c", of("NoPlace"));
  const placement: Attended["placement"] = {
    steering: "strict",
    uses: [{ node: "n1", kind: "k", requests: new Map(), count: 1 }],
    isPublished: true,
    chosen: SharedMap.empty(),
  };
  const { attended: after, effects } = wakeWhoMayEvict(needs(1, { refused, placement }), start);
  assertEquals(effects.flatMap((effect) => effect.do === "poke" ? effect.uid : []), ["a", "b"]);
  assertEquals([...after.refused.keys()], ["c"]);
});

Deno.test("advance(): who left evictions to the group is woken when the group is planned that needs no more", () => {
  const refused = SharedMap.empty<Refusal>().with("a", left(reasonOfEvictions));
  const group = attended({ standing: letIn(), refused });
  const plannedFor = (of: number) =>
    advance(group, {
      is: "planned",
      plan: { fit: { members: of, of }, isShort: false },
      waits: () => true,
    }, start);
  assertEquals(plannedFor(0).effects, [{ do: "look" }]);
  const seen = { is: "look", snapshot: snapshotOf({ pending: 1 }), longestHold: 1000 } as const;
  const { effects, attended: after } = advance(plannedFor(0).attended, seen, start);
  assertEquals(effects.filter((effect) => effect.do === "poke"), [
    { do: "poke", pod, uid: "a", isRoused: true },
  ]);
  assertEquals(after.refused.size, 0);
});

Deno.test("advance(): a look is taken again when the scheduler has heard of the room of whoever left evictions to the group", () => {
  const on = { node: "n1", fits: 1, changedAt: start };
  const refused = SharedMap.empty<Refusal>().with("a", left(reasonOfEvictions, on));
  const group = needs(2, { refused, told: undefined });
  const seen = { is: "look", snapshot: snapshotOf({ pending: 2 }), longestHold: 1000 } as const;
  const first = advance(group, seen, start);
  const wakes = first.effects.filter((effect) => effect.do === "wake");
  assertEquals(wakes, [{ do: "wake", at: start + times.heard }]);
  const { effects } = advance(first.attended, seen, start + times.heard);
  assertEquals(effects.flatMap((effect) => effect.do === "poke" ? effect.uid : []), ["a"]);
});
