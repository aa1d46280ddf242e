import fc from "fast-check";
import { place } from "../../../shared/core/room/fit.ts";
import { type ProfileName, profiles } from "../../../shared/core/gang/settings.ts";
import { candidateOf, roomOf } from "./pure_facts.ts";
import { PureWorld } from "./pure_world.ts";

/** What happens to the cluster, one after another. */
export type Happening =
  | { do: "create"; gang: number; members: number }
  | { do: "delete"; which: number }
  | { do: "wait"; ms: number }
  | { do: "node"; gpus: number }
  | { do: "outage"; ms: number }
  | { do: "slow functions"; ms: number }
  | { do: "restart scheduler" }
  | { do: "wipe store" };

/** A cluster, its gangs, and what happens to them. */
export interface History {
  readonly seed: number;
  readonly profile: ProfileName;
  /** Longest time that a call may be held, in ms. */
  readonly longestHold: number;
  readonly nodes: readonly number[];
  readonly gangs: readonly { minMember: number; gpus: number; isGrouped: boolean }[];
  readonly happenings: readonly Happening[];
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
);

/** Any history. */
export const histories: fc.Arbitrary<History> = fc.record({
  seed: fc.nat(),
  profile: fc.constantFrom("default", "default", "sigs", "koordinator"),
  longestHold: fc.constantFrom(3000, 50_000),
  nodes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  gangs: fc.array(
    fc.record({
      minMember: fc.integer({ min: 1, max: 4 }),
      gpus: fc.integer({ min: 1, max: 2 }),
      isGrouped: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  happenings: fc.array(happening, { minLength: 4, maxLength: 40, size: "max" }),
});

/** Longer than any wait, pause and back-off, several times. */
const settlesMs = 30 * 60_000;
const mostSteps = 20_000;

/**
 * Lets a history happen, leaves the world alone, and gives the rule that does not hold then; undefined: all hold.
 */
export function live(history: History): string | undefined {
  const { seed, profile, longestHold, nodes, gangs, happenings } = history;
  const world = new PureWorld({ settings: profiles[profile], longestHold }, chanceOf(seed));
  const { timeline } = world;
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
  for (const [index, { minMember, isGrouped }] of gangs.entries()) {
    world.declare({
      namespace: "ns",
      name: `g${index}`,
      minMember,
      createdAt: new Date(1_000_000 + index).toISOString(),
      ...(isGroup && isGrouped && { groups: grouped }),
    });
  }
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
        world.addNode(`n${world.nodes.size}`, happening.gpus);
        break;
      case "outage":
        world.outageUntil = timeline.now + happening.ms;
        break;
      case "slow functions":
        world.slownessMs = happening.ms;
        break;
      case "restart scheduler":
        world.restartScheduler();
        break;
      case "wipe store":
        world.wipe();
    }
  }
  world.slownessMs = 0;
  run(timeline.now + settlesMs);
  return world.violation ?? settled(world);
}

/** Nobody is forgotten: what fits is bound, and no gang is bound in part that could be whole. */
function settled(world: PureWorld): string | undefined {
  for (const { gangs, attended } of world.groups.values()) {
    const ids = attended.id.split(",");
    const lacks = ids.toSorted((a, b) => sizeOf(b, world) - sizeOf(a, world)).map((gang) => {
      const { minMember } = world.specs.get(gang)!;
      const members = [...world.members.values()].filter((member) => member.gang === gang);
      const bound = world.bound(gang);
      const waiting = members.filter(({ node }) => !node);
      return { gang, needed: Math.max(0, minMember - bound), waiting, bound, minMember };
    });
    if (gangs.length < ids.length) continue;
    const isComplete = lacks.every(({ needed, waiting }) => waiting.length >= needed);
    if (!isComplete || lacks.every(({ needed }) => needed === 0)) continue;
    if (attended.standing.phase === "refused" && attended.standing.why.reason === "Parked") {
      continue;
    }
    const room = roomOf(world.free());
    const fits = lacks.every(({ needed, waiting }) =>
      place(waiting.map(candidateOf), room, needed).fit.members === needed
    );
    if (fits) {
      const counts = lacks.map(({ gang, bound, minMember }) => `${gang} ${bound} of ${minMember}`);
      return `${counts.join(", ")}: there is room, but it is not whole`;
    }
  }
  return undefined;
}

/** GPUs of a gang's members, which are alike. */
function sizeOf(gang: string, { members }: PureWorld): number {
  return [...members.values()].find((member) => member.gang === gang)?.gpus ?? 0;
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
