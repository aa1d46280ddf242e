import { assertEquals } from "@std/assert";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import type { PlannedGang } from "../../../shared/core/plan/demand.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import type { Running, RunningPod } from "../../../shared/core/plan/running.ts";
import type { Ending, Waiting, World } from "../../../shared/core/plan/world.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import type { Candidate, Resources, Use } from "../../../shared/core/room/fit.ts";
import { gang } from "../../support/facts.ts";
import { MemoryTape, replannedIn } from "../../support/tape.ts";

/** A world whose parts may be changed. */
type Facts = { -readonly [Name in keyof World]: World[Name] };

const [one, two]: Resources[] = [new Map([["gpu", 1]]), new Map([["gpu", 2], ["cpu", 500]])];
const use: Use = { node: "n1", kind: "k", requests: one!, count: 2 };
const other: Use = { ...use, node: "n2", requests: two!, role: "ps", gang: "default/a" };

const candidate: Candidate = {
  uid: "u1",
  kind: "k",
  requests: one!,
  mayRunOn: (node) => node !== "n2",
};

const planned: PlannedGang = {
  facts: gang({ minMember: 2, pending: 2, held: 1 }),
  candidates: [candidate, { ...candidate, uid: "u2" }],
  placed: [{ node: "n1", requests: one! }],
  minResources: new Map(),
  evictsBelow: -Infinity,
};

const group: Waiting = {
  id: "default/a",
  priority: 3,
  gangs: () => [planned],
  isNeverWhole: false,
  plan: undefined,
  reserved: undefined,
  nominated: new Map(),
  shortSince: undefined,
  keepsUntil: 0,
};

const pod: RunningPod = {
  uid: "p1",
  name: "default/p1",
  node: "n1",
  priority: 1,
  requests: one!,
  startedAt: 5,
  budgets: ["x"],
};
const running: Running = {
  pods: [pod, { ...pod, uid: "p2", name: "default/p2", gang: "default/g", role: "ps" }],
  gangs: new Map([["default/g", {
    disruption: "gang",
    minMember: 2,
    bound: 2,
    succeeded: 0,
    roles: [],
  }]]),
  budgets: new Map([["x", 1]]),
};
const taken = { node: "n1", requests: one!, count: 2 };
const ending: Ending = { id: "default/e", endsAt: 9000, uses: [taken] };

function factsAtFirst(): Facts {
  const free = new Map([["n1", two!], ["n2", one!], ["n3", new Map([["gpu", Infinity]])]]);
  const capacity = new Map(free);
  return {
    free,
    nodes: {},
    capacity: () => capacity,
    labelsOf: (node) => ({ rack: `r${node}`, block: "b1", ...(node === "n1" && { zone: "z" }) }),
    levels: [],
    settings: { matchPolicy: "once-satisfied" },
    backfillMs: Infinity,
    nominated: [],
    takenBelow: () => [],
    ending: () => [],
    waiting: [group],
  };
}

/** One group, otherwise than it was. */
function waits(more: Partial<Waiting>): (facts: Facts) => void {
  return (facts) => facts.waiting = [{ ...facts.waiting[0]!, ...more }];
}

function asks(more: Partial<PlannedGang>): (facts: Facts) => void {
  return (facts) => {
    const [before] = facts.waiting[0]!.gangs();
    waits({ gangs: () => [{ ...before!, ...more }] })(facts);
  };
}

function declares(more: Partial<PlannedGang["facts"]["gang"]>): (facts: Facts) => void {
  return (facts) => {
    const [before] = facts.waiting[0]!.gangs();
    const spec = { ...before!.facts.gang, ...more };
    waits({ gangs: () => [{ ...before!, facts: { ...before!.facts, gang: spec } }] })(facts);
  };
}

/** Who runs, of the first pod otherwise than before. */
function runs(more: Partial<RunningPod>): (facts: Facts) => void {
  return (facts) => {
    const [first, ...others] = facts.evictions!.running(10).pods;
    const pods = [{ ...first!, ...more }, ...others];
    facts.evictions = { ...facts.evictions!, running: () => ({ ...running, pods }) };
  };
}

function ends(...all: Ending[]): (facts: Facts) => void {
  return (facts) => facts.ending = () => all;
}

/** What changes, one after another. */
const changes: Record<string, (facts: Facts) => void> = {
  "everything": () => {},
  "nothing": () => {},
  "a node's room": ({ free }) => (free as Map<string, Resources>).set("n1", one!),
  "a node goes": (facts) => {
    facts.nodes = {};
    (facts.free as Map<string, Resources>).delete("n2");
  },
  "a node comes": (facts) => {
    facts.nodes = {};
    (facts.free as Map<string, Resources>).set("n2", two!);
  },
  "the largest room": (facts) => {
    const more = new Map([["n1", one!], ["n2", two!]]);
    facts.capacity = () => more;
  },
  "how long others pass": (facts) => facts.backfillMs = 5000,
  "for how many room is kept": (facts) => facts.reservations = 2,
  "room is kept for one": (facts) => facts.reservations = 1,
  "room is kept for all": (facts) => facts.reservations = Infinity,
  "room is kept for none": (facts) => facts.reservations = 0,
  "levels": (facts) => facts.levels = ["zone"],
  "settings": (facts) => facts.settings = { matchPolicy: "only-waiting" },
  "who was nominated": (facts) => facts.nominated = [{ node: "n1", priority: 9, requests: two! }],
  "what lower ones take": (facts) =>
    facts.takenBelow = () => [
      { node: "n1", priority: 1, requests: one! },
      { node: "n1", priority: 1, requests: two! },
      { node: "n2", priority: 1, requests: one! },
      { node: "n2", priority: 2, requests: one! },
    ],
  "they take less": (facts) =>
    facts.takenBelow = () => [{ node: "n1", priority: 1, requests: one! }],
  "who may be evicted": (facts) =>
    facts.evictions = {
      running: () => running,
      leaving: () => [{ node: "n1", requests: two!, name: "default/x", for: "default/a" }],
    },
  "a pod's node": runs({ node: "n2" }),
  "its priority": runs({ priority: 0 }),
  "what it asks for": runs({ requests: two! }),
  "since when it runs": runs({ startedAt: 6 }),
  "its gang": runs({ gang: "default/g" }),
  "its role": runs({ role: "worker" }),
  "it is held": runs({ isHeld: true }),
  "its budgets": runs({ budgets: ["x", "y"] }),
  "their gangs are parts of a composite": (facts) =>
    facts.evictions = {
      ...facts.evictions!,
      running: () => ({
        ...running,
        trees: [{ min: 1, leavesWhole: true, parts: ["default/g"] }],
      }),
    },
  "one pod less": (facts) =>
    facts.evictions = {
      ...facts.evictions!,
      running: () => ({ ...running, pods: running.pods.slice(1) }),
    },
  "what ends": ends(ending),
  "it ends later": ends({ ...ending, endsAt: 9500 }),
  "it is asked to end": ends({ ...ending, isLeaving: true }),
  "where it runs": ends({ ...ending, uses: [{ ...taken, node: "n2" }] }),
  "what ending members take": ends({ ...ending, uses: [{ ...taken, requests: two! }] }),
  "how many end": ends({ ...ending, uses: [{ ...taken, count: 1 }] }),
  "it runs on two nodes": ends({
    ...ending,
    uses: [{ ...taken, count: 1 }, { ...taken, node: "n2" }],
  }),
  "one of two nodes": ends({
    ...ending,
    uses: [{ ...taken, count: 1 }, { ...taken, node: "n3" }],
  }),
  "where the second runs": ends({
    ...ending,
    uses: [{ ...taken, count: 1 }, { ...taken, node: "n1" }],
  }),
  "two end": ends(ending, { ...ending, id: "default/f" }),
  "one is left": ends({ ...ending, id: "default/f" }),
  "a group's priority": waits({ priority: 4 }),
  "it is parked": waits({ isNeverWhole: true }),
  "since when it is short": waits({ shortSince: 77 }),
  "until when its room is kept": waits({ keepsUntil: 88 }),
  "a policy keeps it": waits({ isKeptByPolicy: true }),
  "its round has failed": waits({ isPausing: true }),
  "how long it runs": waits({ runTime: { seconds: 60, source: "declared" } }),
  "nodes are refused": waits({
    refused: new Map([["k", { more: new Map([["n1", 0], ["n3", 2]]), each: 2 }]]),
  }),
  "earlier places": waits({ before: [use, other] }),
  "one earlier place": waits({ before: [use] }),
  "no earlier place": waits({ before: [] }),
  "nominations": waits({ nominated: new Map([["u1", "n1"]]) }),
  "a promise": waits({ reserved: { startsAt: 99, uses: [other] } }),
  "a tree": waits({
    composite: {
      name: "root",
      topology: { required: "block" },
      children: [
        { name: "sub", topology: { preferred: ["rack"] }, children: ["default/a"] },
      ],
    },
  }),
  "a topology": declares({ topology: { required: "rack" } }),
  "a preferred one": declares({ topology: { preferred: ["zone", "block"] } }),
  "slices": declares({ topology: { slice: { key: "rack", members: 2 } } }),
  "a role's topology": declares({
    topology: undefined,
    roles: [{ name: "ps", min: 1, topology: { required: "zone" } }],
  }),
  "a role of members": asks({ candidates: [candidate, { ...candidate, role: "ps" }] }),
  "one that is alone": asks({ candidates: [candidate, { ...candidate, exclusive: ["x"] }] }),
  "one that asks for more": asks({ candidates: [candidate, { ...candidate, requests: two! }] }),
  "one with a preference": asks({
    candidates: [candidate, { ...candidate, hasPreference: true }],
  }),
  "one with many rules": asks({ candidates: [candidate, { ...candidate, rules: 30 }] }),
  "one of another kind": asks({ candidates: [candidate, { ...candidate, kind: "l" }] }),
  "one without a pod": asks({ candidates: [{ ...candidate, uid: undefined }] }),
  "where members are": asks({ placed: [{ node: "n2", requests: two!, role: "ps" }] }),
  "minResources": asks({ minResources: new Map([["cpu", 5]]) }),
  "whom it evicts": asks({ evictsBelow: 0 }),
  "another plan than the last": waits({
    plan: {
      fit: { members: 1, of: 1 },
      taken: [other],
      surplus: [use],
      reservation: { startsAt: 5, uses: [use] },
      isShort: false,
    },
  }),
  "a second group": (facts) => facts.waiting = [...facts.waiting, { ...group, id: "default/b" }],
  "the order": (facts) => facts.waiting = facts.waiting.toReversed(),
  "one group": (facts) => facts.waiting = facts.waiting.slice(1),
  "nothing in the end": () => {},
};

/** What is said where nothing has changed: that it was asked for, and what is said each time. */
const saidOf: Record<string, unknown> = {
  "nothing": { below: { limit: null }, ending: {} },
  "nothing in the end": {
    below: { limit: null },
    running: [{ priority: 10, gangs: [...running.gangs], budgets: [["x", 1]] }],
    leaving: [{ node: "n1", requests: 1, name: "default/x", for: "default/a" }],
    ending: {},
  },
};

/** Looks at everything, and plans nothing by it. */
function looking(seen: string[]): typeof decisions.plan {
  let count = 0;
  return (world) => {
    seen.push(JSON.stringify(factsOf(world), (_, value) => value === Infinity ? "all" : value, 1));
    const plan = (): Plan => ({
      fit: { members: 1, of: 1 },
      taken: [{ ...use, count: ++count }],
      surplus: [other],
      reservation: { startsAt: count, uses: [use, other] },
      isShort: false,
    });
    const byGroup = new Map(world.waiting.map(({ id }) => [id, plan()]));
    return { byGroup, spare: () => undefined, isOverbooked: false };
  };
}

function factsOf(world: World) {
  const { free, levels, settings, backfillMs, reservations = 0, evictions, nominated } = world;
  const nodes = ["n1", "n2", "n3"];
  const known = evictions && {
    running: evictions.running(10),
    leaving: evictions.leaving(),
  };
  const sums: Record<string, number> = {};
  for (const { node, priority, requests } of world.takenBelow(Infinity)) {
    for (const [resource, amount] of requests) {
      const key = `${node} ${priority} ${resource}`;
      sums[key] = (sums[key] ?? 0) + amount;
    }
  }
  return {
    free: plain(free),
    capacity: plain(world.capacity()),
    levels,
    settings,
    backfillMs,
    reservations,
    nominated: plain(nominated),
    sums,
    known: known && { leaving: plain(known.leaving), ...plain(known.running) as object },
    ending: plain(world.ending?.() ?? []),
    waiting: world.waiting.map((group) => {
      const gangs = group.gangs();
      const keys = keysOf(group, gangs);
      return {
        ...plain({
          ...group,
          gangs: undefined,
          nominated: group.nominated?.get("u1"),
          refused: group.refused?.size === 0 ? undefined : group.refused,
        }) as object,
        labels: nodes.map((node) =>
          [...keys, ...levels].map((key) => free.has(node) && world.labelsOf(node)[key])
        ),
        gangs: gangs.map(({ candidates, facts, ...rest }) => ({
          ...plain(rest) as object,
          facts: { ...facts, held: facts.held.length },
          candidates: candidates.map(({ mayRunOn, ...each }) => ({
            ...plain(each) as object,
            on: nodes.filter((node) => free.has(node) && mayRunOn(node)),
          })),
        })),
      };
    }),
  };
}

/** The node labels that a group names. */
function keysOf({ composite }: Waiting, gangs: readonly PlannedGang[]): string[] {
  const text = JSON.stringify([composite, gangs.map(({ facts }) => facts.gang)]);
  return ["rack", "block", "zone"].filter((key) => text.includes(`"${key}"`));
}

/** With maps as lists, and fields in one order. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, item]) => [key, plain(item)]);
  if (value instanceof Set) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== undefined).sort()
      .map(([name, item]) => [name, plain(item)]),
  );
}

Deno.test("a recording tells of every change of the world that plans are made of, and of nothing else", () => {
  const facts = factsAtFirst();
  const tape = new MemoryTape();
  const seen: string[] = [];
  const recorder = new Recorder({ ...decisions, plan: looking(seen) }, tape);
  for (const [what, change] of Object.entries(changes)) {
    change(facts);
    recorder.plan({ ...facts, free: new Map(facts.free) }, 1_000_000);
    const said = saidOf[what];
    if (said) assertEquals(JSON.parse(tape.written.at(-1)!).world, said, what);
  }
  assertEquals(tape.missedCount, 0);
  const again: string[] = [];
  const { differences } = replannedIn(tape.lines, looking(again));
  assertEquals(differences, []);
  Object.keys(changes).forEach((what, at) =>
    assertEquals(JSON.parse(again[at]!), JSON.parse(seen[at]!), what)
  );
});
