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

Deno.test("wakeUp(): who was nominated to a node on which its gang's plan has no place any more is not sent there", () => {
  const nominated = SharedMap.empty<string>().with("a", "n1");
  const use = { kind: "k", requests: new Map<string, number>(), count: 1 };
  const nodeOf = (planned: string) => {
    const { placement } = attended();
    const uses = [{ ...use, node: planned }];
    const group = attended({
      standing: letIn(),
      refused,
      nominated,
      placement: { ...placement, uses },
    });
    return wakeUp(group, ["a"]).effects[0];
  };
  assertEquals(nodeOf("n1"), { do: "poke", pod, uid: "a", node: "n1" });
  assertEquals(nodeOf("n2"), { do: "poke", pod, uid: "a" });
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

/** What a member was told, in Muster's words or in the scheduler's, and whether that is what is so now. */
const sentences: [sentence: string, isSo: boolean][] = [
  ["Muster: it finds no room", true],
  ["0/3 nodes are available: 3 Muster: it finds no room. preemption: no node", true],
  ["0/3 nodes are available: 1 Muster: it finds no room, 2 node(s) were unschedulable.", true],
  ["0/3 nodes are available: 3 Muster: it finds no room.", true],
  ["Muster: it finds no room; it is expected to start at 14:00", false],
  ["0/3 nodes are available: 3 Muster: it finds no room; 2 members were preempted by a. no", false],
  ["Muster: it finds no room: short of cpu", false],
  ["Muster: it finds no roomy node", false],
  ["Muster: it waits", false],
];

for (const [sentence, isSo] of sentences) {
  Deno.test(`retell(): who heard "${sentence}" is ${isSo ? "not " : ""}told that it finds no room`, () => {
    const told = SharedMap.empty<Refusal>().with("a", { ...refusal, sentence });
    const group = attended({ standing: kept, refused: told });
    const at = retellAt(group, snapshotOf({ pending: 1 }));
    assertEquals(at, isSo ? Infinity : start + times.retell);
  });
}
