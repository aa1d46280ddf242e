import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { applyKustomization, deployAdmission } from "../../../tools/control_plane/manifests.ts";
import {
  type Muster,
  type MusterOptions,
  startMuster,
} from "../../../tools/control_plane/muster.ts";
import {
  type LeaderCandidate,
  type Scheduler,
  startScheduler,
} from "../../../tools/control_plane/scheduler.ts";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { untilAdmits } from "./gates.ts";
import { assertInvariants } from "./invariants.ts";
import { keepRecording, recordedIn } from "./recordings.ts";
import { Space } from "./space.ts";

/** The cluster that the tests of one file share. */
export interface Cluster {
  readonly controlPlane: ControlPlane;
  readonly muster: Muster;
  /** The one that runs; a test that replaces it assigns the new one. */
  scheduler: Scheduler;
}

/** What a file's cluster is made of. */
export interface ClusterOptions {
  /** GPUs by node. */
  nodes: Record<string, number>;
  /** A function is called once the API server answers. */
  muster?: MusterOptions | ((controlPlane: ControlPlane) => Promise<MusterOptions>);
  /** Applies deploy/admission. */
  admission?: boolean;
  /** More flags for kube-apiserver. */
  extraApiServerArgs?: string[];
  /** The scheduler is one of several. */
  electedAs?: LeaderCandidate;
  /** Called when everything runs. */
  started?: (cluster: Cluster) => Promise<void>;
  /** Called when all of it has ended. */
  ended?: () => Promise<unknown>;
}

type Scenario = (
  context: { cluster: Cluster; space: Space; otherSpace: () => Promise<Space> },
) => Promise<void>;

/** The priority classes of every cluster. */
const priorities = { low: 10, high: 1000 };

/** Writes one line to standard error, while tests run. */
export function progress(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

/**
 * Gives the tests of a file one control plane with nodes, Muster and a stock scheduler, which the first of them that runs
 * starts. Returns a function that registers a
 * test; each runs in a namespace of its own, and in others where it asks for them, ends with {@linkcode assertInvariants} and leaves no pod behind.
 * Where `ignore` says so they are skipped.
 */
export function onCluster(
  startCluster: () => Promise<ClusterOptions> | ClusterOptions,
  { ignore = false }: { ignore?: boolean } = {},
): (name: string, scenario: Scenario) => void {
  let options: ClusterOptions | undefined;
  let starting: Promise<Cluster> | undefined;
  let count = 0;
  const startOnce = async () => {
    options = await startCluster();
    return await start(options);
  };
  Deno.test.afterAll(async () => {
    const cluster = await starting?.catch(() => undefined);
    if (cluster) {
      const { dir } = cluster.controlPlane;
      await cluster.controlPlane.stop();
      await keepRecording(dir);
      await Deno.remove(dir, { recursive: true });
    }
    await options?.ended?.();
  });
  return (name, scenario) =>
    Deno.test({
      name,
      ignore,
      // The cluster's processes write and end while a test runs.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        const cluster = await (starting ??= startOnce());
        await run(scenario, { cluster, namespace: `test-${++count}` });
      },
    });
}

async function start(options: ClusterOptions): Promise<Cluster> {
  const controlPlane = await startControlPlane({
    dir: await Deno.makeTempDir({ prefix: "muster-e2e-" }),
    auditLog: true,
    ...(options.extraApiServerArgs && { extraApiServerArgs: options.extraApiServerArgs }),
  });
  try {
    for (const [name, value] of Object.entries(priorities)) {
      await controlPlane.api.create("/apis/scheduling.k8s.io/v1/priorityclasses", {
        apiVersion: "scheduling.k8s.io/v1",
        kind: "PriorityClass",
        metadata: { name },
        value,
      });
    }
    const nodes = Object.entries(options.nodes).map(([name, gpus]) => ({ name, gpus }));
    while (nodes.length > 0) {
      await Promise.all(nodes.splice(0, nodesAtOnce).map((node) => addNode(controlPlane, node)));
    }
    if (options.admission) await applyKustomization(controlPlane.api, deployAdmission);
    const musterOptions = typeof options.muster === "function"
      ? await options.muster(controlPlane)
      : options.muster;
    const muster = await startMuster(controlPlane, recordedIn(controlPlane.dir, musterOptions));
    const { electedAs } = options;
    const scheduler = await startScheduler(controlPlane, {
      extenderUrl: muster.url,
      ...(electedAs && { electedAs }),
    });
    if (options.admission) await untilAdmits(new Space(controlPlane.api, "default"));
    const cluster = { controlPlane, muster, scheduler };
    await options.started?.(cluster);
    return cluster;
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

/** Each has a connection of its own. */
const nodesAtOnce = 16;

/** Adds a node that lacks nothing but GPUs; resolves when it is ready. */
export function addNode(
  controlPlane: ControlPlane,
  node: { name: string; gpus: number },
): Promise<void> {
  return controlPlane.addNode(node.name, { gpus: node.gpus, cpus: 32, memory: "64Gi" });
}

async function run(
  scenario: Scenario,
  options: { cluster: Cluster; namespace: string },
): Promise<void> {
  const { cluster, namespace } = options;
  const { api } = cluster.controlPlane;
  const spaces: Space[] = [];
  const newSpace = async (name: string): Promise<Space> => {
    await api.create("/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name },
    });
    const space = new Space(api, name);
    spaces.push(space);
    return space;
  };
  const space = await newSpace(namespace);
  try {
    await scenario({
      cluster,
      space,
      otherSpace: () => newSpace(`${namespace}-${spaces.length}`),
    });
    await assertInvariants(cluster.controlPlane);
  } catch (error) {
    progress(`The end of Muster's log:\n${await cluster.muster.process.logTail(40)}`);
    throw error;
  } finally {
    for (const space of spaces) await space.clear();
  }
}
