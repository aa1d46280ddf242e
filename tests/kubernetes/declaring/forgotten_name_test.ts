import { assertEquals } from "@std/assert";
import { forgottenName } from "../../../shared/kubernetes/declaring/forgotten_name.ts";
import { podOf, type PodParts } from "../../support/objects.ts";

const sigs = "pod-group.scheduling.sigs.k8s.io/";
const koordinator = "gang.scheduling.koordinator.sh/";

/** What a pod declares, its quorum, and the field that is missing; undefined: none. */
const cases: [pod: PodParts, quorum?: string, name?: string][] = [
  [
    { labels: { [`${sigs}min-available`]: "4" } },
    `label ${sigs}min-available`,
    `label ${sigs}name`,
  ],
  [
    { labels: { "pod-group/min-available": "4" } },
    "label pod-group/min-available",
    "label pod-group/name",
  ],
  [
    { labels: { "pod-group/min-available": "4", "pod-group/name": "" } },
    "label pod-group/min-available",
    "label pod-group/name",
  ],
  [
    { annotations: { [`${koordinator}min-available`]: "four" } },
    `annotation ${koordinator}min-available`,
    `annotation ${koordinator}name`,
  ],
  [{ labels: { "pod-group/min-available": "4", "pod-group/name": "tf" } }],
  [{ labels: { [`${sigs}name`]: "tf" }, annotations: { [`${koordinator}min-available`]: "4" } }],
  [{ labels: { "pod-group/min-available": "1" } }],
  [{ labels: { app: "web" } }],
];

for (const [parts, quorum, name] of cases) {
  Deno.test(`forgottenName() of ${JSON.stringify(parts)} is ${name ?? "none"}`, () => {
    const sentence =
      `pod p has ${quorum}, but no ${name}: it belongs to no gang and is scheduled ` +
      "alone, so name its gang";
    assertEquals(forgottenName(podOf(parts)), name && sentence);
  });
}
