import { assertEquals } from "@std/assert";
import {
  isBeyondPlans,
  isBeyondRoom,
  isWithinPlans,
} from "../../../shared/core/attend/scheduler_reasons.ts";

/** What follows the reasons against nodes, where the scheduler tried to evict; from 1.34 to 1.36 it tries claims before. */
const attempts = [
  "preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
  "no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
  "still not schedulable, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
  "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  "no new claims to deallocate",
];

const refusals: [reasons: string, isBeyondPlans: boolean, isBeyondRoom: boolean][] = [
  ["1 node(s) had untolerated taint(s), 2 Insufficient cpu", false, false],
  ["1 node(s) had untolerated taint(s), 2 node(s) didn't match pod affinity rules", true, true],
  ["1 Insufficient cpu, 2 node(s) had volume node affinity conflict", true, false],
];

for (const attempt of attempts) {
  Deno.test(`isBeyondPlans(), isBeyondRoom(), isWithinPlans(): reasons end before "${attempt.slice(0, 46)}"`, () => {
    for (const [reasons, isBeyond, isBeyondAll] of refusals) {
      const message = `0/3 nodes are available: ${reasons}. ${attempt}`;
      const said = [isBeyondPlans(message), isBeyondRoom(message), isWithinPlans(message)];
      assertEquals(said, [isBeyond, isBeyondAll, !isBeyond], reasons);
    }
  });
}

const messages: [message: string, expect: boolean][] = [
  ["0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", false],
  [
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
    false,
  ],
  [
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had volume node affinity conflict.",
    true,
  ],
  [
    "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    true,
  ],
  ["0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.", true],
  [
    "0/2 nodes are available: resource claim default/shared is in the process of being allocated. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    false,
  ],
  ["Muster: gang default/a waits", false],
];

for (const [message, expect] of messages) {
  Deno.test(`isBeyondPlans(): "${message.slice(0, 80)}" is ${expect ? "news" : "planned with"}`, () => {
    assertEquals(isBeyondPlans(message), expect);
  });
}

const ofRoom: [message: string, expect: boolean][] = [
  ['0/3 nodes are available: persistentvolumeclaim "a" not found. not found', true],
  ["0/3 nodes are available: 3 node(s) didn't match pod affinity rules.", true],
  [
    "0/3 nodes are available: 1 node(s) had untolerated taint {a: b}, 2 node(s) had volume node affinity conflict.",
    true,
  ],
  [
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod anti-affinity rules.",
    false,
  ],
  ["0/3 nodes are available: 1 Too many pods, 2 node(s) had volume node affinity conflict.", false],
  ["0/3 nodes are available: 3 node(s) had untolerated taint {a: b}.", false],
];

for (const [message, expect] of ofRoom) {
  Deno.test(`isBeyondRoom(): "${message.slice(0, 90)}": room ${expect ? "does not help" : "may help"}`, () => {
    assertEquals(isBeyondRoom(message), expect);
  });
}

const within: [message: string, expect: boolean][] = [
  ["0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", true],
  ["0/3 nodes are available: 1 Too many pods, 2 node(s) were unschedulable.", true],
  ["0/3 nodes are available: 1 Too many pods, 2 node(s) had volume node affinity conflict.", false],
  ["Muster: gang default/a waits", false],
  ["", false],
];

for (const [message, expect] of within) {
  Deno.test(`isWithinPlans(): "${message.slice(0, 90)}" is ${expect ? "" : "not "}all that plans know of`, () => {
    assertEquals(isWithinPlans(message), expect);
  });
}
