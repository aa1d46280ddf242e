import type { KubernetesObject } from "../../control_plane/api_client.ts";
import type { Scene } from "../scene.ts";

const job = "mpi-train";

/** An MPIJob of a launcher and four workers, and one whose launcher comes last. */
export async function tellMpiOperator(scene: Scene): Promise<void> {
  await scene.addNode({ gpus: 2 });
  await scene.apply(job);
  await scene.untilWaiting(5, "needs room for 5 more members");
  await scene.addNode({ gpus: 2 });
  const pods = await scene.untilRunning(5);

  const worker = pods.find(({ metadata }) => metadata.name === `${job}-worker-0`)!;
  await scene.deletePod(worker);
  await scene.untilReplaced(worker);
  await scene.untilRunning(5);

  await scene.change(job, "suspend: true", (job) => job["spec"].runPolicy.suspend = true);
  await scene.untilNothing();
  await scene.change(job, "suspend: false", (job) => job["spec"].runPolicy.suspend = false);
  await scene.untilRunning(5);

  await scene.change(job, "6 workers", (job) => job["spec"].mpiReplicaSpecs.Worker.replicas = 6);
  await scene.addNode({ gpus: 2 });
  await scene.untilRunning(7);

  await scene.delete(job);
  await scene.untilNothing();
  await tellLaunchedLast(scene);
}

async function tellLaunchedLast(scene: Scene): Promise<void> {
  const job = "mpi-launched-last";
  await scene.apply("launchers");
  await scene.apply(job);
  const launcher = (await scene.untilRunning(5)).find(isLauncher)!;
  await scene.end(launcher, 0);
  await scene.untilPods("a job that succeeded has no workers", (all) => all.every(isLauncher));
  await scene.delete(job);
  await scene.untilNothing();
}

function isLauncher({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.["training.kubeflow.org/job-role"] === "launcher";
}
