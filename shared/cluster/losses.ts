/**
 * What gangs lose when some of their members leave, taken from a copy of the cluster.
 *
 * @module
 */
import { spareable } from "../core/plan/exchange.ts";
import { isWholeWithout } from "../core/plan/running.ts";
import { fallsWith, gangsLeaving } from "../core/plan/running_tree.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { PodRecord } from "./pod_record.ts";
import { boundIn, gangsIn, runningGang, runningPod, treesOf } from "./running.ts";
import type { RunningGangs } from "./running_gangs.ts";

/** A cluster, and what gangs have that run there. */
export interface RunningIn {
  readonly cluster: Cluster;
  readonly runs: RunningGangs;
}

/**
 * The members that leave, by uid, with others without which their gang is broken, and those of other gangs that are nothing
 * without it; undefined: it is whole, or they stay.
 */
export function restOf(gang: Gang | undefined, gangs: Cluster["gangs"]): string[] | undefined {
  if (!gang || gang.members.size === 0 || isWholeNow(gang)) return undefined;
  const { spec: { disruption }, runsIn } = gang.read();
  const isWhole = (id: string) => isWholeNow(gangs.get(id));
  const wasWhole = (id: string) => id === gang.id || isWhole(id);
  const fallen = runsIn ? gangsLeaving(runsIn, { isWhole, wasWhole }) : [];
  const others = fallen.filter((id) => id !== gang.id);
  if (disruption === "member" && others.length === 0) return undefined;
  const leaving = [gang, ...others.flatMap((id) => gangs.get(id) ?? [])];
  return leaving.flatMap(boundIn).map(({ pod }) => pod.metadata.uid);
}

function isWholeNow(gang: Gang | undefined): boolean {
  return gang !== undefined && gang.members.size > 0 && isWholeWithout(runningGang(gang), []);
}

/** How many gangs would leave with those that these members leave broken. */
export function fallingBeside(
  leaving: readonly PodRecord[],
  { cluster, runs }: RunningIn,
): number {
  const byGang = Map.groupBy(leaving, ({ gang }) => gang ?? "");
  const pods = leaving.flatMap((record) => runningPod(record, { cluster, now: 0 }) ?? []);
  const trees = treesOf(byGang.keys(), cluster.gangs);
  const gangs = new Map(
    trees.flatMap(gangsIn).flatMap((id) => {
      const gang = cluster.gangs.get(id);
      return gang ? [[id, runs.of(gang)] as const] : [];
    }),
  );
  const running = { pods, trees, gangs, budgets: new Map<string, number>() };
  const broken = fallsWith(pods, running).flatMap(({ broken }) => broken);
  return broken.filter((id) => !byGang.has(id)).length;
}

/** Whether a role that has enough members would not any more without these. */
export function breaksRole(
  gang: Gang,
  { leaving, runs }: { leaving: readonly PodRecord[]; runs: RunningGangs },
): boolean {
  const { roleOf } = gang.read();
  return runs.of(gang).roles.some(({ name, min, bound }) =>
    bound >= min && bound - leaving.filter(({ pod }) => roleOf?.(pod) === name).length < min
  );
}

/** Whom the scheduler is to evict on a node in place of those that it proposes, by uid: of gangs those that they can spare. */
export function spareableOn(
  node: string,
  { uids, cluster, runs }: RunningIn & { uids: readonly string[] },
): string[] {
  const records = uids.flatMap((uid) => cluster.pods.get(uid) ?? []);
  const ids = new Set(records.flatMap(({ gang }) => gang === undefined ? [] : [gang]));
  const gangs = [...ids].flatMap((id) => cluster.gangs.get(id) ?? []);
  const here = gangs.flatMap((gang) =>
    runs.on(node, gang).flatMap((record) => runningPod(record, { cluster, now: 0 }) ?? [])
  );
  const proposed = here.filter(({ uid }) => uids.includes(uid));
  const running = new Map(gangs.map((gang) => [gang.id, runs.of(gang)]));
  const chosen = spareable(proposed, { here, gangs: running }).map(({ uid }) => uid);
  const others = uids.filter((uid) => !proposed.some((pod) => pod.uid === uid));
  return [...others, ...chosen];
}
