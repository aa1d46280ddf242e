import fc from "fast-check";
import { type Backfill, backfillOf } from "../../../shared/core/gang/backfill.ts";
import type { ProfileName } from "../../../shared/core/gang/settings.ts";
import {
  firstTreeGang,
  type GangPlan,
  type gates,
  lastGang,
  nonStrictGang,
  podGroupGang,
} from "./gangs.ts";
import { noFaults } from "./network.ts";
import type { TreePlan } from "./trees.ts";

const ms = fc.constantFrom(1, 3, 3, 20, 300, 300, 1000, 1500, 5000, 5000, 12_000, 65_000);
const some = fc.nat(255);
const gang = fc.nat(lastGang);
const percent = fc.constantFrom(0, 0, 10, 40, 100);

/** Everything that may happen; what names something that does not exist changes nothing. `which` picks among all that could be meant. */
const happenings = {
  pods: fc.record({
    gang,
    count: fc.integer({ min: 1, max: 6 }),
    gate: fc.constantFrom<keyof typeof gates>(
      "none",
      "none",
      "none",
      "own",
      "own",
      "foreign",
      "both",
    ),
  }),
  "foreign gates open": fc.record({ gang }),
  "regular pod": fc.record({
    priority: fc.constantFrom(0, 5, 20),
    cpus: fc.integer({ min: 1, max: 3 }),
    gpus: fc.constantFrom(0, 0, 1),
  }),
  "delete pod": fc.record({ which: some }),
  "delete gang": fc.record({ gang }),
  "finish pod": fc.record({ which: some, phase: fc.constantFrom("Succeeded", "Failed") }),
  "add node": fc.record({ gpus: fc.nat(6), cpus: fc.integer({ min: 1, max: 8 }) }),
  "delete node": fc.record({ which: some }),
  cordon: fc.record({ which: some }),
  "scheduler refuses pod": fc.record({ which: some }),
  "change minMember": fc.record({ gang, minMember: fc.integer({ min: 1, max: 4 }) }),
  "delete PodGroup": fc.constant({}),
  "change needs": fc.record({ which: some, needs: fc.integer({ min: 1, max: 3 }) }),
  "delete native group": fc.record({ which: some }),
  wait: fc.record({ ms }),
  network: fc.record({
    loseRequest: percent,
    loseAnswer: percent,
    repeat: percent,
    delay: percent,
    refuse: percent,
  }),
  "network works": fc.constant({}),
  "API writes": fc.record({ fault: fc.constantFrom("none", "refuse", "lose-answer", "delay") }),
  "watch lags": fc.record({ ms: fc.constantFrom(0, 0, 2, 30, 2500) }),
  "scheduler lags": fc.record({ ms: fc.constantFrom(0, 0, 2, 30, 2500) }),
  "binding takes": fc.record({ ms: fc.constantFrom(0, 0, 5, 2000) }),
  wipe: fc.constant({}),
  "relay restarts": fc.record({ isKilled: fc.boolean(), downMs: fc.constantFrom(0, 5, 3000) }),
  "scheduler restarts": fc.record({ downMs: fc.constantFrom(0, 5, 3000) }),
  "clock is set": fc.record({ ms: fc.constantFrom(-7_200_000, -79_000, -3000, 79_000, 7_200_000) }),
} as const;

type Happenings = typeof happenings;

/** One event. */
export type Happening = {
  [Name in keyof Happenings]:
    & { readonly do: Name }
    & Readonly<
      Happenings[Name] extends fc.Arbitrary<infer Of> ? Of : never
    >;
}[keyof Happenings];

type Weights = Partial<Record<keyof Happenings, number>>;

/** Everything may happen. */
const anything: Weights = {
  ...Object.fromEntries(Object.keys(happenings).map((name) => [name, 2])),
  "change needs": 0,
  "delete native group": 0,
  pods: 12,
  wait: 24,
  "delete pod": 5,
  "add node": 5,
  "scheduler refuses pod": 4,
};

/** Everything, where there is a tree of CompositePodGroups. */
const anythingInTrees: Weights = { ...anything, "change needs": 2, "delete native group": 1 };

/** Gangs come and go, and nothing fails. */
const calm: Weights = { pods: 12, wait: 12, "delete gang": 3, "finish pod": 2, "add node": 1 };

function oneOf(weights: Weights): fc.Arbitrary<Happening> {
  return fc.oneof(
    ...Object.entries(weights).map(([name, weight]) => ({
      weight,
      arbitrary: (happenings[name as keyof Happenings] as fc.Arbitrary<object>)
        .map((of) => ({ do: name, ...of }) as Happening),
    })),
  );
}

/** A cluster, and what happens to it. */
export interface History {
  /**
   * Nothing fails, and each gang has as many members as it needs, all alike: none of those that are let in is to be let
   * go for want of room.
   */
  readonly isCalm: boolean;
  /** Nothing fails either, but gangs and regular pods of several priorities evict each other. */
  readonly isPrompt: boolean;
  /** The gangs of a group ask for different things. */
  readonly isMixed: boolean;
  readonly profile: ProfileName;
  /** Where chance decides: the scheduler's choice among nodes, and which calls a fault hits. */
  readonly seed: number;
  /** By its number in the events. */
  readonly gangs: readonly GangPlan[];
  /** The native gangs, and which of them are needed; absent: there are none. */
  readonly tree?: TreePlan | undefined;
  readonly nodes: readonly { readonly gpus: number; readonly cpus: number }[];
  readonly longestHoldMs: number;
  /** The relay evicts for whole gangs, and not the scheduler for their members. */
  readonly evicts: boolean;
  /** As backfill rules are written; absent: gangs may pass those that wait for ever. */
  readonly backfill?: string | undefined;
  readonly happenings: readonly Happening[];
}

/** How room is kept in a history: where nothing is said gangs that fit bind, whoever waits for room before them. */
export function keptRoomOf({ backfill = "" }: History): Backfill {
  return backfillOf(backfill) ?? { reservations: 0, backfillMs: Infinity };
}

const plan: fc.Arbitrary<GangPlan> = fc.record({
  minMember: fc.integer({ min: 1, max: 4 }),
  gpus: fc.integer({ min: 0, max: 2 }),
  cpus: fc.integer({ min: 1, max: 2 }),
  priority: fc.constantFrom(0, 0, 10),
  isIndifferent: fc.boolean(),
});

/** So many events; a counter-example may have fewer. */
class Long<T> extends fc.Arbitrary<T[]> {
  readonly #long: fc.Arbitrary<T[]>;
  readonly #any: fc.Arbitrary<T[]>;

  constructor(
    item: fc.Arbitrary<T>,
    { minLength, maxLength }: { minLength: number; maxLength: number },
  ) {
    super();
    this.#long = fc.array(item, { minLength, maxLength, size: "max" });
    this.#any = fc.array(item, { maxLength, size: "max" });
  }

  generate(random: fc.Random, biasFactor: number | undefined): fc.Value<T[]> {
    return this.#long.generate(random, biasFactor);
  }

  canShrinkWithoutContext(value: unknown): value is T[] {
    return this.#any.canShrinkWithoutContext(value);
  }

  shrink(value: T[], context: unknown): fc.Stream<fc.Value<T[]>> {
    return this.#any.shrink(value, context);
  }
}

/** Histories of 50 to 60 events. */
export function histories(...names: ProfileName[]): fc.Arbitrary<History> {
  return fc.record({
    isCalm: fc.constant(false),
    isPrompt: fc.constant(false),
    isMixed: fc.constant(false),
    profile: fc.constantFrom(...names),
    seed: fc.nat(),
    gangs: fc.array(plan, { minLength: lastGang + 1, maxLength: lastGang + 1 }),
    nodes: fc.array(
      fc.record({ gpus: fc.nat(6), cpus: fc.integer({ min: 1, max: 8 }) }),
      { minLength: 1, maxLength: 3 },
    ),
    longestHoldMs: fc.constantFrom(3_400_000, 15_000),
    evicts: fc.boolean(),
    happenings: new Long(oneOf(anything), { minLength: 50, maxLength: 60 }),
  });
}

/** The same, but the gangs of a group ask for different things. */
export function mixtures(...names: ProfileName[]): fc.Arbitrary<History> {
  return histories(...names).map((history) => ({ ...history, isMixed: true }));
}

/** What trees are made of: gangs by their numbers, and lists of those for a CompositePodGroup within. */
type Shape = readonly (number | readonly number[])[];

const shapes: readonly Shape[] = [
  [0, 1],
  [0, 1, 2],
  [0, 1, 2, 3],
  [0, [1, 2]],
  [0, 1, [2, 3]],
  [[0, 1], [2, 3]],
];

const tree: fc.Arbitrary<TreePlan> = fc.record({
  shape: fc.constantFrom(...shapes),
  needs: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }),
}).map(({ shape, needs }): TreePlan => {
  const planOf = (parts: TreePlan["parts"], number: number): TreePlan => (
    { name: `t${number}`, needs: 1 + needs[number]! % parts.length, parts }
  );
  let inner = 0;
  const parts = shape.map((part) =>
    typeof part === "number"
      ? firstTreeGang + part
      : planOf(part.map((gang) => firstTreeGang + gang), ++inner)
  );
  return planOf(parts, 0);
});

/** Instead of some gangs those of the tree: of the others each group is whole. */
const inTree = [0, 1, podGroupGang, ...[0, 1, 2, 3].map((gang) => firstTreeGang + gang)];

/** Histories in which native gangs are in a tree of CompositePodGroups that can do without some of them. */
export function trees(...names: ProfileName[]): fc.Arbitrary<History> {
  const count = firstTreeGang + 4;
  const happening = oneOf(anythingInTrees).map((event): Happening =>
    "gang" in event ? { ...event, gang: inTree[event.gang]! } : event
  );
  return fc.record({
    history: histories(...names),
    isMixed: fc.boolean(),
    gangs: fc.array(plan, { minLength: count, maxLength: count }),
    tree,
    happenings: new Long(happening, { minLength: 50, maxLength: 60 }),
  }).map(({ history, ...rest }) => ({ ...history, ...rest }));
}

/** No member fails either: what a degraded gang's other members may take is planned only when they are tried. */
const calmly = oneOf(calm).map((event): Happening =>
  event.do === "finish pod" ? { ...event, phase: "Succeeded" } : event
);

/** Histories of many gangs in a cluster that has room for few of them. */
export function crowds(...names: ProfileName[]): fc.Arbitrary<History> {
  const alike: fc.Arbitrary<GangPlan> = fc.record({
    minMember: fc.integer({ min: 1, max: 4 }),
    gpus: fc.constant(1),
    cpus: fc.constant(1),
    priority: fc.constant(0),
    isIndifferent: fc.boolean(),
  });
  return fc.record({
    isCalm: fc.constant(true),
    isPrompt: fc.constant(false),
    isMixed: fc.constant(false),
    profile: fc.constantFrom(...names),
    seed: fc.nat(),
    gangs: fc.array(alike, { minLength: lastGang + 1, maxLength: lastGang + 1 }),
    nodes: fc.array(fc.constant({ gpus: 2, cpus: 8 }), { minLength: 2, maxLength: 3 }),
    longestHoldMs: fc.constant(3_400_000),
    evicts: fc.boolean(),
    happenings: new Long(calmly, { minLength: 50, maxLength: 60 }),
  });
}

/** Whole gangs and regular pods that evict each other. */
const rivalry: Weights = { pods: 8, "regular pod": 16, wait: 16, "delete gang": 3 };

/** Histories of gangs and regular pods of several priorities in a cluster that is full. */
export function rivals(...names: ProfileName[]): fc.Arbitrary<History> {
  const rival = fc.record({
    minMember: fc.integer({ min: 1, max: 4 }),
    gpus: fc.constant(1),
    cpus: fc.constant(1),
    priority: fc.constantFrom(0, 10, 30),
    says: fc.constantFrom({}, {}, { disruption: "member" }),
    isIndifferent: fc.boolean(),
  });
  const happening = oneOf(rivalry).map((event): Happening => {
    if (event.do === "regular pod") return { ...event, gpus: 1, cpus: 1 };
    // A gang that may be bound in part waits for the rest as long as it can.
    return event.do === "pods" && event.gang === nonStrictGang ? { ...event, gang: 0 } : event;
  });
  return fc.record({
    isCalm: fc.constant(false),
    isPrompt: fc.constant(true),
    isMixed: fc.constant(false),
    profile: fc.constantFrom(...names),
    seed: fc.nat(),
    gangs: fc.array(rival, { minLength: lastGang + 1, maxLength: lastGang + 1 }),
    nodes: fc.array(fc.record({ gpus: fc.integer({ min: 1, max: 4 }), cpus: fc.constant(8) }), {
      minLength: 1,
      maxLength: 2,
    }),
    longestHoldMs: fc.constant(3_400_000),
    evicts: fc.boolean(),
    happenings: new Long(happening, { minLength: 30, maxLength: 40 }),
  });
}

/** Gangs come, end and go, and so do nodes; nothing else fails but that the relay or the scheduler starts anew. */
const seldomWrong: Weights = {
  pods: 14,
  wait: 16,
  "finish pod": 6,
  "delete gang": 2,
  "delete pod": 1,
  "regular pod": 2,
  "add node": 2,
  "delete node": 1,
  cordon: 1,
  "relay restarts": 1,
  "scheduler restarts": 1,
};

const where: fc.Arbitrary<Pick<GangPlan, "says" | "roles">> = fc.constantFrom(
  {},
  { says: { "required-topology": "rack" } },
  { says: { "required-topology": "block", "preferred-topology": "rack" } },
  { says: { "preferred-topology": "rack,block" } },
  { roles: ["ps", "worker"], says: { "role-min": "ps=1,worker=1" } },
  {
    roles: ["ps", "worker"],
    says: { "role-min": "ps=1", "role-required-topology": "worker=rack" },
  },
);

/** Histories of gangs that say where they run, of which roles they are and for how long, and of room that is kept for them. */
export function places(...names: ProfileName[]): fc.Arbitrary<History> {
  const gang = fc.record({
    minMember: fc.integer({ min: 1, max: 4 }),
    gpus: fc.integer({ min: 1, max: 2 }),
    cpus: fc.constant(1),
    priority: fc.constantFrom(0, 0, 10),
    isIndifferent: fc.boolean(),
    where,
    seconds: fc.constantFrom(undefined, 10, 60, 300),
  }).map(({ where: { says, roles }, seconds, ...plan }): GangPlan => ({
    ...plan,
    roles,
    says: { ...says, ...(seconds !== undefined && { "expected-duration": `${seconds}s` }) },
  }));
  return fc.record({
    isCalm: fc.constant(false),
    isPrompt: fc.constant(false),
    isMixed: fc.constant(true),
    profile: fc.constantFrom(...names),
    seed: fc.nat(),
    // The last one does not count what is bound: who is bound of a role is of no use to the others.
    gangs: fc.array(gang, { minLength: lastGang + 1, maxLength: lastGang + 1 })
      .map((gangs) => [...gangs.slice(0, -1), { ...gangs.at(-1)!, roles: undefined, says: {} }]),
    nodes: fc.array(fc.record({ gpus: fc.integer({ min: 1, max: 4 }), cpus: fc.constant(8) }), {
      minLength: 2,
      maxLength: 4,
    }),
    longestHoldMs: fc.constant(3_400_000),
    evicts: fc.boolean(),
    backfill: fc.constantFrom(undefined, "10", "easy", "easy-2", "conservative"),
    happenings: new Long(oneOf(seldomWrong), { minLength: 40, maxLength: 50 }),
  });
}

/** The history as a numbered list, for people. */
export function told(
  { profile, seed, gangs, tree, nodes, longestHoldMs, evicts, backfill, happenings }: History,
): string {
  const used = new Set(happenings.flatMap((event) => "gang" in event ? [event.gang] : []));
  const events = happenings.map(({ do: name, ...fields }) =>
    Object.keys(fields).length > 0 ? `${name} ${line(fields)}` : name
  );
  return [
    `profile ${profile}, seed ${seed}, calls held for ${longestHoldMs / 1000} s at the longest${
      evicts ? ", pods evicted for whole gangs" : ""
    }${backfill === undefined ? "" : `, room kept by rule ${backfill}`}`,
    ...nodes.map((node, index) => `node ${index}: ${line(node)}`),
    ...gangs.flatMap((gang, index) => used.has(index) ? [`gang ${index}: ${line(gang)}`] : []),
    ...tree ? [`tree: ${JSON.stringify(tree)}`] : [],
    ...events.map((event, index) => `${String(index + 1).padStart(3)}. ${event}`),
  ].join("\n");
}

function line(fields: object): string {
  const shown = Object.entries(fields).filter(([name, value]) =>
    !(name in noFaults) || value !== 0
  );
  return shown.map(([name, value]) =>
    `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`
  ).join(" ");
}
