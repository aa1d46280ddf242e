import { assertEquals } from "@std/assert";
import { at } from "../../support/facts.ts";
import { job, two, verdictsOf } from "../../support/simulated.ts";

/** Two pods of a Job, as a controller made them, on a node or waiting. */
function podsOf(name: string, { on, kind = "Job", owner = name }: {
  on?: string;
  kind?: string;
  owner?: string;
}): string {
  return ["x7k2p", "q9d4z"].map((suffix) => `
---
kind: Pod
metadata:
  name: ${name}-${suffix}
  labels: { pod-group/name: ${name}, pod-group/min-available: "2" }
  ownerReferences: [{ kind: ${kind}, name: ${owner}, uid: uid-${owner}, controller: true }]
spec: { ${
    on ? `nodeName: ${on},` : ""
  } containers: [{ resources: { limits: { nvidia.com/gpu: "1" } } }] }
status: { phase: ${on ? "Running" : "Pending"}, startTime: "${at(-300)}" }`).join("");
}

const runningJob = job("train", { size: 2 }).replace("train }", "train, uid: uid-train }")
  .replace("spec:", "spec:\n  activeDeadlineSeconds: 900");
const jobSet = `
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: { name: set }
spec: { replicatedJobs: [{ name: a, template: { spec: { parallelism: 2, template: {
  metadata: { labels: { pod-group/name: set-a-0, pod-group/min-available: "2" } },
  spec: { containers: [{ resources: { limits: { nvidia.com/gpu: "1" } } }] } } } } }] }`;

for (
  const [about, manifests, nodes, expected] of [
    ["a file has them too", "", two + podsOf("train", { on: "a" }) + runningJob, []],
    ["a manifest is of a Job that runs", runningJob, two + podsOf("train", { on: "a" }), []],
    [
      "a manifest is of a Job that waits",
      runningJob,
      two + podsOf("train", {}),
      ["default/train-x7k2p", "default/train-q9d4z"],
    ],
    [
      "a manifest is of a JobSet that runs",
      jobSet,
      two + podsOf("set-a-0", { on: "a" }),
      [],
    ],
    [
      "another has made some",
      runningJob,
      two + podsOf("other", { on: "a" }),
      ["default/train-0", "default/train-1"],
    ],
  ] as [string, string, string, string[]][]
) {
  Deno.test(`simulate: pods that a Job has made are not made again where ${about}`, () => {
    const verdicts = verdictsOf(manifests, { nodes });
    assertEquals(verdicts.flatMap(({ nodes }) => Object.keys(nodes)), expected);
  });
}

Deno.test("simulate: the deadline of a Job in the file that has the cluster tells when its pods end", () => {
  const nodes = two + podsOf("train", { on: "a" }) + runningJob;
  const [verdict] = verdictsOf(job("next", { size: 4 }), { nodes, backfill: "easy" });
  assertEquals(verdict!.estimate, { startsAt: at(600), after: "default/train" });
});
