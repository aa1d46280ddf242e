import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type Objects, readManifests } from "../../../cli/muster/simulation/manifests.ts";
import { at } from "../../support/facts.ts";

function read(text: string): Objects {
  return readManifests([{ name: "f.yaml", text }], { namespace: "default", now: at(0) });
}

/** A Job whose template says more. */
function job(labels: string, spec = ""): string {
  return `{ kind: Job, metadata: { name: train }, spec: { template: {
    metadata: { labels: { ${labels} } }, spec: { containers: [], ${spec} } } } }`;
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

for (
  const [what, manifest, says] of [
    ["no YAML", "a: [", 'Cannot read "f.yaml" as YAML'],
    ["a Job without a template", "{ kind: Job, metadata: { name: j } }", 'Cannot use Job "j"'],
    ["a Pod without a name", "{ kind: Pod, spec: {} }", "it has no metadata.name"],
    [
      "a quantity that is none",
      "{ kind: Pod, metadata: { name: p }, spec: { containers: [{ resources: { requests: { cpu: lots } } }] } }",
      'Cannot use Pod "p" in "f.yaml": Cannot read "lots" as a quantity',
    ],
    [
      "a quantity of a node that is none",
      "{ kind: Node, metadata: { name: n }, status: { allocatable: { cpu: lots } } }",
      'Cannot use Node "n" in "f.yaml": Cannot read "lots" as a quantity',
    ],
    [
      "a label of a template without quotes",
      job("pod-group/min-available: 4"),
      'Cannot use Job "train" in "f.yaml": label pod-group/min-available must be a text: write "4"',
    ],
    [
      "an annotation without quotes",
      "{ kind: Pod, metadata: { name: p, annotations: { a: true } }, spec: { containers: [] } }",
      'Cannot use Pod "p" in "f.yaml": annotation a must be a text: write "true"',
    ],
    [
      "an annotation of a PodGroup that is a list",
      "{ apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: { name: g, annotations: { a: [b] } } }",
      'Cannot use PodGroup "g" in "f.yaml": annotation a must be a text',
    ],
    [
      "a label of a node without quotes",
      "{ kind: Node, metadata: { name: n, labels: { rack: 1 } } }",
      'Cannot use Node "n" in "f.yaml": label rack must be a text: write "1"',
    ],
    [
      "a nodeSelector without quotes",
      job("", "nodeSelector: { rack: 1 }"),
      'Cannot use Job "train" in "f.yaml": nodeSelector rack must be a text: write "1"',
    ],
    [
      "a nodeSelector without a value",
      job("", "nodeSelector: { rack: }"),
      'Cannot use Job "train" in "f.yaml": nodeSelector rack must be a text: write ""',
    ],
    [
      "a node affinity without terms",
      job("", `affinity: { nodeAffinity: { ${required}: {} } }`),
      'Cannot use Job "train" in "f.yaml": the node affinity that it requires has no nodeSelectorTerms: add one',
    ],
  ] as const
) {
  Deno.test(`simulate: ${what} is an error that says where`, () => {
    const { message } = assertThrows(() => read(manifest), Error);
    assertStringIncludes(message, says);
  });
}

Deno.test("simulate: what is null is absent", () => {
  const { pods } = read(
    "{ kind: Pod, metadata: { name: p, labels: null, annotations: {} }, spec: { " +
      "containers: [{ resources: { requests: { cpu: null } } }, null], nodeName: null, priorityClassName: null } }",
  );
  assertEquals(pods.map(({ metadata, spec }) => [metadata.labels, metadata.annotations, spec]), [
    [undefined, {}, { containers: [{ resources: { requests: {} } }] }],
  ]);
});

Deno.test("simulate: kinds that are not read are counted, in lists too", () => {
  const text = "{ kind: List, items: [{ apiVersion: v1, kind: Service, metadata: { name: s } }, " +
    "{ kind: Pod, metadata: { name: p }, spec: { containers: [] } }] }";
  const { pods, ignored } = read(text);
  assertEquals(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`), ["default/p"]);
  assertEquals([...ignored], [["v1 Service", 1]]);
});
