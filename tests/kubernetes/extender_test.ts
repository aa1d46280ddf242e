import { assertEquals } from "@std/assert";
import { refusing } from "../../shared/kubernetes/extender.ts";

Deno.test("refusing() says why of every node of a small cluster, and of a hundred of a large one", () => {
  const names = Array.from({ length: 500 }, (_, index) => `node-${index}`);
  const { NodeNames, FailedAndUnresolvableNodes = {} } = refusing(names, "why");
  assertEquals(NodeNames, []);
  assertEquals(Object.keys(FailedAndUnresolvableNodes), names.slice(0, 100));
  assertEquals(refusing(["a", "b"], "why").FailedAndUnresolvableNodes, { a: "why", b: "why" });
});
