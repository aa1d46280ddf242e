import { gateLabel, gateParameter } from "../../../shared/kubernetes/writes.ts";
import type { ApiClient, KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { Space } from "./space.ts";
import { until } from "./until.ts";

/** A member of a gang as a user writes it who does not know of Muster's scheduler. */
const member = {
  gang: { name: "probe", minAvailable: 2 },
  spec: { schedulerName: "default-scheduler" },
};

const { namespace, name } = gateParameter;
/** Path of the ConfigMap that turns the gate on and off. */
export const gateSwitchPath = `/api/v1/namespaces/${namespace}/configmaps/${name}`;

/** What the switch says. */
export async function gateSwitch(api: ApiClient): Promise<string | undefined> {
  return (await api.get(gateSwitchPath)).metadata.labels?.[gateLabel];
}

/** Sets the switch, as somebody else than the relay may do. */
export async function setGateSwitch(api: ApiClient, gate: "on" | "off"): Promise<void> {
  await api.patch(gateSwitchPath, { metadata: { labels: { [gateLabel]: gate } } });
}

/** Resolves when the relay, or somebody else, has set the switch so. */
export async function untilSwitched(api: ApiClient, gate: "on" | "off"): Promise<void> {
  await until("the switch", async () => {
    const says = await gateSwitch(api);
    if (says !== gate) throw new Error(`the ConfigMap says "${says}"`);
    return true;
  });
}

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
