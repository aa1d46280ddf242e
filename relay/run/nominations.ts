/**
 * Writes where members are to go, and that they are not any more.
 *
 * @module
 */
import type { Effect } from "../../shared/core/attend/effect.ts";
import { isOutdated } from "../kube/kube_api.ts";
import type { World } from "./world.ts";

type Goals = Extract<Effect, { do: "nominate" }>["members"];

/** Says where members are to go. */
export function nominate(goals: Goals, world: World): void {
  for (const { uid, node } of goals) {
    write([uid], { how: (pod) => world.nominate(pod, node), world });
  }
}

/** Says that no pods leave for these members any more. */
export function unnominate(uids: readonly string[], world: World): void {
  write(uids, { how: world.unnominate, world });
}

function write(
  uids: readonly string[],
  { how, world }: { how: World["unnominate"]; world: World },
): void {
  const { cluster, metrics } = world;
  for (const { metadata } of uids.flatMap((uid) => cluster.pods.get(uid)?.pod ?? [])) {
    how(metadata).catch((error) => {
      // What has changed is looked at anew.
      if (isOutdated(error)) return;
      metrics.writeFailed(`the nomination of pod ${metadata.name}`, error);
    });
  }
}
