import { assertEquals } from "@std/assert";
import { mistypedKeys } from "../../shared/kubernetes/declaring/mistyped_keys.ts";

Deno.test("docs: each annotation and label of Muster that a page names for pods and PodGroups is known", async () => {
  for (const page of ["dialects", "preemption", "queue", "topology"]) {
    const text = await Deno.readTextFile(new URL(`../../docs/${page}.md`, import.meta.url));
    // What is on other objects, or a gate.
    const others = /muster\.scheduling\/(admission|gate|queued)/;
    for (const [key] of text.matchAll(/(?<!policy\.)muster\.scheduling\/[a-z-]+/g)) {
      if (!others.test(key)) {
        assertEquals(mistypedKeys([{ name: "p", uid: "p", labels: { [key]: "x" } }]), []);
      }
    }
  }
});
