import type { Scene } from "../scene.ts";

const job = "torch-train";

/** A TrainJob of four nodes, by a runtime that asks for gangs. */
export async function tellTrainer(scene: Scene): Promise<void> {
  await scene.addNode({ gpus: 2 });
  await scene.apply("torch-gang");
  await scene.apply(job);
  await scene.untilWaiting(4, "needs room for 4 more members");
  await scene.addNode({ gpus: 2 });
  const [first] = await scene.untilRunning(4);

  await scene.deletePod(first!);
  await scene.untilPods(
    `${first!.metadata.name} is gone`,
    (all) => all.every(({ metadata }) => metadata.name !== first!.metadata.name),
  );
  await scene.untilRunning(4);

  await changeSuspend(scene, true);
  await scene.untilPods("a suspended job has no pods", (all) => all.length === 0);
  await changeSuspend(scene, false);
  await scene.untilRunning(4);

  await scene.delete(job);
  await scene.untilNothing();
}

async function changeSuspend(scene: Scene, suspend: boolean): Promise<void> {
  await scene.change(job, `suspend: ${suspend}`, (job) => job["spec"].suspend = suspend);
}
