import { assertEquals, assertStringIncludes } from "@std/assert";
import { readAttributes } from "../../../shared/kubernetes/declaring/declared_attributes.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { declaresSame } from "../../../shared/kubernetes/declaring/member.ts";
import { podOf } from "../../support/objects.ts";

const prefix = "policy.muster.scheduling/";
const metadata = { name: "p", uid: "p" };

Deno.test("attributes: the later object rules, and annotations rule over labels", () => {
  const podGroup = {
    ...metadata,
    annotations: { [`${prefix}team`]: "all", [`${prefix}licences`]: "matlab=2", other: "x" },
  };
  const pod = {
    ...metadata,
    labels: { [`${prefix}team`]: "label", [`${prefix}kind`]: "batch" },
    annotations: { [`${prefix}team`]: "research" },
  };
  assertEquals(readAttributes([podGroup, pod]).attributes, {
    kind: "batch",
    licences: "matlab=2",
    team: "research",
  });
  assertEquals(readAttributes([metadata]), { attributes: undefined, ignored: [] });
});

Deno.test("attributes: what is too long or too much is not told, and said", () => {
  const annotations = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`${prefix}k${100 + index}`, "x"]),
  );
  const { attributes, ignored } = readAttributes([
    { ...metadata, annotations: { ...annotations, [`${prefix}a`]: "x".repeat(257) } },
  ]);
  assertEquals([Object.keys(attributes!).length, ignored.length], [16, 5]);
  assertStringIncludes(ignored[0]!, `annotation "${prefix}a" is longer than 256 letters`);
});

Deno.test("attributes: are part of what a gang declares", () => {
  const member = (team: string) =>
    podOf({
      name: "a-0",
      labels: { "pod-group/name": "a", "pod-group/min-available": "1" },
      annotations: { [`${prefix}team`]: team },
    });
  assertEquals(readGang([member("x")]).spec.attributes, { team: "x" });
  assertEquals(
    [declaresSame(member("x"), member("x")), declaresSame(member("x"), member("y"))],
    [true, false],
  );
});
