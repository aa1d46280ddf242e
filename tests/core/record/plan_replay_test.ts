import { assert, assertEquals } from "@std/assert";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import { plan } from "../../../shared/core/plan/planner.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import type { World } from "../../../shared/core/plan/world.ts";
import { withoutNames } from "../../../shared/core/record/hidden_names.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import type { Line } from "../../../shared/core/record/recording.ts";
import { type Situation, worldOf } from "../../support/planned.ts";
import { Slots } from "../../support/slots.ts";
import { MemoryTape, replannedIn } from "../../support/tape.ts";

const situation: Situation = {
  nodes: { n1: "2 r1", n2: "2 r1", n3: "3 r2" },
  gangs: [
    { name: "first", members: [{ count: 3 }], topology: { required: "rack" } },
    { name: "second", members: [{ count: 1, gpus: 2, role: "ps" }, { count: 1 }] },
    { name: "large", members: [{ count: 9 }] },
  ],
};

/** A cluster that changes, planned again and again by `by`: a pod ends, a node goes and comes, a gang starts. */
function happen(by: typeof plan, { turn = () => {} }: { turn?: (step: number) => void } = {}) {
  const before = worldOf(situation);
  const free = new Map(before.free);
  const steps: ((world: World) => World)[] = [
    (world) => world,
    (world) => world,
    (world) => {
      free.set("n1", new Map([["gpu", 5]]));
      return world;
    },
    (world) => {
      free.delete("n2");
      return { ...world, nodes: {} };
    },
    (world) => {
      free.set("n2", new Map([["gpu", 8]]));
      return { ...world, nodes: {} };
    },
    (world) => ({ ...world, waiting: world.waiting.slice(1) }),
    (world) => ({
      ...world,
      takenBelow: () => [{ node: "n1", priority: -1, requests: new Map() }],
    }),
  ];
  const capacity = new Map(free);
  let world: World = { ...before, free, capacity: () => capacity };
  let plans = new Map<string, Plan>();
  return steps.map((step, number) => {
    turn(number);
    world = step(world);
    const waiting = world.waiting.map((group) => ({ ...group, plan: plans.get(group.id) }));
    const planned = by({ ...world, waiting }, 1_000_000 + number);
    plans = new Map(planned.byGroup);
    return [...planned.byGroup];
  });
}

function recorded(hide?: (content: unknown) => unknown): MemoryTape {
  const tape = new MemoryTape();
  happen(new Recorder(decisions, tape, hide).plan);
  return tape;
}

Deno.test("Recorder plans as what it records does, and the plans are made alike again", () => {
  const tape = new MemoryTape();
  assertEquals(happen(new Recorder(decisions, tape).plan), happen(plan));
  assertEquals(replannedIn(tape.lines), { count: 7, differences: [] });
});

Deno.test("Recorder and PlanReplay know what ends, and what was promised", () => {
  const tape = new MemoryTape();
  for (const rule of ["easy", "conservative"]) {
    const slots = new Slots({ n1: "4", n2: "4" }, rule);
    slots.by = new Recorder(decisions, tape).plan;
    slots.submit({ name: "a", slots: 5, seconds: 60 });
    slots.submit({ name: "b", slots: 7, seconds: 60 }, { name: "c", slots: 8, seconds: 60 });
    slots.submit({ name: "d", slots: 2, seconds: 50 }, { name: "e", slots: 1 });
    slots.cancel("a");
    slots.pass(100);
  }
  const { count, differences } = replannedIn(tape.lines);
  assertEquals(differences, []);
  assert(count > 8);
});

Deno.test("PlanReplay says which group is planned otherwise today", () => {
  const turned: typeof plan = (world, now) => {
    const plans = plan(world, now);
    const [[id, first]] = [...plans.byGroup] as [[string, Plan]];
    return { ...plans, byGroup: new Map(plans.byGroup).set(id, { ...first, isShort: true }) };
  };
  const [found] = replannedIn(recorded().lines, turned).differences;
  assertEquals(found, {
    at: 1_000_000,
    group: "default/first",
    then: "3 of 3; at n3 3; strict; nominate",
    now: "3 of 3; at n3 3; strict; nominate; needs room",
  });
});

Deno.test("PlanReplay names what is asked now and was not then", () => {
  const curious: typeof plan = (world, now) => {
    world.takenBelow(50);
    world.waiting[0]?.nominated?.get("a9");
    return plan(world, now);
  };
  const { differences } = replannedIn(recorded().lines, curious);
  assert(differences.includes("what is taken below 50"));
  assert(differences.includes("where a9 is nominated to"));
});

/** A recording of which another file begins with this step. */
function recordedInTwo(step: number): { header: Line; lines: readonly Line[] } {
  const tape = new MemoryTape();
  const turn = (at: number) => {
    if (at === step) tape.part++;
  };
  happen(new Recorder(decisions, tape).plan, { turn });
  const [header, ...lines] = tape.lines;
  return { header: header!, lines };
}

for (const step of [1, 2, 3, 4, 5, 6]) {
  Deno.test(`plans are made alike again in a file that begins with change ${step}, also those that were kept`, () => {
    const { header, lines } = recordedInTwo(step);
    const expected = { count: 7 - step, differences: [] };
    assertEquals(replannedIn([header, ...lines.slice(step)]), expected);
  });
}

Deno.test("plans are made alike again from the next file on where lines are missing", () => {
  const { header, lines } = recordedInTwo(4);
  const torn = [header, ...lines.toSpliced(1, 1, { missed: 1 })];
  assertEquals(replannedIn(torn), { count: 4, differences: [] });
});

Deno.test("what did not change is said once", () => {
  const [, again] = recorded().written;
  const { world, plans } = JSON.parse(again!);
  assertEquals([Object.keys(world), plans], [["waiting"], []]);
  assertEquals(world.waiting, [
    { id: "default/first", plan: "last" },
    { id: "default/second", plan: "last" },
    { id: "default/large", plan: "last" },
  ]);
});

Deno.test("plans without names are made alike again, and have none", () => {
  const numbers = new Map<string, string>();
  const digest = (word: string) => {
    numbers.set(word, numbers.get(word) ?? `x${numbers.size}`);
    return numbers.get(word)!;
  };
  const tape = recorded((content) => withoutNames(content, digest));
  assertEquals(replannedIn(tape.lines), { count: 7, differences: [] });
  const text = tape.written.join("\n");
  for (const name of ["n1", "r2", "first", "large", "ps", "default", "rack"]) {
    assert(!new RegExp(`\\b${name}\\b`).test(text), `"${name}" is in ${text}`);
  }
});
