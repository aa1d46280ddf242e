import { assertEquals } from "@std/assert";
import { isTriedAlone, type OfferedMember } from "../../../shared/core/attend/offer.ts";
import { learn } from "../../../shared/core/attend/refused_nodes.ts";
import type { Snapshot } from "../../../shared/core/attend/snapshot.ts";
import type { PodRef } from "../../../shared/core/gang/facts.ts";
import { DeltaWriter } from "../../../shared/core/record/delta_text.ts";
import { HeardOffer, offerFrom } from "../../../shared/core/record/heard_offer.ts";
import { placedFrom, SnapshotReader } from "../../../shared/core/record/snapshot_reader.ts";
import {
  HeardPlaced,
  HeardSnapshot,
  SnapshotWriter,
} from "../../../shared/core/record/snapshot_writer.ts";
import { attended, callOf, gang, snapshotOf } from "../../support/attending.ts";
import { gang as factsOf, pod } from "../../support/facts.ts";

function heardOf(snapshot: Snapshot, ask: (heard: Snapshot) => void = () => {}): HeardSnapshot {
  const heard = new HeardSnapshot(snapshot);
  ask(heard.snapshot);
  return heard;
}

/** What is written of snapshots, one after another. */
function written(...heard: HeardSnapshot[]) {
  const writer = new SnapshotWriter();
  return heard.map((each) => JSON.parse(JSON.stringify(writer.write(each))));
}

const waits = snapshotOf({ pending: 2 });
const failure = { uid: "a1", name: "a1", message: "no node" };

Deno.test("of a snapshot that is like the one before nothing is written, nor of what was not asked", () => {
  const fewer = { ...waits, present: 1, pending: 1 };
  const texts = written(heardOf(waits), heardOf(waits), heardOf(waits), heardOf(fewer));
  assertEquals(
    Object.keys(texts[0]).toSorted().join(" "),
    "calls counts epoch gangs isForeign isGone lacksMap pending present relayId specs title",
  );
  assertEquals(texts[2], { epoch: 1 });
  assertEquals(texts[3], { epoch: 1, present: 1, pending: 1 });
});

Deno.test("calls, and what a snapshot answered, are written once, and what was asked each time", () => {
  const held = snapshotOf({ pending: 1, calls: [callOf("a1")], unschedulable: [failure] });
  const asks = (heard: Snapshot) => {
    heard.unschedulable();
    heard.placed(gang);
  };
  const [first, , again] = written(heardOf(held, asks), heardOf(held, asks), heardOf(held, asks));
  assertEquals([first.newCalls.length, first.calls, first.newItems], [1, [1], [failure]]);
  assertEquals(again, { epoch: 1, unschedulable: [0], placed: [[gang, [], 1]] });
});

Deno.test("nodes that have room are read for the kinds that were asked for; older recordings know of none", () => {
  const snapshot = snapshotOf({ pending: 1, untaken: { k: ["n1"], l: ["n2"] } });
  const asks = ({ untaken }: Snapshot) => [untaken("k"), untaken("k")];
  const [text] = written(heardOf(snapshot, asks));
  assertEquals(text.untaken, [["k", ["n1"]]]);
  const read = new SnapshotReader().read(text, () => {});
  assertEquals([read.untaken("k"), read.untaken("l")], [["n1"], []]);
  const { untaken: _, ...older } = text;
  assertEquals(new SnapshotReader().read(older, () => {}).untaken("k"), []);
});

Deno.test("how many members of a kind have nodes is read where any have; older recordings know of none", () => {
  const snapshot = snapshotOf({ pending: 1, alikeOn: { k: { n1: 2 } } });
  const asks = ({ alikeOn }: Snapshot) => [alikeOn("k"), alikeOn("l")];
  const [text] = written(heardOf(snapshot, asks));
  assertEquals(text.alikeOn, [["k", [["n1", 2]]]]);
  const { alikeOn: _, ...older } = text;
  const [read, before] = [text, older].map((each) => new SnapshotReader().read(each, () => {}));
  assertEquals([[...read!.alikeOn("k")], [...read!.alikeOn("l")]], [[["n1", 2]], []]);
  assertEquals(before!.alikeOn("k").size, 0);
});

Deno.test("held members whose nodes are lost are read as they were written, of that snapshot alone", () => {
  const one = snapshotOf({ calls: [callOf("a1")], stranded: ["a1"] });
  const texts = written(heardOf(one), heardOf(waits));
  const reader = new SnapshotReader();
  const read = texts.map((text) => reader.read(text, () => {}).stranded);
  assertEquals(read, [["a1"], []]);
});

const calls = [callOf("a1"), callOf("b2", { gang: "default/b" })];
const held: Snapshot = { ...waits, calls: new Map(calls.map((call) => [call.pod.uid, call])) };

/** Held members of two gangs, and which of them are written because they are not those of the calls. */
const members: [id: string, held: string[][], written: (string[] | undefined)[]][] = [
  ["those of the calls", [["a1"], ["b2"]], [undefined, undefined]],
  ["none of one of them", [[], ["b2"]], [[], undefined]],
  ["others", [["a3"], ["b4"]], [["a3"], ["b4"]]],
  ["those of the calls and another", [["a1", "a3"], ["b2"]], [["a1", "a3"], undefined]],
  ["another and those of the calls", [["a3", "a1"], ["b2"]], [["a3", "a1"], undefined]],
];

for (const [id, uids, expect] of members) {
  Deno.test(`a snapshot of two gangs is read as it was written, with ${id} held`, () => {
    const pods = new Map(calls.map(({ pod }) => [pod.uid, pod]));
    const gangs = ["gang", "b"].map((name, index) => ({
      ...factsOf({ name, minMember: 2 }),
      held: uids[index]!.map((uid) => pods.get(uid) ?? pod(uid)),
    }));
    const snapshot = { ...held, group: { ...held.group, gangs } };
    const text = new SnapshotWriter().write(new HeardSnapshot(snapshot));
    assertEquals(text.gangs?.map(({ held }) => held?.map(({ uid }) => uid)), expect);
    const read = new SnapshotReader().read(JSON.parse(JSON.stringify(text)), () => {});
    assertEquals(read.group.gangs.map(({ held }) => held.map(({ uid }) => uid)), uids);
    assertEquals([...read.calls.values()], calls);
  });
}

Deno.test("of two calls of a gang both are those of its held members, in their order", () => {
  const two = snapshotOf({ calls: [callOf("a1"), callOf("a2")] });
  const [facts] = two.group.gangs;
  const isWritten = (held: PodRef[]) => {
    const gangs = [{ ...facts!, held }];
    const [text] = written(heardOf({ ...two, group: { ...two.group, gangs } }));
    return "held" in text.gangs[0];
  };
  const [a1, a2] = facts!.held as [PodRef, PodRef];
  const all = [[a1, a2], [a2, a1], [a1, pod("a3")], [a1]];
  assertEquals(all.map(isWritten), [false, true, true, true]);
});

Deno.test("how members were counted is written with those that were coming, and nothing where nobody asked", () => {
  const heard = new HeardPlaced();
  assertEquals(heard.text, undefined);
  const placed = heard.listenTo((_, comes) => ["a1", "a2"].filter((uid) => comes?.(uid)).length);
  assertEquals([placed(gang, (uid) => uid === "a2"), placed(gang)], [1, 0]);
  assertEquals(heard.text, [[gang, ["a2"], 1], [gang, [], 0]]);
});

Deno.test("members are counted as by the answer to which most of those that come were coming", () => {
  const unheard: string[] = [];
  const text = [[gang, [], 1], [gang, ["a1", "a2"], 3], [gang, ["a1"], 2]] as const;
  const placed = placedFrom(text, (what) => unheard.push(what));
  assertEquals(placed(gang), 1);
  assertEquals(placed(gang, () => true), 3);
  assertEquals(placed(gang, (uid) => uid === "a1"), 2);
  assertEquals(unheard, []);
  assertEquals(placed("default/b"), 0);
  assertEquals(unheard, ["placed in default/b"]);
});

Deno.test("of a list that is written which items are new, and which are gone", () => {
  const writer = new DeltaWriter<number, number>((a, b) => a === b, (item) => item);
  assertEquals(writer.write([["a", 1]]), { set: [["a", 1]] });
  assertEquals(writer.write([["a", 1], ["b", 2]]), { set: [["b", 2]] });
  assertEquals(writer.write([["b", 2]]), { gone: ["a"] });
  assertEquals(writer.write([["b", 2]]), undefined);
});

/** What is asked about nodes for a member, and what is written of it; members of kind k were refused on n3. */
const offers: [
  id: string,
  known: Partial<OfferedMember>,
  room: Record<string, "spare" | "own" | "contested" | "none">,
  text: object,
][] = [
  ["all have room", {}, { n1: "spare", n2: "spare" }, { nodes: ["n1"] }],
  ["one has none", {}, { n1: "none", n2: "spare" }, { nodes: ["n1", "n2"], kept: ["n1"] }],
  ["one has its own", {}, { n1: "spare", n2: "own" }, { nodes: ["n1", "n2"], own: ["n2"] }],
  ["to one somebody else may come first", {}, { n1: "spare", n2: "contested" }, {
    nodes: ["n1", "n2"],
    contested: ["n2"],
  }],
  ["one has just changed", { hasJustChanged: (node) => node === "n2" }, {}, {
    nodes: [],
    changed: ["n2"],
  }],
  ["nobody asks", { kind: "l" }, {}, { kind: "l", nodes: [] }],
  ["one was refused, and is offered again", { kind: "k" }, {}, { kind: "k", nodes: ["n3"] }],
  ["on one that was refused are others like it", { kind: "k" }, {}, {
    kind: "k",
    nodes: ["n3"],
    alikeOn: [["n3", 1]],
  }],
  ["one is tried alone", { nodes: ["n2"], nominated: "n2" }, {}, {
    nodes: ["n2"],
    nominated: "n2",
  }],
  ["one is tried before others", { nominated: "n2" }, {}, { nodes: [] }],
  ["there may be more", { isPart: true }, {}, { isPart: true, nodes: [] }],
  ["one is to be filled first", {}, { n1: "spare", n2: "spare", n3: "spare" }, {
    nodes: ["n1", "n2"],
    fullest: "n2",
  }],
  ["nothing is said of where it would rather run", { isIndifferent: true }, {}, {
    isIndifferent: true,
    nodes: [],
  }],
];

for (const [id, known, room, text] of offers) {
  Deno.test(`of the nodes for a member those are written on which something hangs: ${id}`, () => {
    const heard = new HeardOffer({
      uid: "a1",
      gang,
      kind: undefined,
      nodes: ["n1", "n2", "n3"],
      nominated: undefined,
      isPart: false,
      isIndifferent: false,
      roomOn: (node) => {
        const there = room[node];
        return there === "none" ? undefined : there;
      },
      alikeOn: () => new Map([["n2", 2], ["n3", 1]]),
      hasJustChanged: () => false,
      fullestOf: () => "n2",
      ...known,
    });
    const changed = heard.member.nodes.filter((node) => heard.member.hasJustChanged(node));
    if ("alikeOn" in text) assertEquals(heard.member.alikeOn().size, 2);
    if ("fullest" in text) assertEquals(heard.member.fullestOf(["n1", "n2", "n3"]), "n2");
    const asked = Object.keys(room).map((node) => [node, heard.member.roomOn(node)] as const);
    const refusedNodes = learn(new Map(), { kind: "k", nodes: ["n3"], now: 0 });
    const told = heard.text({ ...attended(), refusedNodes });
    assertEquals<unknown>(told, { uid: "a1", gang, ...text });
    const again = offerFrom(told);
    assertEquals([...again.alikeOn()], "alikeOn" in text ? [["n3", 1]] : []);
    assertEquals(again.isPart, "isPart" in known);
    assertEquals(again.isIndifferent, "isIndifferent" in known);
    const nodes = ["n1", "n2", "n3"];
    assertEquals(nodes.filter((node) => again.hasJustChanged(node)), changed);
    assertEquals(isTriedAlone(again), isTriedAlone(heard.member));
    for (const [node, before] of asked) assertEquals(again.roomOn(node), before);
    assertEquals(again.fullestOf(["n1", "n2"]), "fullest" in text ? "n2" : undefined);
  });
}
