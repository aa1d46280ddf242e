import { assertEquals } from "@std/assert";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import { landingsIn } from "../../../tools/bench/landings.ts";
import { attended, callOf, gang, offeredOf, snapshotOf, start } from "../../support/attending.ts";
import { MemoryTape, replayed } from "../../support/tape.ts";

const look = (uid: string, node: string): GroupEvent => {
  const call = callOf(uid);
  const calls = [{ ...call, pod: { ...call.pod, node } }];
  return { is: "look", snapshot: snapshotOf({ calls }), longestHold: 50_000 };
};

/** Members are sent where the plan has them, and land on these nodes; between them come events. */
function landings(...happenings: (readonly [uid: string, node: string] | GroupEvent)[]) {
  const tape = new MemoryTape();
  const recorder = new Recorder(decisions, tape);
  let group = attended();
  const happen = (event: GroupEvent) => {
    group = recorder.advance(group, event, start).attended;
  };
  const taken = ["n1", "n2"].map((node) => ({
    node,
    kind: "worker",
    requests: new Map(),
    count: 1,
  }));
  const plan = { fit: { members: 2, of: 2 }, taken, isShort: false, steering: "strict" as const };
  happen({ is: "planned", plan, waits: () => true });
  for (const each of happenings) {
    if ("is" in each) happen(each);
    else {
      const [uid, node] = each;
      const member = { ...offeredOf({ kind: "worker", nodes: ["n1", "n2"] }), uid };
      group = recorder.offer(group, member, start).attended;
      happen({ is: "call opened", uid });
      happen(look(uid, node));
    }
  }
  return landingsIn(replayed(tape.lines, decisions));
}

Deno.test("landings: a member counts where it was sent, and not elsewhere", () => {
  assertEquals(landings(["a1", "n1"], ["a2", "n3"]), {
    members: 2,
    sent: 2,
    planned: 1,
    failed: {},
  });
});

Deno.test("landings: what comes after a round has failed is no first round", () => {
  const failed: GroupEvent = {
    is: "answered",
    answer: {
      verdict: "reject",
      allow: [],
      wait: [],
      reject: ["a1"],
      reason: "MemberUnschedulable",
      message: `gang ${gang} can not become whole`,
    },
    snapshot: snapshotOf({ calls: [callOf("a1")] }),
  };
  assertEquals(landings(["a1", "n1"], failed, ["a2", "n2"]), {
    members: 2,
    sent: 2,
    planned: 1,
    failed: { MemberUnschedulable: 1 },
  });
});
