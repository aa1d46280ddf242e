import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { Space } from "./space.ts";
import { until } from "./until.ts";

/** A member of a gang as a user writes it who does not know of Muster's scheduler. */
const member = {
  gang: { name: "probe", minAvailable: 2 },
  spec: { schedulerName: "default-scheduler" },
};

/** Whether a pod is behind Muster's gate. */
export function isGated(pod: KubernetesObject): boolean {
  const gates: { name: string }[] = pod["spec"].schedulingGates ?? [];
  return gates.some(({ name }) => name === "muster.scheduling/queued");
}

/** Resolves when the API server gives new members the gate, or none any more: it learns later than others what the ConfigMap says. */
export async function untilGates(space: Space, gates: boolean): Promise<void> {
  await until(
    `an API server that gives new members ${gates ? "the" : "no"} gate`,
    async () => isGated(await space.dryRun("probe", member)) === gates,
  );
}

/** Resolves when deploy/admission is in effect: the API server compiles policies a moment after they are created. */
export async function untilAdmits(space: Space): Promise<void> {
  await until(
    "an API server with deploy/admission in effect",
    async () => (await space.dryRun("probe", member))["spec"].schedulerName === "muster",
  );
}
