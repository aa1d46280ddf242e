import { assertEquals } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import {
  admissionAsked,
  isAdmissionDue,
  prefilterQuestion,
} from "../../../shared/core/attend/admission.ts";
import { advance } from "../../../shared/core/attend/advance.ts";
import { isStuckAtGate, nextToUngate, ungates } from "../../../shared/core/attend/ungating.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, letIn, snapshotOf, start, told } from "../../support/attending.ts";

const snapshot = snapshotOf({ pending: 3 });
const plan = { fit: { members: 3, of: 3 }, isShort: false };
const short = { fit: { members: 2, of: 3 }, isShort: true };
const asking = {
  question: prefilterQuestion(attended(), snapshot, start),
  weakened: 0,
  specs: "",
  present: 3,
  calls: [],
  wasLetIn: false,
};

/** Groups by what is so of them. */
const groups: Record<string, { attended: Attended; isGated: boolean }> = {
  "let in": { attended: attended({ standing: letIn() }), isGated: true },
  "failed": {
    attended: attended({ standing: letIn(), ungatingSince: start, ungatedAt: start }),
    isGated: true,
  },
  "failed before": {
    attended: attended({
      standing: letIn(),
      ungatingSince: start - times.gateAgain,
      ungatedAt: start - times.gateAgain,
    }),
    isGated: true,
  },
  "released": { attended: attended({ standing: letIn() }), isGated: false },
  "in doubt": { attended: attended({ standing: letIn(), brokenAt: 1 }), isGated: true },
  "waits": { attended: attended(), isGated: true },
  "asked about": {
    attended: attended({ asking, plan, told: { ...told, at: start } }),
    isGated: true,
  },
  "asked about for long": {
    attended: attended({ asking, plan, told: { ...told, at: start - times.ungates } }),
    isGated: true,
  },
  "asked about first": { attended: attended({ asking, plan }), isGated: true },
  "asked about in vain": {
    attended: attended({ asking, plan: short, told: { ...told, at: start } }),
    isGated: true,
  },
};

const { gateAgain, gateAgainMost, ungates: mayTake } = times;

const cases: [order: string[], next: string | undefined, until?: number][] = [
  [["let in"], "let in"],
  [["waits", "let in"], "let in"],
  [["released", "let in"], "let in"],
  [["in doubt", "let in"], "let in"],
  [["asked about in vain", "let in"], "let in"],
  [["asked about first", "let in"], "let in"],
  [["asked about", "let in"], undefined, start + mayTake],
  [["asked about for long", "let in"], "let in"],
  [["let in", "asked about"], "let in"],
  [["waits", "released"], undefined],
  [["failed", "in doubt"], undefined, start + gateAgain],
  [["failed", "let in"], "let in", start + gateAgain],
  [["failed", "asked about", "let in"], undefined, start + Math.min(gateAgain, mayTake)],
  [["failed before", "let in"], "failed before"],
];

for (const [order, next, until = Infinity] of cases) {
  Deno.test(`ungating: of ${order.join(", ")} the next is ${next ?? "none"}`, () => {
    const all = order.map((name) => groups[name]!);
    const found = nextToUngate(all, start);
    assertEquals([found.next, found.until], [next === undefined ? undefined : groups[next], until]);
  });
}

/** Gates that can not be removed for so long, in ms, each time that they are tried. */
function triedInVain(forMs: number): { tries: number[]; after: Attended } {
  let after = attended({ standing: letIn() });
  const tries: number[] = [];
  for (let now = start; now <= start + forMs;) {
    const { next, until } = nextToUngate([{ attended: after, isGated: true }], now);
    if (next) {
      after = ungates(after, now);
      tries.push(now - start);
    } else now = until;
  }
  return { tries, after };
}

Deno.test("ungating: gates that can not be removed are tried ever more seldom, and keep their room for a while", () => {
  const { tries, after } = triedInVain(5 * gateAgainMost);
  const pauses = tries.slice(1).map((at, index) => at - tries[index]!);
  assertEquals(pauses.slice(0, 4), [gateAgain, gateAgain, 2 * gateAgain, 4 * gateAgain]);
  assertEquals(pauses.at(-1), gateAgainMost);
  const now = after.ungatedAt!;
  assertEquals([after.keepsUntil, isStuckAtGate(after, now)], [start + times.keeps, true]);
  assertEquals(isStuckAtGate(triedInVain(times.keeps - gateAgain).after, start), false);
});

Deno.test("ungating: gates that were tried for as long as room is kept are stuck, until they are forgotten", () => {
  const [ungatingSince, ungatedAt] = [start, start + times.keeps];
  const stuck = attended({ ungatingSince, ungatedAt });
  // It rests for as long as it has been tried, and so long again nobody has tried.
  const over = ungatedAt + 2 * times.keeps;
  assertEquals([ungatedAt, over - 1, over].map((now) => isStuckAtGate(stuck, now)), [
    true,
    true,
    false,
  ]);
  assertEquals([over - 1, over].map((now) => ungates(stuck, now).ungatingSince), [start, over]);
  assertEquals(isStuckAtGate({ ...stuck, ungatedAt: ungatedAt - 1 }, ungatedAt), false);
});

Deno.test("ungating: gates that somebody else has removed meanwhile are forgotten", () => {
  const { after } = triedInVain(gateAgainMost);
  const later = start + 9 * gateAgainMost;
  assertEquals(isStuckAtGate(after, later), false);
  const { ungatingSince, keepsUntil } = ungates(after, later);
  assertEquals([ungatingSince, keepsUntil], [later, later + times.keeps]);
});

Deno.test("ungating: that gates can not be removed is told once, and that they were", () => {
  const { after } = triedInVain(3 * times.keeps);
  const now = after.ungatedAt!;
  const before = admissionAsked({ ...after, ungatingSince: undefined, plan }, snapshot, start);
  const known = { ...before, plan, ungatingSince: after.ungatingSince };
  assertEquals(isAdmissionDue(known, snapshot, now), true);
  assertEquals(prefilterQuestion(known, snapshot, now).request.atGate, true);
  const told = { ...admissionAsked(known, snapshot, now), plan };
  assertEquals(isAdmissionDue(told, snapshot, now), false);
  const removed = advance(told, { is: "ungated" }, now);
  assertEquals(removed.effects, [{ do: "look" }]);
  assertEquals(isAdmissionDue(removed.attended, snapshot, now), true);
});
