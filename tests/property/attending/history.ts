import fc from "fast-check";
import { times } from "../../../shared/core/attend/times.ts";
import { type ProfileName, profiles } from "../../../shared/core/gang/settings.ts";
import { PureWorld } from "./pure_world.ts";
import { settled } from "./settled.ts";

/** What happens to the cluster, one after another. */
export type Happening =
  | { do: "create"; gang: number; members: number }
  | { do: "delete"; which: number }
  | { do: "wait"; ms: number }
  | { do: "node"; gpus: number }
  | { do: "outage"; ms: number }
  | { do: "slow functions"; ms: number }
  | { do: "restart scheduler" }
  | { do: "plugins refuse"; node: number; gang: number }
  | { do: "wipe store" };

/** A cluster, its gangs, and what happens to them. */
export interface History {
  readonly seed: number;
  readonly profile: ProfileName;
  /** Longest time that a call may be held, in ms. */
  readonly longestHold: number;
  /** Longest time from `filter` to the call of bind, in ms. */
  readonly bindMs?: number | undefined;
  readonly nodes: readonly number[];
  readonly gangs: readonly Declared[];
  /** So many of the gangs that are grouped are needed, if there are more; undefined: all. */
  readonly needs?: number | undefined;
  readonly happenings: readonly Happening[];
}

/**
 * A gang; of one that is kept apart no plan knows that at most one member goes to a node, and of one that prefers a host each
 * member goes where it is planned. One that requires a rack is in no group.
 */
interface Declared {
  readonly minMember: number;
  readonly gpus: number;
  readonly isGrouped: boolean;
  /** Nothing is said of where its members would rather run. */
  readonly isIndifferent?: boolean | undefined;
  readonly isApart?: boolean | undefined;
  /** It is kept apart by claims for devices. */
  readonly claims?: boolean | undefined;
  readonly prefersHost?: boolean | undefined;
  readonly requiresRack?: boolean | undefined;
}

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      gang: fc.nat(3),
      members: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), which: fc.nat(30) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.oneof(fc.nat(30), fc.nat(8000)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("node" as const),
      gpus: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("outage" as const), ms: fc.nat(5000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("slow functions" as const), ms: fc.nat(6000) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "restart scheduler" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "wipe store" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("plugins refuse" as const),
      node: fc.nat(3),
      gang: fc.nat(3),
    }),
  },
);

/** Any history. */
export const histories: fc.Arbitrary<History> = fc.record({
  seed: fc.nat(),
  profile: fc.constantFrom("default", "default", "sigs", "koordinator"),
  longestHold: fc.constantFrom(3000, 50_000),
  bindMs: fc.option(fc.constantFrom(2, 20, 200), { nil: undefined }),
  nodes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  gangs: fc.array(
    fc.record({
      minMember: fc.integer({ min: 1, max: 4 }),
      gpus: fc.integer({ min: 1, max: 2 }),
      isGrouped: fc.boolean(),
      isIndifferent: fc.boolean(),
      isApart: fc.option(fc.constant(true), { freq: 2, nil: undefined }),
      claims: fc.boolean(),
      prefersHost: fc.option(fc.constant(true), { freq: 2, nil: undefined }),
      requiresRack: fc.option(fc.constant(true), { freq: 2, nil: undefined }),
    }).map((gang) => ({
      ...gang,
      requiresRack: gang.isGrouped ? undefined : gang.requiresRack,
    })),
    { minLength: 1, maxLength: 4 },
  ),
  needs: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  happenings: fc.array(happening, { minLength: 10, maxLength: 40, size: "max" }),
});

/** Longer than any wait, pause and back-off; nobody may need the time after which a refused node is planned for again. */
const settlesMs = 0.8 * times.refusedNode;
const mostSteps = 20_000;

/** What came of a history. */
export interface Lived {
  /** The rule that does not hold; undefined: all hold. */
  readonly violation: string | undefined;
  /** How many events of gang groups there were. */
  readonly events: number;
}

/** Lets a history happen, and then leaves the world alone. */
export function live(history: History): Lived {
  const { seed, profile, longestHold, nodes, gangs, happenings } = history;
  const world = new PureWorld({ settings: profiles[profile], longestHold }, chanceOf(seed));
  const { timeline } = world;
  world.bindMs = history.bindMs;
  let steps = 0;
  const run = (until: number) => {
    while (timeline.step(until)) {
      if (world.violation) return;
      if (++steps > mostSteps) {
        world.violation ??= "the decisions never come to rest";
        return;
      }
    }
    timeline.now = until;
  };
  const grouped = gangs.flatMap(({ isGrouped }, index) => isGrouped ? [`ns/g${index}`] : []);
  const isGroup = grouped.length > 1;
  const { needs = grouped.length } = history;
  if (isGroup && needs < grouped.length) {
    world.needs = { name: "all", min: needs, children: grouped };
  }
  for (const [index, { minMember, isGrouped, prefersHost, requiresRack }] of gangs.entries()) {
    const topology = {
      ...(prefersHost && { preferred: ["host"] }),
      ...(requiresRack && { required: "rack" }),
    };
    world.declare({
      namespace: "ns",
      name: `g${index}`,
      minMember,
      createdAt: new Date(1_000_000 + index).toISOString(),
      ...(isGroup && isGrouped && { groups: grouped }),
      ...((prefersHost || requiresRack) && { topology }),
    });
  }
  // By the other profiles' order the oldest gang is tried first for ever, though it can not become whole.
  const apart = profile === "default"
    ? gangs.flatMap(({ isApart, claims }, index) => isApart ? [{ id: `ns/g${index}`, claims }] : [])
    : [];
  for (const gang of apart) world.pluginsChanged((plugins) => plugins.keepApart(gang.id, gang));
  gangs.forEach(({ isIndifferent }, index) => {
    if (isIndifferent) world.indifferent.add(`ns/g${index}`);
  });
  nodes.forEach((gpus, index) => world.addNode(`n${index}`, gpus));
  let created = 0;
  for (const happening of happenings) {
    if (world.violation) break;
    switch (happening.do) {
      case "create": {
        const index = happening.gang % gangs.length;
        for (let count = 0; count < happening.members; count++) {
          world.create(`ns/g${index}`, { name: `p${created++}`, gpus: gangs[index]!.gpus });
        }
        break;
      }
      case "delete":
        world.delete([...world.members.keys()][happening.which % (world.members.size || 1)] ?? "");
        break;
      case "wait":
        run(timeline.now + happening.ms);
        break;
      case "node":
        world.addNode(`n${world.room.free.size}`, happening.gpus);
        break;
      case "outage":
        world.functions.outageUntil = timeline.now + happening.ms;
        break;
      case "slow functions":
        world.functions.slownessMs = happening.ms;
        break;
      case "restart scheduler":
        world.restartScheduler();
        break;
      case "plugins refuse":
        world.pluginsChanged((plugins) =>
          plugins.turn(`n${happening.node}`, `ns/g${happening.gang % gangs.length}`)
        );
        break;
      case "wipe store":
        world.wipe();
    }
  }
  world.functions.slownessMs = 0;
  world.pluginsChanged((plugins) => plugins.settle());
  run(timeline.now + settlesMs);
  return {
    violation: world.violation ?? settled(world, apart.map(({ id }) => id)),
    events: world.events,
  };
}

/** Mulberry32. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
