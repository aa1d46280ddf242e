import { assertEquals } from "@std/assert";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { mistypedKeys } from "../../../shared/kubernetes/declaring/mistyped_keys.ts";
import { podOf } from "../../support/objects.ts";

const metadata = { name: "p", uid: "p" };

Deno.test("mistyped keys: whoever mistypes an annotation or a label of Muster's is told", () => {
  const pod = podOf({
    name: "a-0",
    labels: {
      "pod-group/name": "a",
      "pod-group/min-available": "1",
      "muster.scheduling/Role": "ps",
    },
    annotations: {
      "muster.scheduling/required-toplogy": "rack",
      "muster.scheduling/preferred-topology": "rack",
      "policy.muster.scheduling/team": "x",
    },
  });
  assertEquals(readGang([pod]).warnings.map(({ message }) => message), [
    'annotation "muster.scheduling/required-toplogy" is none that Muster knows: it is not used, so see whether its name is right',
    'label "muster.scheduling/Role" is none that Muster knows: it is not used, so see whether its name is right',
  ]);
});

Deno.test("mistyped keys: of very many four are told of", () => {
  const annotations = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`muster.scheduling/x${index}`, "x"]),
  );
  assertEquals(mistypedKeys([{ ...metadata, annotations }]).length, 4);
});
