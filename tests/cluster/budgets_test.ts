import { assertEquals } from "@std/assert";
import { Budgets } from "../../shared/cluster/budgets.ts";
import { podOf } from "../support/objects.ts";

/** A budget of all pods of a namespace, and how often somebody has looked whose it is. */
function budgetOf(name: string, namespace: string) {
  const looked = { times: 0 };
  const budget = {
    metadata: { name, namespace, uid: `uid-${name}` },
    get spec() {
      looked.times++;
      return { selector: {} };
    },
    status: { disruptionsAllowed: 1 },
  };
  return { budget, looked };
}

Deno.test("Budgets: pods of other namespaces are not looked at for a budget", () => {
  const [own, other] = [budgetOf("own", "default"), budgetOf("other", "other")];
  const budgets = new Budgets();
  budgets.changed(own.budget);
  budgets.changed(other.budget);
  const pod = podOf({ name: "a" });
  assertEquals(budgets.of(pod), ["uid-own"]);
  budgets.changed(other.budget);
  assertEquals(budgets.of(pod), ["uid-own"]);
  assertEquals([own.looked.times, other.looked.times], [1, 0]);
  assertEquals([...budgets.allowed()], [["uid-own", 1], ["uid-other", 1]]);
  budgets.deleted(own.budget);
  assertEquals([budgets.of(pod), [...budgets.allowed().keys()]], [[], ["uid-other"]]);
});

const ready = [{ type: "Ready", status: "True" }];
const unready = [{ type: "Ready", status: "False" }];

for (
  const { name, status, spec, healthy, others = 0, keeps } of [
    { name: "one that has not started", status: { phase: "Pending" }, others: 1, keeps: false },
    { name: "one that is ready", status: { phase: "Running", conditions: ready }, keeps: true },
    {
      name: "one that is not ready, where too few are without it",
      status: { phase: "Running", conditions: unready },
      keeps: true,
    },
    {
      name: "one that is not ready, where enough are without it",
      status: { phase: "Running", conditions: unready },
      healthy: 2,
      keeps: false,
    },
    {
      name: "one that is not ready, where the budget says that these may always leave",
      status: { phase: "Running", conditions: unready },
      spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" },
      keeps: false,
    },
    {
      name: "one that is not ready, under two budgets",
      status: { phase: "Running", conditions: unready },
      spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" },
      others: 1,
      keeps: true,
    },
  ]
) {
  Deno.test(`Budgets: keeps as the Eviction API does: ${name}`, () => {
    const budgets = new Budgets();
    const names = ["own", "other"].slice(0, 1 + others);
    for (const name of names) {
      budgets.changed({
        metadata: { name, namespace: "default", uid: name },
        spec: { selector: {}, ...spec },
        status: { disruptionsAllowed: 0, currentHealthy: healthy ?? 1, desiredHealthy: 2 },
      });
    }
    const pod = { ...podOf({ name: "a" }), status };
    assertEquals(budgets.of(pod), names);
    assertEquals(budgets.keeping(pod), keeps ? names : []);
  });
}
