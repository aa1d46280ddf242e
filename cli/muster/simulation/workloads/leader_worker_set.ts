/**
 * The pods of a LeaderWorkerSet.
 *
 * @module
 */
import { leaderWorkerSet } from "../../../../shared/kubernetes/declaring/leader_worker_set.ts";
import { numbered, type PodPlan, type Workload, type WorkloadManifest } from "./workload.ts";

/** A leader and its workers for every replica, with the labels that make a gang of them; where workers come when it is ready, leaders alone. */
export function readLeaderWorkerSet({ name, spec }: WorkloadManifest): Workload {
  const { workerTemplate: worker, leaderTemplate: leader = worker, size: members = 1 } =
    spec.leaderWorkerTemplate;
  const replicas = numbered(name, spec.replicas ?? 1);
  const atOnce = spec.startupPolicy === "LeaderReady" ? Math.min(1, members) : members;
  return {
    pods: replicas.flatMap((replica) =>
      Array.from({ length: atOnce }, (_, index): PodPlan => ({
        name: index === 0 ? replica : `${replica}-${index}`,
        template: index === 0 ? leader : worker,
        labels: {
          [`${leaderWorkerSet}name`]: name,
          [`${leaderWorkerSet}worker-index`]: String(index),
        },
        annotations: {
          [`${leaderWorkerSet}size`]: String(members),
          ...(index > 0 && { [`${leaderWorkerSet}leader-name`]: replica }),
        },
      }))
    ),
  };
}
