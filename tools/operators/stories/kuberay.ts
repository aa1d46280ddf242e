import type { Scene } from "../scene.ts";

const cluster = "ray-train";

/** A RayCluster of a head and four workers. */
export async function tellKubeRay(scene: Scene): Promise<void> {
  await scene.addNode({ gpus: 2 });
  await scene.apply(cluster);
  await scene.untilWaiting(5, "needs room for 5 more members");
  await scene.addNode({ gpus: 2 });
  const pods = await scene.untilRunning(5);

  await scene.deletePod(pods.find(({ metadata }) => metadata.name.includes("worker"))!);
  await scene.untilRunning(5);

  await scene.addNode({ gpus: 2 });
  await changeWorkers(scene, 6);
  await scene.untilRunning(7);

  await changeSuspend(scene, true);
  await scene.untilPods("a suspended cluster has no pods", (all) => all.length === 0);
  await changeSuspend(scene, false);
  await scene.untilRunning(7);

  await scene.delete(cluster);
  await scene.untilNothing();
  await tellShrinking(scene);
}

/** A cluster that became smaller while it waited. */
async function tellShrinking(scene: Scene): Promise<void> {
  await changeWorkers(scene, 8);
  await scene.untilWaiting(9, "needs room for 9 more members");
  await changeWorkers(scene, 4);
  await scene.untilWaiting(5, "has 5 of 9 members");
  await scene.deletePodGroup(cluster);
  await scene.untilRunning(5);
  await scene.delete(cluster);
  await scene.untilNothing();
}

async function changeWorkers(scene: Scene, replicas: number): Promise<void> {
  await scene.change(cluster, `${replicas} workers`, (cluster) => {
    const [workers] = cluster["spec"].workerGroupSpecs;
    workers.replicas = workers.maxReplicas = replicas;
  });
}

async function changeSuspend(scene: Scene, suspend: boolean): Promise<void> {
  await scene.change(cluster, `suspend: ${suspend}`, (cluster) => {
    cluster["spec"].suspend = suspend;
  });
}
