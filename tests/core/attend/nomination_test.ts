import { assertEquals } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { advance } from "../../../shared/core/attend/advance.ts";
import {
  nominate,
  nominateCleared,
  nominationsEndAt,
  takeBack,
} from "../../../shared/core/attend/nomination.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import type { Effect } from "../../../shared/core/attend/effect.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { attended, gang, kept, letIn, snapshotOf, start } from "../../support/attending.ts";

const whole: Plan = { fit: { members: 2, of: 2 }, isShort: false };

const askingToEnter = {
  question: {
    stage: "prefilter",
    request: snapshotOf({ minMember: 2, pending: 2 }).group,
  },
  weakened: 0,
  specs: "",
  present: 2,
  calls: [],
  wasLetIn: false,
} as const;

const cases: [id: string, group: Partial<Attended>, expect: number][] = [
  ["let in, and victims leave: not yet", { standing: letIn() }, Infinity],
  ["let in, and there is room: when the scheduler should have tried it", {
    standing: letIn(),
    fitsSince: start,
  }, start + 4000],
  ["not let in: as soon as no cycle is under way", { standing: kept }, start + 1000],
  ["not let in, whatever room there is", { standing: kept, fitsSince: 0 }, start + 1000],
  ["in the pause after a failed round: not yet", {
    standing: { ...kept, why: { reason: "MemberLost", message: "its member left" } },
    plan: whole,
    fitsSince: 0,
  }, Infinity],
  ["not let in, and asked about: not yet", { standing: kept, asking: askingToEnter }, Infinity],
];

for (const [id, parts, expect] of cases) {
  Deno.test(`nominationsEndAt(): ${id}`, () => {
    assertEquals(nominationsEndAt(attended(parts)), expect);
  });
}

Deno.test("takeBack(): a nomination is taken back once, until its pod has changed", () => {
  const group = attended({ standing: kept });
  const facts = (version: string) => ({
    ...snapshotOf({ pending: 2 }),
    nominated: () => [{ uid: "a", node: "n1", version }],
  });
  const first = takeBack(group, facts("1"), start + 1000);
  assertEquals(first.effects, [{ do: "unnominate", uids: ["a"] }]);
  assertEquals(takeBack(first.attended, facts("1"), start + 2000).effects, []);
  assertEquals(takeBack(first.attended, facts("2"), start + 2000).effects, first.effects);
});

Deno.test("takeBack(): where pods leave for a gang, of its nominations those that keep others from their nodes, which come again", () => {
  const goals = [{ uid: "a", node: "n1" }, { uid: "b", node: "n2" }] as const;
  const clearance = { taken: [], members: goals, victims: [], names: ["default/low"] };
  const told = { leaving: true } as never;
  const group = attended({ standing: kept, told, clearance });
  const { attended: nominated } = nominateCleared(group);
  const facts = {
    ...snapshotOf({ pending: 2 }),
    nominated: () => goals.map((goal) => ({ ...goal, version: "1" })),
  };
  assertEquals(takeBack(nominated, facts, start).effects, []);
  const members = [goals[0], { ...goals[1], isAfterOthers: true as const }];
  const after = takeBack({ ...nominated, clearance: { ...clearance, members } }, facts, start);
  assertEquals(after.effects, [{ do: "unnominate", uids: ["b"] }]);
  assertEquals(nominateCleared(after.attended).effects, []);
  const again = nominateCleared({ ...after.attended, clearance });
  assertEquals(again.effects, [{ do: "nominate", members: [goals[1]] }]);
});

/** Two members that go to n1 and n2. */
function planOf(nodes: readonly string[], known: Partial<Plan> = {}): Plan {
  const taken = nodes.map((node) => ({ node, kind: "worker", requests: new Map(), count: 1 }));
  const fit = { members: nodes.length, of: nodes.length };
  return { fit, taken, isShort: false, steering: "strict", isPublished: true, ...known };
}

const gated = ["a1", "a2"].map((uid) => ({ uid, kind: "worker", gang }));

/** A gated group, as it is planned and let in. */
function letInBy(plan: Plan, known: Partial<Attended> = {}): Attended {
  const planned = advance(
    attended({ asking: askingToEnter, ...known }),
    { is: "planned", plan, waits: () => true },
    start,
  ).attended;
  return answered(planned).attended;
}

function answered(group: Attended) {
  const answer = { verdict: "allow", reason: "Admitted", message: "it may" } as const;
  const snapshot = snapshotOf({ minMember: 2, pending: 2, gated });
  return advance(group, { is: "answered", answer, snapshot }, start);
}

/** These are to leave for a1. */
function clearanceOf(victims: readonly string[]) {
  return { taken: [], members: [{ uid: "a1", node: "n1" }], victims, names: [] };
}

function nominations(effects: readonly Effect[]): unknown {
  return effects.flatMap((effect) =>
    effect.do === "nominate" ? effect.members.map(({ uid, node }) => `${uid} to ${node}`) : []
  );
}

const facts = { ...snapshotOf({ pending: 2, gated }), nominated: () => [] };

Deno.test("nominate(): gated members of a group that was let in learn their places, once", () => {
  const { attended, effects } = nominate(letInBy(planOf(["n1", "n2"])), facts);
  assertEquals(nominations(effects), ["a1 to n1", "a2 to n2"]);
  assertEquals(nominate(attended, facts).effects, []);
});

Deno.test("nominate(): who waits behind gates of others takes no place from those who do not", () => {
  const [a1, a2] = gated as [typeof gated[number], typeof gated[number]];
  const some = [{ ...a1, isGatedByOthers: true as const }, a2];
  const snapshot = { ...facts, gated: () => some };
  assertEquals(nominations(nominate(letInBy(planOf(["n1", "n2"])), snapshot).effects), [
    "a2 to n1",
  ]);
});

Deno.test("nominate(): nobody is nominated where it does not pay", () => {
  const { steering: _, isPublished: __, ...plan } = planOf(["n1", "n2"]);
  assertEquals(nominate(letInBy(plan), facts).effects, []);
});

Deno.test("nominate(): who has its place elsewhere by another plan is nominated there, and nobody else", () => {
  const before = nominate(letInBy(planOf(["n1", "n2"])), facts).attended;
  const { attended, effects } = advance(before, {
    is: "planned",
    plan: planOf(["n1", "n3"]),
    waits: () => true,
  }, start);
  assertEquals(effects, [{ do: "look" }]);
  assertEquals(nominations(nominate(attended, facts).effects), ["a2 to n3"]);
});

Deno.test("a refused member that is let in learns its place in the write that wakes it", () => {
  const pod = { namespace: "default", name: "a1" };
  const refusal = { pod, gang, kind: "worker", reason: "JustSeen", sentence: "", at: start };
  const refused = SharedMap.empty<typeof refusal>().with("a1", refusal);
  const planned = advance(attended({ asking: askingToEnter, refused }), {
    is: "planned",
    plan: planOf(["n1", "n2"]),
    waits: () => true,
  }, start).attended;
  const { effects } = answered(planned);
  assertEquals(effects.filter((effect) => effect.do === "poke"), [
    { do: "poke", pod, uid: "a1", node: "n1" },
  ]);
});

Deno.test("a member for which others have left learns its node in the write that wakes it, also where places are not published", () => {
  const pod = { namespace: "default", name: "a1" };
  const refusal = {
    pod,
    gang,
    kind: "worker",
    reason: "InsufficientResources",
    sentence: "",
    at: start,
  };
  const refused = SharedMap.empty<typeof refusal>().with("a1", refusal);
  const nominated = SharedMap.empty<string>().with("a1", "n1");
  const wokenBy = (nodes: string[]) => {
    const { steering: _, isPublished: __, ...plan } = planOf(nodes);
    const before = { standing: kept, asking: askingToEnter, clearance: clearanceOf([]) };
    const { attended: planned } = advance(
      attended({ ...before, refused, nominated }),
      { is: "planned", plan, waits: () => true },
      start,
    );
    return answered(planned).effects.filter((effect) => effect.do === "poke");
  };
  assertEquals(wokenBy(["n1", "n2"]), [{ do: "poke", pod, uid: "a1", node: "n1" }]);
  assertEquals(wokenBy(["n2", "n3"]), [{ do: "poke", pod, uid: "a1" }], "it is elsewhere by now");
});

Deno.test("nominateCleared(): members are nominated anew where others took the room, and are to leave in their turn", () => {
  const planned = (group: Attended, victims: readonly string[]) =>
    nominateCleared(
      advance(group, {
        is: "planned",
        plan: { ...whole, clearance: clearanceOf(victims) },
        waits: () => true,
      }, start).attended,
    );
  const first = planned(attended({ standing: letIn() }), ["low"]);
  assertEquals(nominations(first.effects), ["a1 to n1"]);
  const still = planned(first.attended, ["low"]);
  assertEquals(nominations(still.effects), []);
  const gone = planned(still.attended, []);
  assertEquals(nominations(gone.effects), []);
  assertEquals(nominations(planned(gone.attended, ["lower"]).effects), ["a1 to n1"]);
});

Deno.test("takeBack(): who is on the way to its place stays nominated; not so when its gang is not let in any more", () => {
  const entered = nominate(letInBy(planOf(["n1", "n2"])), facts).attended;
  const nominated = ["n1", "n9"].map((node, index) => ({
    uid: `a${index + 1}`,
    node,
    version: "1",
  }));
  const seen = { ...facts, nominated: () => nominated };
  const later = start + 60_000;
  assertEquals(takeBack(entered, seen, later).effects, [{ do: "unnominate", uids: ["a2"] }]);
  const closed = { ...entered, standing: kept };
  assertEquals(takeBack(closed, seen, later).effects, [{ do: "unnominate", uids: ["a1", "a2"] }]);
});

Deno.test("nominate(): where places are not published nobody is nominated, and it is not looked for again", () => {
  const { attended: group, effects } = nominate(
    attended({ standing: letIn(), plan: whole, isToNominate: true }),
    snapshotOf({ pending: 2, gated }),
  );
  assertEquals([effects, group.isToNominate], [[], false]);
});
