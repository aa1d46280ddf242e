import { assertEquals, assertGreater } from "@std/assert";
import pLimit from "p-limit";
import { Cluster } from "../../../shared/cluster/cluster.ts";
import { recordOf } from "../../../shared/cluster/pod_record.ts";
import { fitting } from "../../../shared/core/room/fit.ts";
import { add } from "../../../shared/kubernetes/counting/requests.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import { dropUnread } from "../../../shared/kubernetes/unread.ts";
import { Chance } from "../../../tools/chance.ts";
import { type ApiClient, ApiError } from "../../../tools/control_plane/api_client.ts";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { progress } from "../support/on_cluster.ts";
import {
  type Body,
  type Occupant,
  type Pair,
  pairOf,
  podOf,
  runtimeClasses,
} from "./random_pairs.ts";

const pods = "/api/v1/namespaces/default/pods";
const nodes = "/api/v1/nodes";
const seed = Number(Deno.env.get("MUSTER_SEED") ?? 1);
const pairs = 300;
const atOnce = 8;

Deno.test("Muster and the scheduler say the same of which node takes which pod", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-room-" });
  const controlPlane = await startControlPlane({ dir, withoutControllers: true });
  try {
    const { api } = controlPlane;
    for (const runtimeClass of runtimeClasses) {
      await api.create("/apis/node.k8s.io/v1/runtimeclasses", runtimeClass);
    }
    await startScheduler(controlPlane);
    const drawn = await each([...Array(pairs).keys()], (number) => draw(api, number));
    await untilHeard(api);
    await each(drawn, ({ pod }) => api.create(pods, pod));
    await api.watchUntil(
      pods,
      (all) => all.filter(isTried).every((pod) => isTaken(pod) !== undefined),
    );

    const tried = (await api.list(pods)).filter(isTried);
    const taken = tried.filter(isTaken).length;
    progress(`seed ${seed}: of ${tried.length} pods the scheduler takes ${taken}`);
    assertGreater(Math.min(taken, tried.length - taken), pairs / 10);
    assertEquals(await differences(api), []);
  } finally {
    await controlPlane.stop();
    await Deno.remove(dir, { recursive: true });
  }
});

/** The work for all of them, few at once. */
function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const limited = pLimit(atOnce);
  return Promise.all(items.map((item) => limited(() => work(item))));
}

/** A pair that the API server takes, of which all but the pod is there. */
async function draw(api: ApiClient, number: number): Promise<Pair> {
  const chance = new Chance(seed * 1000 + number);
  let pair = pairOf(number, chance);
  while (!await isAccepted(api.create(`${pods}?dryRun=All`, pair.pod))) {
    pair = pairOf(number, chance);
  }
  const { metadata, spec: { taints } } = pair.node;
  await api.create(nodes, pair.node);
  // Admission adds that it is not ready.
  await api.patch(`${nodes}/${metadata.name}`, { spec: { taints } });
  for (const occupant of pair.there) await move(api, occupant);
  return pair;
}

async function move(api: ApiClient, { pod, resized, status, isDeleted }: Occupant): Promise<void> {
  if (!await isAccepted(api.create(pods, pod))) return;
  const path = `${pods}/${pod.metadata.name}`;
  if (resized) {
    const patch = { spec: { containers: resized } };
    await isAccepted(api.patch(`${path}/resize`, patch, { type: "strategic-merge" }));
  }
  if (status) await api.patch(`${path}/status`, { status });
  if (isDeleted) await api.delete(path);
}

/** Resolves when the scheduler, which hears of nodes and of pods in their order, takes a pod on a node that came after all others. */
async function untilHeard(api: ApiClient): Promise<void> {
  const name = "last";
  await api.create(nodes, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { name } },
    status: { allocatable: { pods: "1" } },
  });
  await api.create(
    pods,
    podOf(name, {
      containers: [{ name: "a", image: "none" }],
      nodeSelector: { name },
      tolerations: [{ operator: "Exists" }],
    }),
  );
  await api.watchUntil(
    pods,
    (all) => all.some((pod) => pod.metadata.name === name && isTaken(pod) === true),
  );
}

/** Whether the API server allows what it is asked for. */
async function isAccepted(written: Promise<unknown>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (error instanceof ApiError && [403, 422].includes(error.status)) return false;
    throw error;
  }
}

function isTried({ metadata }: Body): boolean {
  return metadata.name.startsWith("pod-");
}

/** Whether the scheduler takes a pod; undefined: it has not said. */
function isTaken({ status: { conditions = [] } }: Body): boolean | undefined {
  const said = conditions.find(({ type }: Body) => type === "PodScheduled");
  if (said?.status === "True") return true;
  return said?.reason === "Unschedulable" ? false : undefined;
}

/** The pods of which Muster says otherwise, with all that it is told. */
async function differences(api: ApiClient): Promise<object[]> {
  const cluster = new Cluster({ podGroupChanged() {}, podChanged() {}, roomChanged() {} });
  const [allNodes, allPods] = [await api.list(nodes), await api.list(pods)];
  for (const node of allNodes) cluster.room.nodeChanged(read<Node>(node));
  const there = allPods.filter((pod) => !isTried(pod));
  for (const pod of there) cluster.podChanged(read<Pod>(pod));

  return allPods.filter(isTried).flatMap((pod) => {
    const { nodeName: _, ...spec } = pod["spec"];
    const record = recordOf(read<Pod>({ metadata: pod.metadata, spec }), undefined);
    const name = pod.metadata.name.replace("pod", "node");
    const free = new Map(cluster.room.free.get(name));
    for (const { node, requests } of cluster.regularPods.claims()) {
      if (node === name) add(free, requests, -1);
    }
    const mayRun = cluster.room.mayRunOn(record, name);
    if ((mayRun && fitting(record.requests, free) > 0) === isTaken(pod)) return [];
    return [{
      message: pod["status"].conditions[0].message ?? "taken",
      muster: { mayRun, asks: record.requests, free },
      pod: pod["spec"],
      node: allNodes.find(({ metadata }) => metadata.name === name),
      there: there.filter(({ metadata }) => metadata.name.startsWith(`${name}-`)),
    }];
  });
}

/** As the relay reads it. */
function read<T>(object: object): T {
  const copy = structuredClone(object);
  dropUnread(copy);
  return copy as T;
}
