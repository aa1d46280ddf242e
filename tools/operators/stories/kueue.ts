import type { KubernetesObject } from "../../control_plane/api_client.ts";
import type { Scene } from "../scene.ts";

const job = "resnet-train";

/** A Job whose queue has room for it before any domain of nodes has, and which is stopped and goes on; then two pods alone. */
export async function tellKueue(scene: Scene): Promise<void> {
  for (const name of ["gpu-nodes", "gpus", "research"]) await scene.apply(name);
  await scene.addNode({ gpus: 2 });
  await scene.apply(job);
  await scene.untilWaiting(4, "needs room for 4 more members");
  // Room for all of it, but in no one domain.
  await scene.addNode({ gpus: 2 });
  await scene.untilWaiting(4, "has room for 2 of 4, node-");
  await scene.addNode({ gpus: 4 });
  const [member] = await scene.untilRunning(4);
  if (member!["spec"].nodeName !== "node-3") throw new Error("The gang runs in several domains");
  await scene.changeInVain(job, "6 members", (job) => {
    job["spec"].parallelism = job["spec"].completions = 6;
  });

  await scene.deletePod(member!);
  await scene.untilPods(
    `${member!.metadata.name} is gone`,
    (all) => all.every(({ metadata }) => metadata.name !== member!.metadata.name),
  );
  await scene.untilRunning(4);

  await changeStopPolicy(scene, "HoldAndDrain");
  await scene.untilPods("a Job that Kueue stops has no pods", (all) => all.length === 0);
  await changeStopPolicy(scene, "None");
  await scene.untilRunning(4);

  await scene.delete(job);
  await scene.untilNothing();
  await tellPlainPods(scene);
}

/** Pods that no other object owns, of which one comes later. */
async function tellPlainPods(scene: Scene): Promise<void> {
  await scene.apply("eval-0");
  await scene.untilPods("the first pod stands behind Kueue's gate", ([pod]) => isGated(pod));
  await scene.apply("eval-1");
  await scene.untilRunning(2);
}

function isGated(pod: KubernetesObject | undefined): boolean {
  const gates: { name: string }[] = pod?.["spec"].schedulingGates ?? [];
  return gates.some(({ name }) => name === "kueue.x-k8s.io/admission");
}

async function changeStopPolicy(scene: Scene, stopPolicy: string): Promise<void> {
  await scene.change("gpus", `stopPolicy: ${stopPolicy}`, (queue) => {
    queue["spec"].stopPolicy = stopPolicy;
  });
}
