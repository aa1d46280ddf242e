import { assertEquals } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { prefilterQuestion } from "../../../shared/core/attend/admission.ts";
import { nextToUngate } from "../../../shared/core/attend/ungating.ts";
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
  "asked about in vain": { attended: attended({ asking, plan: short }), isGated: true },
};

const cases: [order: string[], next: string | undefined, failed?: string[]][] = [
  [["let in"], "let in"],
  [["waits", "let in"], "let in"],
  [["released", "let in"], "let in"],
  [["in doubt", "let in"], "let in"],
  [["asked about in vain", "let in"], "let in"],
  [["asked about", "let in"], undefined],
  [["asked about for long", "let in"], "let in"],
  [["let in", "asked about"], "let in"],
  [["waits", "released"], undefined],
  [["let in", "in doubt"], undefined, ["let in"]],
  [["asked about", "let in"], "let in", ["asked about"]],
];

for (const [order, next, failed = []] of cases) {
  const without = failed.length === 0 ? "" : ` where ${failed.join(", ")} failed`;
  Deno.test(`ungating: of ${order.join(", ")} the next is ${next ?? "none"}${without}`, () => {
    const [all, left] = [order, failed].map((names) => names.map((name) => groups[name]!));
    const found = nextToUngate(all!, { failed: new Set(left), now: start });
    assertEquals(found.next, next === undefined ? undefined : groups[next]);
    const isAwaited = order[0] === "asked about" && !next;
    assertEquals(found.until, isAwaited ? start + times.ungates : Infinity);
  });
}
