import type { KubernetesObject } from "../../control_plane/api_client.ts";
import type { Scene } from "../scene.ts";

const set = "llama-serve";

const noRoom = "needs room for 3 more members";

/** A LeaderWorkerSet of two replicas, each of a leader and two workers. */
export async function tellLws(scene: Scene): Promise<void> {
  await scene.addNode({ gpus: 2 });
  await scene.apply(set);
  await scene.untilWaiting(6, noRoom);
  await scene.addNode({ gpus: 2 });
  sameReplica(await scene.untilSomeRunning(3, { waiting: 3, text: noRoom }));
  await scene.addNode({ gpus: 2 });
  await scene.untilRunning(6);

  await changeReplicas(scene, 3);
  await scene.untilSomeRunning(6, { waiting: 3, text: noRoom });
  await scene.addNode({ gpus: 3 });
  const pods = await scene.untilRunning(9);

  const replica = pods.filter(({ metadata }) => replicaOf(metadata) === "0");
  // A pod that is deleted is gone here before its operator has looked at it: no kubelet ends it.
  await scene.restart(replica.find(({ metadata }) => metadata.name === `${set}-0-1`)!);
  for (const pod of replica) await scene.untilReplaced(pod);
  await scene.untilRunning(9);

  await changeReplicas(scene, 0);
  await scene.untilNothing();
  await changeReplicas(scene, 2);
  await scene.untilRunning(6);

  await scene.delete(set);
  await scene.untilNothing();
}

async function changeReplicas(scene: Scene, replicas: number): Promise<void> {
  await scene.change(set, `${replicas} replicas`, (set) => set["spec"].replicas = replicas);
}

function replicaOf({ labels }: KubernetesObject["metadata"]): string | undefined {
  return labels?.["leaderworkerset.sigs.k8s.io/group-index"];
}

function sameReplica(pods: readonly KubernetesObject[]): void {
  const replicas = new Set(pods.map(({ metadata }) => replicaOf(metadata)));
  if (replicas.size !== 1) throw new Error("The pods that run are of several replicas");
}
