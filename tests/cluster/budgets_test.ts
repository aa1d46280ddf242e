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
