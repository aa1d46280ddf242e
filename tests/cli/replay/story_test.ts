import { assertEquals } from "@std/assert";
import { storyOf } from "../../../cli/replay/story.ts";
import { type Decisions, decisions } from "../../../shared/core/attend/decisions.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import {
  attended,
  callOf,
  gang,
  letIn,
  offeredOf,
  snapshotOf,
  start,
} from "../../support/attending.ts";
import { MemoryTape, replayed } from "../../support/tape.ts";

const calls = ["a1", "a2"].map((uid) => callOf(uid));
const fit = { members: 1, of: 2, shortOf: "nvidia.com/gpu" };
const planned: GroupEvent = { is: "planned", plan: { fit, isShort: true }, waits: () => true };
const snapshot = snapshotOf({ minMember: 2, calls });
const allowed = {
  verdict: "allow" as const,
  allow: ["a1", "a2"],
  wait: [],
  reject: [],
  reason: "Satisfied" as const,
  message: "both may",
};

/** The lines of what happens to a group that was let in, one event each second, without their times. */
function told(events: readonly GroupEvent[], by: Decisions = decisions): string[] {
  const tape = new MemoryTape();
  const recorder = new Recorder(decisions, tape);
  let group = attended({ standing: letIn() });
  let now = start;
  for (const event of events) {
    recorder.refusalOf(group, { uid: "a1", gang, placed: () => 0 }, now);
    group = recorder.advance(group, event, now += 1000).attended;
  }
  recorder.offer(group, offeredOf({ kind: undefined, nodes: ["node-1"] }), now);
  return storyOf(replayed(tape.lines, by)).map((line) => line.slice("00:00:00.000  ".length));
}

Deno.test("story: what happened, what was answered and what was done, by names; plans where they are others", () => {
  assertEquals(
    told([
      { is: "member came", uid: "a1" },
      { is: "member came", uid: "a2" },
      planned,
      { is: "call opened", uid: "a1" },
      planned,
      { is: "look", snapshot, longestHold: 50_000 },
      { is: "answered", answer: allowed, snapshot },
      { is: "bound", gang, isWhole: true },
    ]),
    [
      "a member came (2 times)",
      "planned: 1 of 2 fit, short of nvidia.com/gpu",
      "the scheduler asks to bind a1",
      "look at 0 pending, 2 held, 0 bound: ask permit",
      "answer: allow, Satisfied: both may: count allow; bind a1, a2",
      `a member of ${gang} is bound, which is whole`,
      "filter lets a1 through",
    ],
  );
});

Deno.test("story: says where today's code decides otherwise", () => {
  const turned: Decisions = {
    ...decisions,
    advance: (group) => ({ attended: group, effects: [{ do: "park" }] }),
  };
  assertEquals(told([{ is: "member came", uid: "a1" }], turned), [
    "a member came; TODAY: park",
    "filter lets a1 through",
  ]);
});
