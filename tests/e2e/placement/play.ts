import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { gangLabels, isBound, type PodOptions, whyPending } from "../support/pods.ts";
import type { Space } from "../support/space.ts";
import { boundIn, checkPlaces } from "../../support/placement/check.ts";
import type { GangRow, MembersRow, Row } from "../../support/placement/row.ts";
import { topologyOf } from "../../support/placement/topology_of.ts";

/** Plays a row; what is decided may not change any more when all that wait have been told why. */
export async function play(
  row: Row,
  { space, controlPlane }: { space: Space; controlPlane: ControlPlane },
): Promise<void> {
  const nodes = await addNodes(row, { space, controlPlane });
  try {
    const openNodes = row.opensLast ? await closeNodes([...nodes.keys()], controlPlane) : undefined;
    await createPods(row, space);
    await openNodes?.(space);
    const total = Object.values(row.gangs).flatMap(({ members }) => Object.values(members))
      .reduce((sum, { pods }) => sum + pods, 0);
    const pods = await space.until(
      `members are bound as ${JSON.stringify(row.bound)}, and the others say "${row.says ?? ""}"`,
      (pods) => isDecided(row, pods.filter(isMember), total),
    );
    const placed = pods.filter((pod) => isMember(pod) && isBound(pod));
    checkPlaces(
      row,
      placed.map((pod) => ({ member: kindOf(pod), labels: nodes.get(pod["spec"].nodeName)! })),
    );
    await space.neverWithin(
      2000,
      "other members were bound",
      (pods) => !isDecided(row, pods.filter(isMember), total),
    );
  } finally {
    await space.clear();
    for (const name of nodes.keys()) await controlPlane.api.delete(`/api/v1/nodes/${name}`);
  }
}

type Labels = ReadonlyMap<string, Record<string, string>>;

async function addNodes(
  { nodes }: Row,
  { space, controlPlane }: { space: Space; controlPlane: ControlPlane },
): Promise<Labels> {
  const added = Object.entries(nodes).map(async ([node, { gpus, used = 0, labels }]) => {
    const name = nameIn(space, node);
    const all = { row: space.name, block: "b0", ...labels };
    await controlPlane.addNode(name, { gpus, cpus: 32, memory: "64Gi", labels: all });
    const spec = { nodeName: name };
    if (used > 0) await space.create(`used-${node}`, { gpus: used, spec });
    return [name, { ...all, "kubernetes.io/hostname": node }] as const;
  });
  return new Map(await Promise.all(added));
}

/** Cordons nodes; what it returns opens them again, once all pods that wait have been told why. */
async function closeNodes(
  names: string[],
  { api }: ControlPlane,
): Promise<(space: Space) => Promise<void>> {
  const cordon = async (unschedulable: boolean) => {
    for (const name of names) await api.patch(`/api/v1/nodes/${name}`, { spec: { unschedulable } });
  };
  await cordon(true);
  return async (space) => {
    await space.until(
      "all pods that wait have been told why",
      (pods) => pods.every((pod) => isBound(pod) || whyPending(pod)),
    );
    await cordon(false);
  };
}

async function createPods({ gangs }: Row, space: Space): Promise<void> {
  const pods = Object.entries(gangs).flatMap(([gang, { min, says, members }]) => {
    const all = Object.values(members).reduce((sum, { pods }) => sum + pods, 0);
    return Object.entries(members).flatMap(([name, { pods, ...member }]) =>
      Array.from({ length: pods }, (_, index) => ({
        name: `${name}-${index}`,
        isRunning: member.on !== undefined,
        options: optionsOf(member, { gang, minAvailable: min ?? all, says, space }),
      }))
    );
  });
  const create = (isRunning: boolean) =>
    Promise.all(
      pods.filter((pod) => pod.isRunning === isRunning)
        .map(({ name, options }) => space.create(name, options)),
    );
  await create(true);
  await create(false);
}

function optionsOf(
  { gpus, on, says }: Omit<MembersRow, "pods">,
  of: { gang: string; minAvailable: number; says: GangRow["says"]; space: Space },
): PodOptions {
  const { space } = of;
  return {
    gpus,
    labels: { ...gangLabels({ name: of.gang, minAvailable: of.minAvailable }), member: "yes" },
    annotations: topologyOf({ ...of.says, ...says }),
    spec: on === undefined
      ? { nodeSelector: { row: space.name } }
      : { nodeName: nameIn(space, on) },
  };
}

function nameIn(space: Space, node: string): string {
  return `${space.name}-${node}`;
}

function isMember({ metadata: { labels = {} } }: KubernetesObject): boolean {
  return labels["member"] === "yes";
}

/** `ps-1` is of kind `ps`. */
function kindOf({ metadata: { name } }: KubernetesObject): string {
  return name.slice(0, name.lastIndexOf("-"));
}

function isDecided(row: Row, pods: KubernetesObject[], total: number): boolean {
  const { bound, says = "" } = row;
  const counts = boundIn(row, pods.filter(isBound).map(kindOf));
  return pods.length === total &&
    Object.entries(counts).every(([kind, count]) => count === (bound[kind] ?? 0)) &&
    pods.every((pod) => isBound(pod) || whyPending(pod)?.includes(says));
}
