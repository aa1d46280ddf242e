import { applyKustomization, deployAdmission } from "../control_plane/manifests.ts";
import { startMuster } from "../control_plane/muster.ts";
import { startScheduler } from "../control_plane/scheduler.ts";
import { startControlPlane } from "../control_plane/start_control_plane.ts";
import { installKinds } from "./kinds.ts";
import { startOperator } from "./operator_process.ts";
import { type OperatorName, operators, schedulerPlugins } from "./operators.ts";
import { unmountOwnCertificate } from "./own_certificate.ts";
import { documentedManifests } from "./page.ts";
import { Scene } from "./scene.ts";
import { tellJobSet } from "./stories/jobset.ts";
import { tellKubeRay } from "./stories/kuberay.ts";
import { tellKueue } from "./stories/kueue.ts";
import { tellLws } from "./stories/lws.ts";
import { tellMpiOperator } from "./stories/mpi_operator.ts";
import { tellTrainer } from "./stories/trainer.ts";
import { tellTrainingOperator } from "./stories/training_operator.ts";

/** The story of each operator, which throws unless everything happens as it should. */
const stories: Record<OperatorName, (scene: Scene) => Promise<void>> = {
  "training-operator": tellTrainingOperator,
  "mpi-operator": tellMpiOperator,
  kuberay: tellKubeRay,
  lws: tellLws,
  jobset: tellJobSet,
  trainer: tellTrainer,
  kueue: tellKueue,
};

/** Where a story is told, and to whom. */
export interface TellOptions {
  /** For state and logs. */
  dir: string;
  /** Who hears what happens. */
  tell: (line: string) => void;
  /** Who hears about builds and starts. */
  onProgress: (line: string) => void;
}

/** Tells an operator's story on a cluster that exists only for it; throws, with what was different, unless it goes as it should. */
export async function tellOperator(name: OperatorName, options: TellOptions): Promise<void> {
  const { dir, tell, onProgress } = options;
  const operator = operators[name];
  const manifests = await documentedManifests();
  const controlPlane = await startControlPlane({ dir, onProgress, podsOfJobsRunOn: true });
  try {
    await installKinds(controlPlane.api, schedulerPlugins);
    await applyKustomization(controlPlane.api, deployAdmission);
    const muster = await startMuster(controlPlane);
    await startScheduler(controlPlane, { extenderUrl: muster.url });
    for (const needed of [...operator.through ?? [], name]) {
      await startOperator(needed, { operator: operators[needed], controlPlane, onProgress });
    }
    await stories[name](new Scene({ controlPlane, manifests, tell }));
  } finally {
    await controlPlane.stop();
    if (operator.ownCertificate) await unmountOwnCertificate(operator.ownCertificate);
  }
}
