import { assertEquals } from "@std/assert";
import { type NominatedGroup, nominationsEndAt } from "../../shared/core/nomination.ts";

const group: NominatedGroup = { rejectedSince: undefined, onlyPauses: false, fitsSince: undefined };

const cases: [id: string, group: Partial<NominatedGroup>, expect: number][] = [
  ["let in, and victims leave: not yet", {}, Infinity],
  ["let in, and there is room: when the scheduler should have tried it", { fitsSince: 100 }, 4100],
  ["not let in: as soon as no cycle is under way", { rejectedSince: 100 }, 1100],
  ["not let in, whatever room there is", { rejectedSince: 100, fitsSince: 0 }, 1100],
  ["in the pause after a failed round: not yet", {
    rejectedSince: 100,
    onlyPauses: true,
    fitsSince: 0,
  }, Infinity],
];

for (const [id, parts, expect] of cases) {
  Deno.test(`nominationsEndAt(): ${id}`, () => {
    assertEquals(nominationsEndAt({ ...group, ...parts }), expect);
  });
}
