import { assert, assertEquals } from "@std/assert";
import { lookAt } from "../../../shared/core/plan/looked.ts";
import { Looks } from "../../../shared/core/plan/looks.ts";
import { looksFor, planningOf } from "../../../shared/core/plan/planning.ts";
import type { Waiting } from "../../../shared/core/plan/world.ts";
import { now, worldOf } from "../../support/planned.ts";

/** The same gang in a namespace. */
function inNamespace(group: Waiting, namespace: string): Waiting {
  const gangs = () =>
    group.gangs().map((planned) => {
      const { facts } = planned;
      return { ...planned, facts: { ...facts, gang: { ...facts.gang, namespace } } };
    });
  return { ...group, gangs };
}

/** Spends all that a search may; how much that was. */
function spendAll(looks: Looks): number {
  let spent = 0;
  while (looks.spend(1000)) spent += 1000;
  return spent;
}

Deno.test("looks: however many gangs of a namespace look for room in a plan, those of others may look as much as ever", () => {
  const gangs = Array.from({ length: 50 }, (_, at) => ({
    name: `g${at}`,
    members: [{ count: 1, gpus: at }],
  }));
  const world = worldOf({ nodes: { a: "1" }, gangs });
  const planning = planningOf(world, now);
  const searchOf = (group: Waiting) => looksFor(lookAt(group, planning), planning);
  const [first, ...others] = world.waiting.map((group) => spendAll(searchOf(group)));
  assertEquals(others[0], first);
  assertEquals(others.at(-1), 0);
  const all = others.reduce((sum, spent) => sum + spent, first!);
  assert(all >= 2 * first! && all <= 10 * first!);
  const [group] = world.waiting;
  assertEquals(spendAll(searchOf(inNamespace(group!, "other"))), first);
});

Deno.test("looks: another search may look as much as the first, and no more than all together", () => {
  const all = new Looks(25_000);
  const one = new Looks(10_000, all);
  assertEquals([one, one.another(), one.another()].map(spendAll), [10_000, 10_000, 5000]);
});
