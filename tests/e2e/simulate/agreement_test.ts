import { backfillOf } from "../../../shared/core/gang/backfill.ts";
import { assert, assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { profiles } from "../../../shared/core/gang/settings.ts";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { withCluster } from "../../../cli/muster/access.ts";
import { readManifests } from "../../../cli/muster/simulation/manifests.ts";
import { simulate } from "../../../cli/muster/simulation/simulation.ts";
import type { Verdict } from "../../../cli/muster/simulation/verdict.ts";
import { snapshot } from "../../../cli/muster/simulation/snapshot.ts";
import { withManifests } from "../../../cli/muster/simulation/what_if.ts";
import { type Cluster, onCluster, progress } from "../support/on_cluster.ts";
import { untilGang } from "../support/gangs.ts";
import { isBound, whyPending } from "../support/pods.ts";
import type { Space } from "../support/space.ts";
import { type Workload, type WorkloadGang, workloadOf } from "./workloads.ts";

const workloads = 30;
/** Of them, so many may be decided otherwise. */
const exceptions = 1;
const atOnce = 6;
const seed = Number(Deno.env.get("MUSTER_SEED") ?? 1);

const scenario = onCluster(() => ({
  nodes: {},
  started: async ({ controlPlane: { api } }) => {
    await api.create("/apis/scheduling.k8s.io/v1/priorityclasses", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "first" },
      value: 2000,
      preemptionPolicy: "Never",
    });
  },
}));

scenario(
  "simulate's verdicts are the real scheduler's on at least 29 of 30 generated workloads",
  async ({ cluster, otherSpace }) => {
    const disagreements: string[] = [];
    const counts = { starts: 0, waits: 0, evicts: 0 };
    const spaces: Space[] = [];
    while (spaces.length < workloads) spaces.push(await otherSpace());
    const left = [...spaces.entries()];
    const work = async () => {
      for (let one = left.shift(); one; one = left.shift()) {
        const [number, space] = one;
        const workload = workloadOf(seed * 1000 + number, space.name);
        const verdicts = await verdictsOn(cluster, { space, workload });
        for (const { starts, evicts } of verdicts) {
          counts[starts ? "starts" : "waits"]++;
          if (evicts.length > 0) counts.evicts++;
        }
        const differences = await differencesOn(cluster, { space, workload, verdicts });
        if (differences.length > 0) disagreements.push(`${number}: ${differences.join("; ")}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    progress(`simulate: seed ${seed}, ${JSON.stringify(counts)}, otherwise: [${disagreements}]`);
    assert(counts.starts > workloads / 2 && counts.waits > workloads / 2 && counts.evicts > 0);
    assert(disagreements.length <= exceptions, disagreements.join("\n"));
  },
);

/** Sets the workload's cluster up, and asks what its gangs would do there. */
async function verdictsOn(
  { controlPlane }: Cluster,
  { space, workload }: { space: Space; workload: Workload },
): Promise<Verdict[]> {
  const { api, kubeconfig } = controlPlane;
  await Promise.all(workload.nodes.map(async ({ name, labels, taints, ...resources }) => {
    await controlPlane.addNode(name, resources);
    await api.patch(`/api/v1/nodes/${name}`, { metadata: { labels }, spec: { taints } });
  }));
  for (const pod of workload.regular) await api.create(space.path, pod);
  await space.until("each regular pod is decided", (pods) => pods.every(isDecided));
  const waiting = [...workload.ahead, ...workload.gangs.flatMap(({ pods }) => pods)];
  const text = waiting.map((pod) => stringify(pod)).join("---\n");
  const now = new Date().toISOString();
  const manifests = readManifests([{ name: "gangs", text }], { namespace: space.name, now });
  const known = await withCluster({ kubeconfig }, snapshot);
  const settings = profiles.default;
  const options = { settings, now: Date.now(), backfill: backfillOf(settings.backfill)! };
  const titles = titlesOf(workload, space);
  return simulate(withManifests(known, manifests), options)
    .filter(({ title }) => titles.includes(title));
}

/** Creates what waits one after another, each when the one before is decided, and says which did not do what was said. */
async function differencesOn(
  { controlPlane: { api }, muster }: Cluster,
  { space, workload, verdicts }: {
    space: Space;
    workload: Workload;
    verdicts: readonly Verdict[];
  },
): Promise<string[]> {
  const { ahead, gangs } = workload;
  assertEquals(
    verdicts.map(({ title }) => title),
    titlesOf(workload, space),
    "the queue's order is that in which they come",
  );
  const differences: string[] = [];
  for (const [index, pod] of ahead.entries()) {
    const { name } = pod.metadata;
    const isIt = (other: KubernetesObject) => other.metadata.name === name;
    await api.create(space.path, pod);
    const pods = await space.until(
      `${name} is decided`,
      (all) => all.filter(isIt).every(isDecided),
    );
    if (pods.filter(isIt).some(isBound) === verdicts[index]!.starts) continue;
    return [`${name}: said "${verdicts[index]!.message}"`];
  }
  const ofGangs = verdicts.slice(ahead.length);
  for (const [index, gang] of gangs.entries()) {
    const verdict = ofGangs[index]!;
    for (const pod of gang.pods) await api.create(space.path, pod);
    try {
      if (verdict.starts) {
        await space.until(`${gang.name} starts`, (pods) => hasStarted(gang, pods));
      } else {
        // Its pods may quote the scheduler, which asks Muster only about nodes that it would take itself.
        await untilGang(
          muster.url,
          `${space.name}/${gang.name}`,
          ({ reason }) => reason === verdict.reason,
        );
      }
    } catch (error) {
      differences.push(`${gang.name}: said "${verdict.message}", but ${(error as Error).message}`);
      // What comes after it was said of another cluster.
      return differences;
    }
  }
  const pods = await space.pods();
  for (const [index, gang] of gangs.entries()) {
    const { starts } = ofGangs[index]!;
    if (starts !== isWhole(gang, pods)) differences.push(`${gang.name} changed its mind`);
  }
  return differences;
}

/** Of what is not there when simulate is asked, in the order in which it comes. */
function titlesOf({ ahead, gangs }: Workload, space: Space): string[] {
  return [
    ...ahead.map(({ metadata: { name } }) => `pod ${space.name}/${name}`),
    ...gangs.map(({ name }) => `gang ${space.name}/${name}`),
  ];
}

function membersOf({ name }: WorkloadGang, pods: readonly KubernetesObject[]): KubernetesObject[] {
  return pods.filter(({ metadata }) => metadata.name.startsWith(`${name}-`));
}

function isWhole(gang: WorkloadGang, pods: readonly KubernetesObject[]): boolean {
  return membersOf(gang, pods).filter(isBound).length >= gang.minMember;
}

function hasStarted(gang: WorkloadGang, pods: readonly KubernetesObject[]): boolean {
  return isWhole(gang, pods) && membersOf(gang, pods).every(isDecided);
}

function isDecided(pod: KubernetesObject): boolean {
  return isBound(pod) || whyPending(pod) !== undefined;
}
