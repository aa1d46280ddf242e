import { assertEquals } from "@std/assert";
import {
  classOf,
  type MemberClass,
  ownGate,
  takeCensus,
} from "../../../shared/kubernetes/counting/census.ts";
import { podOf, type PodParts } from "../../support/objects.ts";

const foreign = { name: "quota.example.com/wait" };
const own = { name: ownGate };

const cases: [id: string, parts: PodParts, expect: MemberClass][] = [
  ["a new pod", {}, "pending"],
  ["SP-PF-6 behind a gate of others", { schedulingGates: [foreign] }, "gated"],
  ["behind the own gate only", { schedulingGates: [own] }, "pending"],
  ["behind both", { schedulingGates: [own, foreign] }, "gated"],
  ["no gates left", { schedulingGates: [] }, "pending"],
  ["bound, and not running yet", { nodeName: "n" }, "bound"],
  ["running", { nodeName: "n", phase: "Running" }, "bound"],
  ["succeeded", { nodeName: "n", phase: "Succeeded" }, "succeeded"],
  ["failed", { nodeName: "n", phase: "Failed" }, "failed"],
  ["failed before it had a node", { phase: "Failed" }, "failed"],
  ["S0 terminating, running", {
    nodeName: "n",
    phase: "Running",
    isTerminating: true,
  }, "terminating"],
  ["S0 terminating, pending", { isTerminating: true }, "terminating"],
  ["terminating, and done before", {
    nodeName: "n",
    phase: "Succeeded",
    isTerminating: true,
  }, "succeeded"],
];

for (const [id, parts, expect] of cases) {
  Deno.test(`census: ${id}: ${expect}`, () => {
    assertEquals(classOf(podOf(parts)), expect);
  });
}

Deno.test("census: BUG-12 a binding counts before the pod shows it", () => {
  assertEquals(classOf(podOf(), "n"), "bound");
  assertEquals(takeCensus([{ pod: podOf(), node: "n" }]).bound, 1);
});

const volcano = { scheduler: "volcano", served: ["muster"] };

Deno.test("census: members of another scheduler are a class of their own until they have a node", () => {
  const { foreign, pending, bound, gated } = takeCensus([
    { pod: podOf(), foreign: volcano },
    { pod: podOf({ schedulingGates: [{ name: "quota.example.com/wait" }] }), foreign: volcano },
    { pod: podOf({ nodeName: "n" }), foreign: volcano },
    { pod: podOf() },
  ]);
  assertEquals({ foreign, pending, bound, gated }, { foreign: 2, pending: 1, bound: 1, gated: 0 });
});

Deno.test("census: each member is in one class, and running ones are also bound", () => {
  const members = cases.map(([, parts]) => ({ pod: podOf(parts) }));
  const { running, ...classes } = takeCensus(members);
  assertEquals({ running, ...classes }, {
    pending: 3,
    gated: 2,
    bound: 2,
    running: 1,
    succeeded: 2,
    failed: 2,
    terminating: 2,
  });
  assertEquals(Object.values(classes).reduce((sum = 0, count = 0) => sum + count), members.length);
});
