import { assertEquals } from "@std/assert";
import {
  disruptionDeclaration,
  disruptionOf,
  nativeDisruption,
} from "../../../shared/kubernetes/declaring/declared_disruption.ts";

const metadata = { name: "p", uid: "p" };
const key = "muster.scheduling/disruption";

Deno.test("what a gang loses is said by an annotation or a label", () => {
  for (const field of ["annotations", "labels"] as const) {
    const { disruption } = disruptionDeclaration({ ...metadata, [field]: { [key]: "member" } });
    assertEquals(disruptionOf(disruption!), { value: "member" });
  }
  assertEquals(disruptionDeclaration(metadata), {});
});

Deno.test("what is neither gang nor member is not guessed", () => {
  const { disruption } = disruptionDeclaration({ ...metadata, annotations: { [key]: "pods" } });
  assertEquals(disruptionOf(disruption!), { must: 'must be "gang" or "member"' });
});

Deno.test("native PodGroups say it as 1.36 does and as later versions do", () => {
  const modes = ["Pod", "PodGroup", { single: {} }, { all: {} }, "Other", undefined];
  assertEquals(modes.map((mode) => nativeDisruption(mode)?.text), [
    "member",
    "gang",
    "member",
    "gang",
    "Other",
    undefined,
  ]);
});
