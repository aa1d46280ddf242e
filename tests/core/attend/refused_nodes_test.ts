import { assertEquals, assertStrictEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import {
  forget,
  learn,
  nextForgottenAt,
  offeredAgain,
  type RefusedNodes,
  stillRefused,
  withoutUntaken,
} from "../../../shared/core/attend/refused_nodes.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, letIn } from "../../support/attending.ts";

const now = 1_000_000;
const refused = learn(new Map(), { kind: "worker", nodes: ["n1", "n2"], now });

const cases: [id: string, changedAt: number, afterMs: number, expect: string[]][] = [
  ["as long as they do not change", now - 1, 1, ["n1", "n2"]],
  ["not any more when they have changed", now + 1, 2, []],
  ["also where they changed just then", now, 1, ["n1", "n2"]],
  ["not for ever", now - 1, times.refusedNode, []],
  ["not where they are gone", Infinity, 1, []],
];

for (const [id, changedAt, afterMs, expect] of cases) {
  Deno.test(`stillRefused(): nodes are refused ${id}`, () => {
    assertEquals([...standing(refused, { changedAt, at: now + afterMs }).keys()], expect);
  });
}

Deno.test("learn() keeps what is known of other nodes and kinds, and forgets what is long ago", () => {
  const more = learn(refused, { kind: "worker", nodes: ["n3"], now: now + 1 });
  assertEquals([...more.get("worker")!.keys()], ["n1", "n2", "n3"]);
  const other = learn(more, { kind: "launcher", nodes: ["n1"], now });
  assertEquals([...other.keys()], ["worker", "launcher"]);
  const later = learn(more, { kind: "worker", nodes: ["n4"], now: now + times.refusedNode });
  assertEquals([...later.get("worker")!.keys()], ["n3", "n4"]);
});

Deno.test("forget() forgets what offeredAgain() finds: the scheduler takes the kind on those nodes now", () => {
  const both = { uid: "w0", kind: "worker", nodes: ["n0", "n2"], now };
  assertEquals(offeredAgain(refused, both), ["n2"]);
  assertEquals(offeredAgain(refused, { ...both, kind: "launcher" }), []);
  assertEquals(offeredAgain(refused, { ...both, kind: undefined }), []);
  const rest = forget(refused, { kind: "worker", nodes: ["n2"] });
  assertEquals([...standing(rest).keys()], ["n1"]);
  assertEquals(offeredAgain(rest, both), []);
});

Deno.test("a node that was planned with again in vain is so the later the more often, and at once after a while of peace", () => {
  const n1 = { uid: "w0", kind: "worker", nodes: ["n1"] };
  let known = learn(forget(refused, n1), { ...n1, now });
  let at = now;
  const backAfter = Array.from({ length: 5 }, () => {
    assertEquals(offeredAgain(known, n1), []);
    const before = at;
    while (standing(known, { at }).has("n1")) at += times.triedNode;
    assertEquals(nextForgottenAt([{ attended: { refusedNodes: known } }], before), at);
    known = learn(known, { ...n1, now: at });
    return (at - before) / times.triedNode;
  });
  assertEquals(backAfter, [1, 2, 4, 6, 6]);
  const later = at + times.refusedNode;
  assertEquals(offeredAgain(learn(known, { ...n1, now: later }), n1), ["n1"]);
});

/** By member w1, which no node took, more are refused. */
const byOne = { kind: "worker", nodes: ["n3", "n4"], now, untaken: "w1" };

Deno.test("offeredAgain(): where no node took a member it says nothing that others of its kind are taken", () => {
  const none = learn(refused, byOne);
  const offered = (uid: string) =>
    offeredAgain(none, { uid, kind: "worker", nodes: ["n1", "n3", "n4"] });
  assertEquals([offered("w1"), offered("w2")], [["n1", "n3", "n4"], ["n1"]]);
});

Deno.test("forget(): where a node takes a member that none took, none is refused any more by that", () => {
  const none = learn(refused, byOne);
  const forgets = (node: string, known = none) => [
    ...standing(forget(known, { kind: "worker", nodes: [node] })).keys(),
  ];
  assertEquals(forgets("n3"), ["n1", "n2"]);
  assertEquals(forgets("n1"), ["n2", "n3", "n4"], "that one was not offered when others were");
  const vain = learn(forget(none, { kind: "worker", nodes: ["n4"] }), { ...byOne, nodes: ["n4"] });
  const both = learn(vain, { ...byOne, nodes: ["n5"] });
  assertEquals(forgets("n5", both), ["n1", "n2", "n4"], "time alone brings back what was in vain");
});

Deno.test("withoutUntaken(): what is known by a member that is gone, or held, is not known any more", () => {
  const none = learn(refused, byOne);
  assertEquals([...standing(withoutUntaken(none, "w1")).keys()], ["n1", "n2"]);
  const kinds = learn(none, { kind: "launcher", nodes: ["n3"], now });
  assertEquals([...standing(withoutUntaken(kinds, "w1")).keys()], ["n1", "n2"], "of any kind");
  assertStrictEquals(withoutUntaken(none, "w2"), none);
  const group = attended({ refusedNodes: none, standing: letIn() });
  const left = { is: "member left", uid: "w1", isIncomplete: false } as const;
  for (const event of [left, { is: "call opened", uid: "w1" } as const]) {
    const { refusedNodes } = advance(group, event, now).attended;
    assertEquals([...standing(refusedNodes).keys()], ["n1", "n2"], event.is);
  }
});

/** Of nodes that still refuse workers how many more each takes, where so many have these. */
function standing(
  known: RefusedNodes,
  { at = now, changedAt = 0, alike = {} }: {
    at?: number;
    changedAt?: number;
    alike?: Record<string, number>;
  } = {},
): ReadonlyMap<string, number> {
  const alikeOn = () => new Map(Object.entries(alike));
  const still = stillRefused(known, { changedAt: () => changedAt, now: at, alikeOn });
  return still.get("worker")?.more ?? new Map();
}

/** A node that refuses a third worker, and one that refuses the first. */
const full = learn(new Map(), {
  kind: "worker",
  nodes: ["n1", "n2"],
  now,
  thereOn: (node) => node === "n1" ? 2 : 0,
});

Deno.test("stillRefused(): a node that refused one more takes as many as were there then", () => {
  const taken: [there: number, more: number][] = [[0, 2], [1, 1], [2, 0], [3, 0]];
  for (const [there, more] of taken) {
    assertEquals([...standing(full, { alike: { n1: there, n2: 0 } })], [["n1", more], ["n2", 0]]);
  }
});

Deno.test("stillRefused(): a node that takes some may take more after a minute, one that takes none later", () => {
  const at = now + times.triedNodeMost;
  assertEquals([...standing(full, { at: at - 1 }).keys()], ["n1", "n2"]);
  assertEquals([...standing(full, { at }).keys()], ["n2"]);
});

Deno.test("stillRefused(): of what nodes take the least is said, where any takes some", () => {
  const eachOf = (known: RefusedNodes) =>
    stillRefused(known, { changedAt: () => 0, now, alikeOn: () => new Map() }).get("worker")?.each;
  const more = learn(full, { kind: "worker", nodes: ["n3"], now, thereOn: () => 1 });
  assertEquals([eachOf(refused), eachOf(full), eachOf(more)], [undefined, 2, 1]);
});

Deno.test("learn(): what a node takes is what it took when it refused one last", () => {
  const takes = (there: number, before = full) =>
    learn(before, { kind: "worker", nodes: ["n1"], now, thereOn: () => there });
  for (const there of [1, 3, 0]) assertEquals(standing(takes(there)).get("n1"), there);
  const believed = forget(full, { kind: "worker", nodes: ["n1", "n2"] });
  const tries = (there: number) => takes(there, believed).get("worker")!.get("n1")!.tries;
  assertEquals([tries(1), tries(0)], [0, 1], "that it takes fewer is no trial in vain");
});

Deno.test("offeredAgain(): of a node that takes some it says something while as many are there", () => {
  const offered = (there: number, known = full) =>
    offeredAgain(known, { uid: "w0", kind: "worker", nodes: ["n1"], thereOn: () => there });
  assertEquals([0, 1, 2, 3].map((there) => offered(there).length), [0, 0, 1, 1]);
  const byOther = learn(new Map(), { ...byOne, thereOn: () => 1 });
  const offeredTo = (uid: string) =>
    offeredAgain(byOther, { uid, kind: "worker", nodes: ["n3"], thereOn: () => 1 });
  assertEquals([offeredTo("w1"), offeredTo("w2")], [["n3"], []]);
});

Deno.test("nextForgottenAt() is when the first node comes back by time alone", () => {
  const later = learn(refused, { kind: "launcher", nodes: ["n3"], now: now + 1 });
  const groups = [{ attended: { refusedNodes: later } }, { attended: { refusedNodes: new Map() } }];
  const first = now + times.refusedNode;
  assertEquals(nextForgottenAt(groups, now), first);
  assertEquals(nextForgottenAt(groups, first), first + 1);
  assertEquals(nextForgottenAt(groups, first + 1), Infinity);
});

Deno.test("stillRefused(): kinds of which no node is refused are not named", () => {
  const alikeOn = () => new Map();
  const still = stillRefused(refused, { changedAt: () => Infinity, now, alikeOn });
  assertEquals(still.size, 0);
});

Deno.test("stillRefused(): the same nodes are the same object, which plans remember", () => {
  const standingOf = (changed: string) => {
    const changedAt = (node: string) => node === changed ? now + 1 : now;
    const alikeOn = () => new Map();
    return stillRefused(refused, { changedAt, now: now + 2, alikeOn }).get("worker")!;
  };
  const [both, first] = [standingOf("none"), standingOf("n2")];
  assertStrictEquals(standingOf("n2"), first);
  const names = [both, first, standingOf("n1")].map(({ more }) => [...more.keys()]);
  assertEquals(names, [["n1", "n2"], ["n1"], ["n2"]]);
});
