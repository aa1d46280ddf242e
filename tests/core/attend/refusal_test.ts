import { assertEquals } from "@std/assert";
import type { Refusal } from "../../../shared/core/attend/attended.ts";
import { retell, retellAt, wakeUp } from "../../../shared/core/attend/refusal.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, gang, kept, letIn, snapshotOf, start } from "../../support/attending.ts";

const pod = { namespace: "default", name: "m" };
const refusal: Refusal = { pod, gang, reason: "JustSeen", sentence: "Muster: earlier", at: start };
const byPreempt: Refusal = { ...refusal, isByPreempt: true };
const refused = SharedMap.empty<Refusal>().with("a", refusal).with("b", byPreempt);

Deno.test("wakeUp(): whom filter refused wakes by its annotation, and whom preempt did by more than that", () => {
  const group = attended({ standing: letIn(), refused });
  const wokenOf = (...uids: string[]) => wakeUp(group, uids).effects;
  const [a, b] = ["a", "b"].map((uid) => ({ do: "poke", pod, uid }) as const);
  assertEquals(wokenOf("a"), [a!]);
  assertEquals(wokenOf("a", "b"), [a!, { ...b!, isRoused: true }]);
  assertEquals(wokenOf("gone"), []);
  assertEquals(wakeUp(group, ["a", "b"]).attended.refused.size, 0);
});

Deno.test("retell(): whom preempt refused may not hear of another reason, and is still to be woken when it may be tried", () => {
  const group = attended({ standing: kept, refused });
  const snapshot = snapshotOf({ pending: 2 });
  const at = start + times.retell;
  assertEquals(retellAt(group, snapshot), at);
  const { effects, attended: told } = retell(group, snapshot, at);
  assertEquals(effects, ["a", "b"].map((uid) => ({ do: "poke", pod, uid })));
  const { reason, message } = kept.why;
  const sentence = `Muster: ${message}`;
  assertEquals([...told.refused], [["b", { ...byPreempt, reason, sentence, at }]]);
  assertEquals(retellAt(told, snapshot), Infinity, "it is told once");
});
