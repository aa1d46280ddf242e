import { assertLess } from "@std/assert";
import { join } from "node:path";
import { parse } from "yaml";
import { deployBase } from "../../../tools/control_plane/manifests.ts";
import { untilGang } from "../support/gangs.ts";
import { bindingsOf } from "../../../tools/control_plane/audit.ts";
import { auditOf } from "../support/invariants.ts";
import { addNode, type Cluster, onCluster, progress } from "../support/on_cluster.ts";
import { whyPending } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4 } }));
const gated = { schedulingGates: [{ name: "muster.scheduling/queued" }] };
const node = "/api/v1/nodes/node-1";

interface Context {
  cluster: Cluster;
  space: Space;
  /** The node on which all pods must run: what the scheduler still believes of others does not matter. */
  home: string;
}

interface WakeUp {
  /** Also the name of its gang. */
  event: string;
  isNewNode?: true;
  /** The gang finds no room before this. */
  prepare?: (context: Context) => Promise<unknown>;
  happen: (context: Context) => Promise<unknown>;
  restore?: (cluster: Cluster) => Promise<unknown>;
  /** CPUs that each member asks for; by default GPUs. */
  cpus?: number;
}

const wakeUps: WakeUp[] = [
  {
    event: "deleted-pod",
    prepare: fill,
    happen: ({ cluster, space }) =>
      cluster.controlPlane.api.delete(`${space.path}/full?gracePeriodSeconds=0`),
  },
  {
    event: "finished-pod",
    prepare: fill,
    happen: ({ cluster, space }) =>
      cluster.controlPlane.api.patch(`${space.path}/full/status`, {
        status: { phase: "Succeeded" },
      }),
  },
  {
    event: "new-node",
    isNewNode: true,
    happen: ({ cluster, home }) => addNode(cluster.controlPlane, { name: home, gpus: 4 }),
  },
  {
    event: "enlarged-node",
    prepare: fill,
    happen: ({ cluster }) => resize(cluster, 8),
    restore: (cluster) => resize(cluster, 4),
  },
  {
    event: "uncordoned-node",
    prepare: ({ cluster }) => cordon(cluster, true),
    happen: ({ cluster }) => cordon(cluster, false),
  },
  {
    event: "infeasible-resize",
    cpus: 14,
    prepare: grow,
    happen: (context) => tell(context, { reason: "Infeasible" }),
  },
];

/** A pod that has 4 of 32 CPUs is to have 30. */
async function grow(context: Context): Promise<void> {
  const { cluster, space, home } = context;
  const asking = (cpu: string) => ({
    containers: [{ name: "main", image: "none", resources: { requests: { cpu } } }],
  });
  await space.create("grown", { spec: { ...on(home), ...asking("4") } });
  await space.untilRunning(["grown"]);
  await tell(context, { reason: "Deferred" });
  await cluster.controlPlane.api.patch(`${space.path}/grown/resize`, { spec: asking("30") });
}

/** Its node tells what it has, and why no more. */
function tell({ cluster, space }: Context, { reason }: { reason: string }): Promise<unknown> {
  const cpu = { cpu: "4" };
  const main = { name: "main", image: "none", imageID: "", ready: true, restartCount: 0 };
  const has = { allocatedResources: cpu, resources: { requests: cpu }, state: { running: {} } };
  return cluster.controlPlane.api.patch(`${space.path}/grown/status`, {
    status: {
      conditions: [{ type: "PodResizePending", status: "True", reason }],
      containerStatuses: [{ ...main, ...has }],
    },
  }, { type: "strategic-merge" });
}

function on(home: string): { nodeSelector: Record<string, string> } {
  return { nodeSelector: { "kubernetes.io/hostname": home } };
}

function fill({ space, home }: Context): Promise<unknown> {
  return space.create("full", { gpus: 4, spec: on(home) }).then(() => space.untilRunning(["full"]));
}

function resize({ controlPlane }: Cluster, gpus: number): Promise<unknown> {
  const quantities = { "nvidia.com/gpu": String(gpus) };
  return controlPlane.api.patch(`${node}/status`, {
    status: { allocatable: quantities, capacity: quantities },
  });
}

function cordon({ controlPlane }: Cluster, unschedulable: boolean): Promise<unknown> {
  return controlPlane.api.patch(node, { spec: { unschedulable } });
}

/** From when the event is seen to have happened until the first binding of a gang that has waited for it, in ms; 0 where the binding came before. */
async function wakeUpMs(
  { event, prepare, happen, restore, cpus }: WakeUp,
  context: Context & { isGated: boolean },
): Promise<number> {
  const { cluster, space, home, isGated } = context;
  await prepare?.(context);
  const resources = { requests: { cpu: String(cpus) } };
  const asking = { containers: [{ name: "main", image: "none", resources }] };
  const spec = { ...on(home), ...(isGated && gated), ...(cpus && asking) };
  await space.createGang(event, { size: 2, gpus: 2, spec });
  const id = `${space.name}/${event}`;
  await untilGang(cluster.muster.url, id, ({ reason }) => reason === "InsufficientResources");
  if (!isGated) {
    await space.until(
      "the scheduler has tried both members",
      (pods) => pods.filter(whyPending).length === 2,
    );
  }
  await happen(context);
  const at = Date.now();
  await space.untilBound(membersOf(event, 2));
  const bindings = bindingsOf(await auditOf(cluster.controlPlane));
  const first = bindings.find(({ pod }) => pod.startsWith(`${id}-`));
  await space.clear();
  await restore?.(cluster);
  return Math.max(0, (first?.at ?? NaN) - at);
}

for (const isGated of [false, true]) {
  scenario(
    `a gang ${
      isGated ? "behind the gate" : "in the scheduler's queue"
    } starts when room comes up, not when a back-off is over`,
    async (context) => {
      const text = await Deno.readTextFile(join(deployBase, "scheduler_config.yaml"));
      const { podInitialBackoffSeconds, podMaxBackoffSeconds } = parse(text);
      const times: number[] = [];
      for (const wakeUp of wakeUps) {
        const newNode = isGated ? "node-3" : "node-2";
        const home = wakeUp.isNewNode ? newNode : "node-1";
        const ms = await wakeUpMs(wakeUp, { ...context, home, isGated });
        progress(`${wakeUp.event}: first binding after ${ms} ms`);
        assertLess(ms, podMaxBackoffSeconds * 1000, wakeUp.event);
        times.push(ms);
      }
      const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
      assertLess(median, podInitialBackoffSeconds * 1000, `all of ${times}`);
    },
  );
}
