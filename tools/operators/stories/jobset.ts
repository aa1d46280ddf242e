import type { Scene } from "../scene.ts";

const set = "torch-elastic";

/** A JobSet of a driver and two jobs of two workers, which are one gang. */
export async function tellJobSet(scene: Scene): Promise<void> {
  await scene.addNode({ gpus: 2 });
  await scene.apply(set);
  await scene.untilWaiting(5, "needs room for 5 more members");
  await scene.addNode({ gpus: 2 });
  const pods = await scene.untilRunning(5);
  await scene.changeInVain(set, "3 jobs of workers", (set) => {
    set["spec"].replicatedJobs[1].replicas = 3;
  });

  // A job that fails for good restarts all of them.
  await scene.end(pods.find(({ metadata }) => metadata.name.startsWith(`${set}-worker-0-`))!, 1);
  const uids = pods.map(({ metadata }) => metadata.uid);
  await scene.untilPods(
    "no pod of before is left",
    (all) => all.every(({ metadata }) => !uids.includes(metadata.uid)),
  );
  await scene.untilRunning(5);

  await changeSuspend(scene, true);
  await scene.untilNothing();
  await changeSuspend(scene, false);
  await scene.untilRunning(5);

  await scene.delete(set);
  await scene.untilNothing();
}

async function changeSuspend(scene: Scene, suspend: boolean): Promise<void> {
  await scene.change(set, `suspend: ${suspend}`, (set) => set["spec"].suspend = suspend);
}
