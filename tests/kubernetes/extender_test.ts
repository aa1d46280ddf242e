import { assertEquals } from "@std/assert";
import { type ExtenderArgs, refusing } from "../../shared/kubernetes/extender.ts";
import { podOf } from "../support/objects.ts";

function argsOf(NodeNames: string[], nominatedNodeName?: string): ExtenderArgs {
  const status = { phase: "Pending", ...(nominatedNodeName && { nominatedNodeName }) };
  return { Pod: { ...podOf(), status }, NodeNames };
}

Deno.test("refusing() says why of every node of a small cluster, and of a hundred of a large one", () => {
  const names = Array.from({ length: 500 }, (_, index) => `node-${index}`);
  const { NodeNames, FailedAndUnresolvableNodes = {} } = refusing(argsOf(names), "why");
  assertEquals(NodeNames, []);
  assertEquals(Object.keys(FailedAndUnresolvableNodes), names.slice(0, 100));
  assertEquals(refusing(argsOf(["a", "b"]), "why").FailedAndUnresolvableNodes, {
    a: "why",
    b: "why",
  });
});

Deno.test("refusing() leaves a pod nominated: preemption might help on its node", () => {
  const { FailedNodes, FailedAndUnresolvableNodes } = refusing(argsOf(["a", "b"], "b"), "why");
  assertEquals([FailedNodes, FailedAndUnresolvableNodes], [{ b: "why" }, { a: "why" }]);
  assertEquals(refusing(argsOf(["a"], "b"), "why").FailedNodes, undefined);
});
