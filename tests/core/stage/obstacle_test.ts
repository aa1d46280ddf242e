import { assertEquals } from "@std/assert";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { prefilter } from "../../../shared/core/stage/prefilter.ts";
import { gang, type GangParts, group, now, together } from "../../support/facts.ts";

const stray = { pod: "a-9", scheduler: "volcano", served: ["muster"] };
const one = 'pod a-9 of scheduler "volcano" is not';
const all = 'pod a-9 of scheduler "volcano" and 2 more are not';

/** A gang of which members wait for another scheduler, and how its sentence begins. */
const rows: [id: string, parts: GangParts, begins: string][] = [
  ["one does", { pending: 1, stray }, `gang default/a has 1 of 3 members: ${one}`],
  ["three do", { pending: 1, stray, foreign: 3 }, `gang default/a has 1 of 3 members: ${all}`],
  ["two are bound", { bound: 2, stray, foreign: 1 }, `gang default/a has 2 of 3 members: ${one}`],
  ["one is bound", { bound: 1, stray, foreign: 3 }, `gang default/a has 1 of 3 members: ${all}`],
];

for (const [id, parts, begins] of rows) {
  Deno.test(`prefilter: members of another scheduler, where ${id}`, () => {
    const given = group(gang({ minMember: 3, ...parts }));
    const event = { stage: "prefilter", group: given, settings: profiles.default } as const;
    const { reason, message } = prefilter({}, event, now);
    assertEquals([reason, message.slice(0, begins.length)], ["SchedulerMismatch", begins]);
  });
}

Deno.test("prefilter: a composite that has fewer parts than it needs says so", () => {
  const composites = [{ name: "pair", min: 2, gangs: ["default/a"] }];
  const given = { ...together(gang({ name: "a", minMember: 2, pending: 2 })), composites };
  const event = { stage: "prefilter", group: given, settings: profiles.default } as const;
  assertEquals(
    prefilter({}, event, now).message,
    'the gang group waits for another group of CompositePodGroup "pair": no pods of it exist yet, only of gang default/a',
  );
});
