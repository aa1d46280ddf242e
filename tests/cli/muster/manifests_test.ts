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

/** A pod whose spec says more. */
function pod(spec: string): string {
  return `{ kind: Pod, metadata: { name: p }, spec: { containers: [], ${spec} } }`;
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const terms = `affinity.nodeAffinity.${required}.nodeSelectorTerms`;

/** A pod that may only run where one requirement is met. */
function requiring(requirement: string): string {
  return pod(`affinity: { nodeAffinity: { ${required}: { nodeSelectorTerms: [{
    matchExpressions: [${requirement}] }] } } }`);
}

for (
  const [what, manifest, says] of [
    ["no YAML", "a: [", 'Cannot read "f.yaml" as YAML'],
    [
      "a brace without its other one",
      "spec: {",
      "must be sufficiently indented and end with a } at line 1, column 8",
    ],
    ["an alias of nothing", "{ kind: Pod, metadata: *m }", 'Cannot read "f.yaml" as YAML'],
    [
      "aliases of aliases",
      `a: &a [${"x,".repeat(20)}]\nb: &b [${"*a,".repeat(20)}]\nc: &c [${"*b,".repeat(20)}]`,
      'Cannot read "f.yaml" as YAML',
    ],
    ["a text", "pods", 'Cannot use object "" in "f.yaml": it must be an object'],
    ["a version that is a number", "{ apiVersion: 1, kind: Pod }", '"apiVersion" must be a text'],
    [
      "a namespace that is a number",
      "{ kind: Pod, metadata: { name: p, namespace: 5 }, spec: { containers: [] } }",
      '"metadata.namespace" must be a text in quotes: current value is 5',
    ],
    ["a Job without a template", "{ kind: Job, metadata: { name: j } }", '"spec" is missing'],
    ["a Pod without a name", "{ kind: Pod, spec: {} }", "it has no metadata.name"],
    [
      "a Pod without containers",
      "{ kind: Pod, metadata: { name: p }, spec: {} }",
      'Cannot use Pod "p" in "f.yaml": "spec.containers" is missing',
    ],
    [
      "a quantity that is none",
      "{ kind: Pod, metadata: { name: p }, spec: { containers: [{ resources: { requests: { cpu: lots } } }] } }",
      'Cannot use Pod "p" in "f.yaml": "spec.containers[0].resources.requests.cpu" must be a quantity, as "2", "500m", "1.5" or "64Gi": current value is "lots"',
    ],
    [
      "a quantity of a node that is none",
      "{ kind: Node, metadata: { name: n }, status: { allocatable: { cpu: lots } } }",
      'Cannot use Node "n" in "f.yaml": "status.allocatable.cpu" must be a quantity',
    ],
    [
      "a label of a template without quotes",
      job("pod-group/min-available: 4"),
      'Cannot use Job "train" in "f.yaml": "spec.template.metadata.labels.pod-group/min-available" must be a text in quotes: current value is 4',
    ],
    [
      "an annotation without quotes",
      "{ kind: Pod, metadata: { name: p, annotations: { a: true } }, spec: { containers: [] } }",
      '"metadata.annotations.a" must be a text in quotes: current value is true',
    ],
    [
      "an annotation of a PodGroup that is a list",
      "{ apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: { name: g, annotations: { a: [b] } } }",
      'Cannot use PodGroup "g" in "f.yaml": "metadata.annotations.a" must be a text',
    ],
    [
      "a label of a node without quotes",
      "{ kind: Node, metadata: { name: n, labels: { rack: 1 } } }",
      'Cannot use Node "n" in "f.yaml": "metadata.labels.rack" must be a text',
    ],
    [
      "a nodeSelector without quotes",
      job("", "nodeSelector: { rack: 1 }"),
      '"spec.template.spec.nodeSelector.rack" must be a text in quotes: current value is 1',
    ],
    [
      "a nodeSelector without a value",
      job("", "nodeSelector: { rack: }"),
      '"spec.template.spec.nodeSelector.rack" must be a text in quotes: current value is null',
    ],
    [
      "a node affinity without terms",
      job("", `affinity: { nodeAffinity: { ${required}: {} } }`),
      `Cannot use Job "train" in "f.yaml": "spec.template.spec.${terms}" is missing`,
    ],
    [
      "an operator in small letters",
      requiring("{ key: rack, operator: in, values: [a] }"),
      `"spec.${terms}[0].matchExpressions[0].operator" must be "In" or "NotIn" or`,
    ],
    [
      "a value without quotes",
      requiring("{ key: gpu, operator: NotIn, values: [true] }"),
      `"spec.${terms}[0].matchExpressions[0].values[0]" must be a text in quotes: current value is true`,
    ],
    [
      "a value in place of a list",
      requiring('{ key: gpu, operator: In, values: "true" }'),
      `.matchExpressions[0].values" must be a list: current value is "true"`,
    ],
    [
      "expressions that are no list",
      pod(
        `affinity: { nodeAffinity: { ${required}: { nodeSelectorTerms: [{ matchExpressions: {} }] } } }`,
      ),
      `"spec.${terms}[0].matchExpressions" must be a list: current value is an object`,
    ],
    [
      "a term of anti-affinity in place of a list",
      pod(`affinity: { podAntiAffinity: { ${required}: { topologyKey: a } } }`),
      `"spec.affinity.podAntiAffinity.${required}" must be a list`,
    ],
    ["one toleration", pod("tolerations: { key: x }"), '"spec.tolerations" must be a list'],
    ["a word for a toleration", pod("tolerations: [x]"), '"spec.tolerations[0]" must be an object'],
    [
      "one spread constraint",
      pod("topologySpreadConstraints: {}"),
      '"spec.topologySpreadConstraints" must be a list',
    ],
    ["a word for a volume", pod("volumes: [x]"), '"spec.volumes[0]" must be an object'],
    ["a priority in words", pod("priority: high"), '"spec.priority" must be a number'],
    [
      "a deadline in words",
      pod("activeDeadlineSeconds: soon"),
      '"spec.activeDeadlineSeconds" must be a number',
    ],
    ["a number for a container", pod("initContainers: [5]"), '"spec.initContainers[0]" must be'],
    ["a word for resources", pod("resources: x"), '"spec.resources" must be an object'],
    [
      "a value of a PriorityClass in words",
      "{ kind: PriorityClass, metadata: { name: c }, value: big }",
      'Cannot use PriorityClass "c" in "f.yaml": "value" must be a number: current value is "big"',
    ],
    [
      "one worker group",
      `{ kind: RayCluster, metadata: { name: r }, spec: { workerGroupSpecs: {},
        headGroupSpec: { template: { spec: { containers: [] } } } } }`,
      '"spec.workerGroupSpecs" must be a list',
    ],
  ] as [string, string, string][]
) {
  Deno.test(`simulate: ${what} is an error that says where`, () => {
    const { message } = assertThrows(() => read(manifest), Error);
    assertStringIncludes(message, says);
  });
}

Deno.test("simulate: each of the objects that leave their name to the API server has one", () => {
  const one = "{ kind: Pod, metadata: { generateName: p- }, spec: { containers: [] } }";
  const { pods } = read(`${one}\n---\n${one}`);
  assertEquals(pods.map(({ metadata }) => metadata.name), ["p-#1", "p-#2"]);
});

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
