import { assertEquals } from "@std/assert";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import { PlanReplay } from "../../../shared/core/record/plan_replay.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import type { Candidate, Resources, Use } from "../../../shared/core/room/fit.ts";
import { gang } from "../../support/facts.ts";
import { MemoryTape } from "../../support/tape.ts";

const gpu: Resources = new Map([["gpu", 1]]);
const member: Candidate = { uid: "u1", kind: "k", requests: gpu, mayRunOn: () => true };
const use: Use = { node: "n1", kind: "k", requests: gpu, count: 1 };
const candidates = [{ ...member, exclusive: ["x"] }, { ...member, uid: "u2", exclusive: ["x"] }];
const group: Waiting = {
  id: "default/a",
  priority: 3,
  gangs: () => [{
    facts: gang({ minMember: 2, pending: 2 }),
    candidates,
    placed: [],
    minResources: new Map(),
    evictsBelow: -Infinity,
  }],
  isNeverWhole: false,
  plan: undefined,
  reserved: undefined,
  nominated: new Map(),
  shortSince: undefined,
  keepsUntil: 0,
};
const claims = [1, 2].map((priority) => ({ node: "n1", priority, requests: gpu }));
const world: World = {
  free: new Map([["n1", gpu]]),
  nodes: {},
  capacity: () => new Map(),
  labelsOf: () => ({}),
  levels: [],
  settings: { matchPolicy: "once-satisfied" },
  backfillMs: Infinity,
  nominated: [],
  takenBelow: (limit) => claims.filter(({ priority }) => priority < limit),
  waiting: [group],
};

const plan: Plan = { fit: { members: 1, of: 1 }, taken: [use], surplus: [use], isShort: false };

/** Asks for the gangs, and for what is taken below priorities. */
function asking(limits: readonly number[], seen: unknown[] = []): typeof decisions.plan {
  return (asked) => {
    for (const each of asked.waiting) each.gangs();
    for (const limit of limits) {
      seen.push([...asked.takenBelow(limit)].map(({ priority }) => priority));
    }
    const byGroup = new Map([["default/a", plan]]);
    return { byGroup, spare: () => undefined, isOverbooked: false };
  };
}

function recorded(limit: number, ...worlds: World[]): MemoryTape {
  const tape = new MemoryTape();
  const recorder = new Recorder({ ...decisions, plan: asking([limit]) }, tape);
  for (const each of worlds) recorder.plan(each, 0);
  return tape;
}

function worldsIn(tape: MemoryTape) {
  return tape.written.map((line) => JSON.parse(line).world);
}

/** What is asked that a recording does not have, when plans are made again. */
function unheardIn(tape: MemoryTape, by: typeof decisions.plan): readonly string[] {
  const replay = new PlanReplay(by);
  return tape.lines.flatMap((line) => replay.next(line)?.unheard ?? []);
}

Deno.test("a recording of plans does not speak of what nobody set", () => {
  const [first] = worldsIn(recorded(2, { ...world, reservations: 0 }));
  assertEquals(first.fixed, { levels: [], settings: world.settings, evicts: false });
  const [{ gangs: [{ facts: _, ...planned }], ...waiting }] = first.waiting;
  assertEquals(planned, { held: 0, candidates: [[0, "u1", "u2"]], placed: [] });
  assertEquals("isKeptByPolicy" in waiting, false);
});

Deno.test("what lower gangs take is recorded with the priority below which it was asked for", () => {
  const tape = recorded(2, world);
  assertEquals(worldsIn(tape)[0].below.limit, 2);
  const seen: unknown[] = [];
  assertEquals(unheardIn(tape, asking([2], seen)), []);
  assertEquals(seen, [[1]]);
  assertEquals(unheardIn(tape, asking([3])), ["what is taken below 3"]);
});

Deno.test("of what lower gangs take as much is known below each priority that was asked for", () => {
  const seen: unknown[] = [];
  assertEquals(unheardIn(recorded(Infinity, world), asking([2, Infinity], seen)), []);
  assertEquals(seen, [[1], [1, 2]]);
});

Deno.test("places before that are those of the last plan are recorded as such, and others one by one", () => {
  const before = (...uses: Use[]): World => ({ ...world, waiting: [{ ...group, before: uses }] });
  const worlds = [world, before(use, use), before(use, { ...use }), before(use)];
  const [, own, others, few] = worldsIn(recorded(2, ...worlds));
  assertEquals(own.waiting[0].before, "last");
  assertEquals(others.waiting[0].before.length, 2);
  assertEquals(few.waiting[0].before.length, 1);
});
