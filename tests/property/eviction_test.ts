import { assert, assertEquals, assertGreaterOrEqual, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { evictionFor } from "../../shared/core/plan/eviction.ts";
import { Looks } from "../../shared/core/plan/looks.ts";
import {
  isBroken,
  mayLeave,
  overdrawn,
  type Running,
  type RunningPod,
} from "../../shared/core/plan/running.ts";
import { copyOf, take } from "../../shared/core/room/fit.ts";
import { type Crowd, floorIn, freeIn, runningIn } from "../support/evictions.ts";
import { members } from "../support/rooms.ts";
import { runs } from "./runs.ts";

const nodeNames = ["n0", "n1", "n2"];
const disruption = fc.constantFrom("gang" as const, "gang" as const, "member" as const);
const declared = fc.record({
  minMember: fc.integer({ min: 1, max: 3 }),
  disruption,
  roles: fc.constantFrom({}, {}, { ps: 1 }),
});

/** Small enough to try every set of victims. */
const crowds: fc.Arbitrary<Crowd> = fc.record({
  nodes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
    .map((gpus) => Object.fromEntries(gpus.map((gpu, index) => [nodeNames[index]!, { gpu }]))),
  pods: fc.array(
    fc.record({
      node: fc.constantFrom(...nodeNames),
      gpu: fc.integer({ min: 1, max: 2 }),
      priority: fc.constantFrom(0, 0, 5, 9),
      startedAt: fc.nat(9),
      gang: fc.constantFrom(undefined, "a", "b"),
      role: fc.constantFrom("ps", "worker"),
      budgets: fc.subarray(["x"], { maxLength: 1 }),
    }),
    { maxLength: 8 },
  ),
  gangs: fc.record({ a: declared, b: declared }),
  budgets: fc.record({ x: fc.nat(2) }),
  members: fc.tuple(fc.nat(3), fc.nat(2)).map(([ones, twos]) => [
    ...members(ones, { gpu: 1 }),
    ...members(twos, { gpu: 2 }),
  ]),
}).map(({ nodes, pods, ...rest }) => {
  const left = new Map(Object.entries(nodes).map(([name, { gpu }]) => [name, gpu]));
  const there = pods.filter(({ node, gpu }) => {
    const free = left.get(node) ?? 0;
    if (free < gpu) return false;
    left.set(node, free - gpu);
    return true;
  });
  return {
    nodes,
    pods: there.map(({ gpu, gang, ...pod }, index) => ({
      ...pod,
      name: `p${index}`,
      asks: { gpu },
      ...(gang && { gang }),
    })),
    priority: 9,
    ...rest,
  };
});

/** Every set of pods that may leave together, and by which all members find room. */
function choicesIn(crowd: Crowd, running: Running): RunningPod[][] {
  const subsets = running.pods.reduce<RunningPod[][]>(
    (sets, pod) => [...sets, ...sets.map((set) => [...set, pod])],
    [[]],
  );
  return subsets.filter((victims) => isAllowed(victims, running) && isEnough(victims, crowd));
}

function isAllowed(victims: readonly RunningPod[], running: Running): boolean {
  return overdrawn(victims, running.budgets).length === 0 &&
    [...byGang(victims)].every(([id, own]) => mayLeave(running.gangs.get(id)!, own));
}

function isEnough(victims: readonly RunningPod[], crowd: Crowd): boolean {
  const floor = floorIn(crowd);
  floor.take(victims, -1);
  return floor.place() !== undefined;
}

function byGang(victims: readonly RunningPod[]): Map<string, RunningPod[]> {
  const members = victims.filter(({ gang }) => gang !== undefined);
  return Map.groupBy(members, ({ gang }) => gang!);
}

/** By the first number they are compared, then by the second, and so on. */
function harmOf(victims: readonly RunningPod[], { gangs }: Running): number[] {
  return [
    Math.max(-Infinity, ...victims.map(({ priority }) => priority)),
    [...byGang(victims)].filter(([id, own]) => isBroken(gangs.get(id), own)).length,
    victims.length,
  ];
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

function search(crowd: Crowd) {
  const running = runningIn(crowd);
  return {
    running,
    found: evictionFor({ floor: () => floorIn(crowd), running, looks: new Looks() }),
  };
}

Deno.test("property: who leaves may leave, and all members find room by it", () => {
  fc.assert(
    fc.property(crowds, (crowd) => {
      const { running, found } = search(crowd);
      if (!found) return;
      assert(isAllowed(found.victims, running));
      const room = copyOf(freeIn(crowd));
      for (const { node, requests } of found.victims) take(room, node, { requests, sign: -1 });
      for (const { node, requests, count } of found.taken) take(room, node, { requests, count });
      for (const free of room.values()) {
        for (const amount of free.values()) assertGreaterOrEqual(amount, 0);
      }
    }),
    runs(2000),
  );
});

Deno.test("property: somebody leaves wherever there is a choice, and nobody whom the members do not need to", () => {
  fc.assert(
    fc.property(crowds, (crowd) => {
      const { running, found } = search(crowd);
      const choices = choicesIn(crowd, running);
      assertEquals(found !== undefined, choices.length > 0);
      if (!found) return;
      const isFewer = (choice: RunningPod[]) =>
        choice.length < found.victims.length &&
        choice.every((pod) => found.victims.includes(pod));
      assertEquals(choices.find(isFewer), undefined);
    }),
    runs(2000),
  );
});

Deno.test("property: no other choice is of a lower priority, and few others break fewer gangs or pods", () => {
  let found = 0;
  let better = 0;
  fc.assert(
    fc.property(crowds, (crowd) => {
      const { running, found: eviction } = search(crowd);
      if (!eviction || eviction.victims.length === 0) return;
      found++;
      const [priority, ...rest] = harmOf(eviction.victims, running);
      let isBetter = false;
      for (const choice of choicesIn(crowd, running)) {
        const [other, ...others] = harmOf(choice, running);
        assertGreaterOrEqual(other!, priority!);
        if (other === priority && isLess(others, rest)) isBetter = true;
      }
      if (isBetter) better++;
    }),
    // A share is of many: fewer would tell it by chance.
    { numRuns: Math.max(2000, runs(2000).numRuns) },
  );
  assertLessOrEqual(better, Math.max(1, found / 50));
});
