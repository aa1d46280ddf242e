import { assertEquals } from "@std/assert";
import {
  type DisruptionBudget,
  isUnder,
} from "../../../shared/kubernetes/counting/disruption_budget.ts";

type Selector = NonNullable<DisruptionBudget["spec"]>["selector"];

const rows: [what: string, selector: Selector, namespace: string, expect: boolean][] = [
  ["labels that it has", { matchLabels: { app: "a" } }, "default", true],
  [
    "what every object has, and no label",
    { matchExpressions: [{ key: "constructor", operator: "Exists" }] },
    "default",
    false,
  ],
  ["labels of which one differs", { matchLabels: { app: "a", tier: "b" } }, "default", false],
  [
    "an expression",
    {
      matchExpressions: [{ key: "app", operator: "In", values: ["a", "b"] }],
    },
    "default",
    true,
  ],
  [
    "an expression that it does not meet",
    {
      matchExpressions: [{ key: "app", operator: "DoesNotExist" }],
    },
    "default",
    false,
  ],
  ["everything", {}, "default", true],
  ["everything of another namespace", {}, "other", false],
  ["nothing", undefined, "default", false],
];

for (const [what, selector, namespace, expect] of rows) {
  Deno.test(`a pod is ${expect ? "" : "not "}under a budget that selects ${what}`, () => {
    const spec = selector ? { selector } : {};
    const budget = { metadata: { name: "b", uid: "b", namespace }, spec };
    const pod = { metadata: { namespace: "default", labels: { app: "a" } } };
    assertEquals(isUnder(budget, pod), expect);
  });
}
