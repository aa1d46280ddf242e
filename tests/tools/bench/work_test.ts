import { assertEquals } from "@std/assert";
import {
  GPUS_PER_NODE,
  gpusOf,
  idealSeconds,
  type Work,
  works,
} from "../../../tools/bench/work.ts";

function work(name: string): Work {
  const found = works[name];
  if (found === undefined) throw new Error(`No work is called "${name}"`);
  return found;
}

Deno.test("idealSeconds() is until the last of four waves starts", () => {
  assertEquals(idealSeconds(work("contended")), 3);
  assertEquals(idealSeconds(work("long")), 30);
});

Deno.test("idealSeconds() is undefined where nothing ends", () => {
  assertEquals(idealSeconds(work("free")), undefined);
});

Deno.test("the mix has gangs of 1 to 64 pods, and every size in both priorities", () => {
  const sizes = new Map<number, Set<unknown>>();
  for (const { size, priority } of work("mix").gangs) {
    sizes.set(size, (sizes.get(size) ?? new Set()).add(priority));
  }
  assertEquals([...sizes.keys()].sort((a, b) => a - b), [1, 2, 4, 8, 16, 32, 64]);
  assertEquals([...sizes.values()].every(({ size }) => size === 2), true);
});

Deno.test("every gang fits into its cluster, but for the impossible one", () => {
  for (const { gangs, impossible, nodes } of Object.values(works)) {
    const gpus = nodes * GPUS_PER_NODE;
    assertEquals(gangs.filter((gang) => gpusOf(gang) > gpus), []);
    assertEquals(impossible === undefined || gpusOf(impossible) > gpus, true);
  }
});
