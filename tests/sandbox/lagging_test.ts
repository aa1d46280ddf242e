import { assertEquals } from "@std/assert";
import type { Change } from "../../tools/sandbox/object_store.ts";
import { lagging } from "../../tools/sandbox/lagging.ts";
import { VirtualClock } from "../property/histories/virtual_clock.ts";

Deno.test("lagging(): changes are shown in their order, also where the clock is set while one is late", async () => {
  using clock = new VirtualClock(Date.parse("2026-01-01T12:00:00Z"));
  const shown: number[] = [];
  let lagMs = 20;
  const tell = lagging(({ version }) => shown.push(version), () => lagMs);
  const told = (version: number) => tell({ version } as unknown as Change);
  told(1);
  clock.setBy(5);
  lagMs = 0;
  told(2);
  await clock.pass(19);
  assertEquals(shown, []);
  await clock.pass(1);
  assertEquals(shown, [1, 2]);
});
