import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { type Decisions, decisions } from "../../../shared/core/attend/decisions.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { withoutNames } from "../../../shared/core/record/hidden_names.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import { Replay } from "../../../shared/core/record/replay.ts";
import { attended, callOf, gang, offeredOf, snapshotOf, start } from "../../support/attending.ts";
import { differencesIn, MemoryTape, replayed } from "../../support/tape.ts";

const fits: Plan = { fit: { members: 2, of: 2 }, taken: [], isShort: false };
const lacks: Plan = { fit: { members: 0, of: 2 }, isShort: true };
const calls = ["a1", "a2"].map((uid) => callOf(uid));
const refusal = {
  pod: { namespace: "default", name: "secret-a1" },
  gang,
  reason: "JustSeen",
  sentence: "Muster: gang default/gang has just been seen",
  at: start,
};

const look = (facts: Parameters<typeof snapshotOf>[0]): GroupEvent => ({
  is: "look",
  snapshot: snapshotOf({ minMember: 2, ...facts }),
  longestHold: 50_000,
});

const gated = ["a1", "a2"].map((uid) => ({
  uid,
  kind: "worker",
  gang,
  says: { reason: "SchedulingGated", message: `waits for claim-of-${uid}` },
}));

/** Two members come, wait for room behind their gates, and are held. */
const story: readonly (readonly [afterMs: number, event: GroupEvent])[] = [
  [0, { is: "member came", uid: "a1" }],
  [1, { is: "member came", uid: "a2", refusal }],
  [1, { is: "planned", plan: lacks, waits: () => true }],
  [60, look({ pending: 2, gated })],
  [1, {
    is: "answered",
    answer: { verdict: "reject", reason: "InsufficientResources", message: "no room" },
    snapshot: snapshotOf({ minMember: 2, pending: 2, gated }),
  }],
  [5000, look({ pending: 2, gated })],
  [1, { is: "planned", plan: lacks, waits: () => true }],
  [1, { is: "planned", plan: lacks, waits: () => true }],
  [1, { is: "planned", plan: lacks, waits: () => true }],
  [1, { is: "planned", plan: fits, waits: () => true }],
  [1, look({ pending: 2 })],
  [1, {
    is: "answered",
    answer: { verdict: "allow", reason: "Admitted", message: "it may" },
    snapshot: snapshotOf({ minMember: 2, pending: 2 }),
  }],
  [1, { is: "call opened", uid: "a1" }],
  [1, { is: "call opened", uid: "a2" }],
  [100, look({ calls })],
  [1, {
    is: "answered",
    answer: {
      verdict: "allow",
      allow: ["a1", "a2"],
      wait: [],
      reject: [],
      reason: "Satisfied",
      message: "both",
    },
    snapshot: snapshotOf({ minMember: 2, calls }),
  }],
];

/** Lets the story happen; gives what is known in the end. */
function happen(by: Decisions, tape?: MemoryTape): Attended {
  let now = start;
  let group = attended();
  for (const [afterMs, event] of story) {
    now += afterMs;
    group = by.advance(group, event, now).attended;
    by.refusalOf(group, { uid: "a1", gang, placed: () => 0 }, now);
    if (event.is === "planned" && event.plan === fits && tape) tape.part++;
  }
  const member = offeredOf({ kind: "worker", nodes: ["node-1", "node-2"] });
  const roomOn = (node: string) => node === "node-1" ? "spare" as const : undefined;
  return by.offer(group, { ...member, roomOn }, now).attended;
}

function recorded(hide?: (content: unknown) => unknown): MemoryTape {
  const tape = new MemoryTape();
  happen(new Recorder(decisions, tape, hide));
  return tape;
}

Deno.test("Recorder decides as what it records does", () => {
  assertEquals(happen(new Recorder(decisions, new MemoryTape())), happen(decisions));
});

Deno.test("Replay makes every decision of a recording again", () => {
  const all = replayed(recorded().lines, decisions);
  assertEquals(all.filter(({ event }) => event).length, story.length);
  assertEquals(differencesIn(all), []);
  assertEquals(all.findLast(({ event }) => event)?.now, [
    "count allow",
    "bind a1",
    "bind a2",
    "look",
  ]);
});

Deno.test("Replay says where a rule was turned, and what was decided then and is now", () => {
  const turned: Decisions = {
    ...decisions,
    advance: (group, event, now) => {
      const { attended, effects } = decisions.advance(group, event, now);
      return { attended, effects: event.is === "call opened" ? [{ do: "park" }] : effects };
    },
    refusalOf: () => undefined,
  };
  const found = differencesIn(replayed(recorded().lines, turned));
  assertEquals(
    found.filter(({ event }) => event).map(({ event, then, now }) => [event?.is, then, now]),
    Array(2).fill(["call opened", ["look"], ["park"]]),
  );
  assert(found.some(({ then, now }) => then[0] === "InsufficientResources" && now[0] === "none"));
});

Deno.test("Replay names what is asked now and was not then", () => {
  const curious: Decisions = {
    ...decisions,
    advance: (group, event, now) => {
      if (event.is === "answered") event.snapshot.nominated();
      if (event.is === "planned") event.waits("a9");
      return decisions.advance(group, event, now);
    },
  };
  const asked = replayed(recorded().lines, curious).flatMap(({ unheard }) => unheard);
  assert(asked.includes("nominated"));
  assert(asked.includes("whether a9 waits"));
});

Deno.test("a recording goes on in another file from what is known by then, and after a gap", () => {
  const tape = new MemoryTape();
  happen(new Recorder(decisions, tape), tape);
  const next = tape.lines.findIndex((line, index) => index > 1 && "known" in line);
  assert(next > 1, "nothing says what is known when the next file begins");
  const [header] = tape.lines;
  const rest = replayed([header!, ...tape.lines.slice(next)], decisions);
  assertEquals(rest.filter(({ event }) => event).length, 6);
  assertEquals(differencesIn(rest), []);
  const torn = tape.lines.toSpliced(5, 2, { missed: 2 });
  assertEquals(differencesIn(replayed(torn, decisions)), []);
});

Deno.test("what happens again and again takes one line, and happens as often again", () => {
  const tape = new MemoryTape();
  const recorder = new Recorder(decisions, tape);
  let group = attended();
  for (let after = 0; after < 50; after++) {
    const event: GroupEvent = { is: "planned", plan: { ...lacks }, waits: () => true };
    group = recorder.advance(group, event, start + after).attended;
  }
  recorder.advance(group, { is: "declared" }, start + 50);
  const all = replayed(tape.lines, decisions);
  assertEquals(all.map(({ event }) => event?.is), [...Array(50).fill("planned"), "declared"]);
  assertEquals(differencesIn(all), []);
  assert(tape.written.length < 6, tape.written.join("\n"));
});

Deno.test("a recording without names is replayed alike, and has none", () => {
  const numbers = new Map<string, string>();
  const digest = (word: string) => {
    numbers.set(word, numbers.get(word) ?? `x${numbers.size}`);
    return numbers.get(word)!;
  };
  const tape = recorded((content) => withoutNames(content, digest));
  assertEquals(differencesIn(replayed(tape.lines, decisions)), []);
  const text = tape.written.join("\n");
  for (const name of ["a1", "a2", "default", "node-1", "secret", "claim-of", "worker"]) {
    assert(!new RegExp(`\\b${name}\\b`).test(text), `"${name}" is in ${text}`);
  }
  for (const word of ["InsufficientResources", "room", "planned"]) {
    assert(text.includes(word), `"${word}" is not there`);
  }
});

Deno.test("what can not be recorded is counted and does not keep anybody from deciding", () => {
  const tape = new MemoryTape();
  const group = new Recorder(decisions, tape, () => {
    throw new Error("no");
  });
  assertEquals(happen(group), happen(decisions));
  assertEquals(tape.written, []);
  assert(tape.missedCount >= story.length);
});

Deno.test("a decision that throws is recorded, and thrown", () => {
  const tape = new MemoryTape();
  const broken: Decisions = {
    ...decisions,
    advance: () => {
      throw new TypeError("broken");
    },
  };
  const recorder = new Recorder(broken, tape);
  assertThrows(() => recorder.advance(attended(), story[0]![1], start), TypeError);
  assertEquals(differencesIn(replayed(tape.lines, broken)), []);
  assertEquals(differencesIn(replayed(tape.lines, decisions)).map(({ then }) => then), [
    ["throw TypeError"],
  ]);
});

Deno.test("Replay refuses a recording of another version", () => {
  const [header] = new MemoryTape().lines;
  assertThrows(
    () => new Replay(decisions).next({ ...header, recording: 1 } as never),
    RangeError,
    "version 1",
  );
});

Deno.test("a line of a recording says what entered the decision, and no more", () => {
  const tape = new MemoryTape();
  const recorder = new Recorder(decisions, tape);
  const event: GroupEvent = { is: "planned", plan: fits, waits: () => true };
  const group = recorder.advance(attended(), event, start).attended;
  recorder.refusalOf(group, { uid: "a1", gang, placed: () => 0 }, start);
  recorder.advance(group, event, start);
  const [first, filter, again] = tape.written.map((line) => JSON.parse(line));
  assertEquals(Object.keys(first.event), ["is", "plan"]);
  assertEquals(filter, { at: start, group: gang, filter: { uid: "a1", gang }, said: "JustSeen" });
  assertEquals(again.event, { is: "planned" });
});

Deno.test("who waits is recorded where it was asked, and how members were counted", () => {
  const tape = new MemoryTape();
  const asking: Decisions = {
    ...decisions,
    advance: (group, event) => {
      if (event.is === "planned") event.waits("a1");
      return { attended: group, effects: [] };
    },
    refusalOf: (_, { placed }) => {
      placed(gang);
      return undefined;
    },
  };
  const recorder = new Recorder(asking, tape);
  const group = attended();
  recorder.advance(group, { is: "planned", plan: fits, waits: () => true }, start);
  recorder.refusalOf(group, { uid: "a1", gang, placed: () => 3 }, start);
  const [planned, filter] = tape.written.map((line) => JSON.parse(line));
  assertEquals(planned.event.waits, { a1: true });
  assertEquals(filter.filter, { uid: "a1", gang, placed: [[gang, [], 3]] });
});

Deno.test("what happens twice takes one line more, and is replayed twice", () => {
  const tape = new MemoryTape();
  const recorder = new Recorder(decisions, tape);
  const group = attended();
  const asks = (uid: string, now: number) =>
    recorder.refusalOf(group, { uid, gang, placed: () => 0 }, now);
  asks("a1", start);
  asks("a2", start + 1);
  asks("a2", start + 2);
  asks("a1", start + 3);
  const again = tape.written.map((line) => JSON.parse(line).again);
  assertEquals(again, [undefined, undefined, 1, undefined]);
  assertEquals(replayed(tape.lines, decisions).length, 4);
});

Deno.test("what happens twice and is remembered with its time takes two lines", () => {
  const tape = new MemoryTape();
  const remembering: Decisions = {
    ...decisions,
    advance: (group, _, now) => ({ attended: { ...group, retryAt: now }, effects: [] }),
  };
  const recorder = new Recorder(remembering, tape);
  let group = attended();
  for (const now of [start, start + 1, start + 2]) {
    group = recorder.advance(group, { is: "declared" }, now).attended;
  }
  const all = replayed(tape.lines, remembering);
  assertEquals(all.map(({ after }) => after.retryAt), [start, start + 1, start + 2]);
});

Deno.test("Replay answers that nobody waits where that was not recorded", () => {
  const answers: boolean[] = [];
  replayed(recorded().lines, {
    ...decisions,
    advance: (group, event, now) => {
      if (event.is === "planned") answers.push(event.waits("a9"));
      return decisions.advance(group, event, now);
    },
  });
  assertEquals(new Set(answers), new Set([false]));
});
