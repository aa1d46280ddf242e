import type { KubernetesObject } from "../../control_plane/api_client.ts";
import type { Scene } from "../scene.ts";

const job = "tf-smoke-gpu";

/** A TFJob of a parameter server and four workers of two GPUs. */
export async function tellTrainingOperator(scene: Scene): Promise<void> {
  await scene.addNode({ gpus: 4 });
  await scene.apply(job);
  await scene.untilWaiting(5, "needs room for 5 more members");
  await scene.addNode({ gpus: 4 });
  await scene.untilRunning(5);

  await scene.change(job, "6 workers", (job) => job["spec"].tfReplicaSpecs.Worker.replicas = 6);
  await scene.addNode({ gpus: 4 });
  const pods = await scene.untilRunning(7);

  // A code from 128 on is worth another try to restartPolicy ExitCode.
  await scene.end(named(pods, `${job}-worker-0`), 137);
  await scene.untilReplaced(named(pods, `${job}-worker-0`));
  await scene.untilRunning(7);

  await scene.change(job, "suspend: true", (job) => job["spec"].runPolicy = { suspend: true });
  await scene.untilNothing();
  await scene.change(job, "suspend: false", (job) => job["spec"].runPolicy = { suspend: false });
  await scene.untilRunning(7);

  await scene.delete(job);
  await scene.untilNothing();
}

function named(pods: readonly KubernetesObject[], name: string): KubernetesObject {
  return pods.find(({ metadata }) => metadata.name === name)!;
}
