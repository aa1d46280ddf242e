import { assertEquals } from "@std/assert";
import { refusing } from "../../shared/kubernetes/extender.ts";

Deno.test("refusing() says why of every node of a small cluster, and of a hundred of a large one", () => {
  const names = Array.from({ length: 500 }, (_, index) => `node-${index}`);
  const { NodeNames, FailedAndUnresolvableNodes = {} } = refusing(names, { sentence: "why" });
  assertEquals(NodeNames, []);
  assertEquals(Object.keys(FailedAndUnresolvableNodes), names.slice(0, 100));
  assertEquals(refusing(["a", "b"], { sentence: "why" }).FailedAndUnresolvableNodes, {
    a: "why",
    b: "why",
  });
});

Deno.test("refusing() leaves a pod nominated: preemption might help on its node", () => {
  const { FailedNodes, FailedAndUnresolvableNodes } = refusing(["a", "b"], {
    sentence: "why",
    nominated: "b",
  });
  assertEquals([FailedNodes, FailedAndUnresolvableNodes], [{ b: "why" }, { a: "why" }]);
  assertEquals(refusing(["a"], { sentence: "why", nominated: "b" }).FailedNodes, undefined);
});
