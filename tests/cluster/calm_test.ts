import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { calmAfter } from "../../shared/cluster/calm.ts";
import type { GroupEvent } from "../../shared/core/attend/event.ts";
import { times } from "../../shared/core/attend/times.ts";
import { attended, callOf, gang, letIn } from "../support/attending.ts";
import { podOf } from "../support/objects.ts";

const { gatherPause, lookCalm } = times;
const labels = { "pod-group/name": "gang", "pod-group/min-available": "3" };

/** A group of a gang that was let in, or whose members come, with so many members pending, held and bound. */
function groupOf(
  { pending = 0, held = 0, bound = 0, isCollecting = false }: {
    pending?: number;
    held?: number;
    bound?: number;
    isCollecting?: boolean;
  },
): GangGroup {
  const cluster = new Cluster({
    podChanged() {},
    podGroupChanged() {},
    roomChanged() {},
  }, { schedulerNames: ["muster"] });
  for (let index = 0; index < pending + held + bound; index++) {
    const nodeName = index < bound ? { nodeName: "node-1" } : {};
    const pod = podOf({ name: `${index}`, labels, schedulerName: "muster", ...nodeName });
    cluster.podChanged(pod);
    const record = cluster.pods.get(pod.metadata.uid)!;
    if (index >= bound + pending) cluster.podHeld(record, callOf(pod.metadata.uid));
  }
  const group = new GangGroup(gang, Date.now());
  group.gangs.push(cluster.gangs.get(gang)!);
  group.attended = attended({ standing: isCollecting ? { phase: "collecting" } : letIn() });
  return group;
}

const rows: readonly [
  is: GroupEvent["is"],
  members: Parameters<typeof groupOf>[0],
  ms: number | undefined,
][] = [
  ["member came", { pending: 2, isCollecting: true }, gatherPause],
  ["member came", { held: 2, isCollecting: true }, lookCalm],
  ["member came", { pending: 2 }, lookCalm],
  ["call opened", { pending: 1, held: 2 }, gatherPause],
  ["call opened", { held: 3 }, lookCalm],
  ["bound", { held: 1, bound: 2 }, gatherPause],
  ["bound", { bound: 3 }, lookCalm],
  ["member changed", { pending: 1, held: 2 }, lookCalm],
  ["call lost", { pending: 1, held: 2 }, undefined],
];

for (const [is, members, ms] of rows) {
  Deno.test(`calmAfter(): "${is}" of ${JSON.stringify(members)} is looked at ${ms === undefined ? "soon" : `after ${ms} ms`}`, () => {
    assertEquals(calmAfter({ is } as GroupEvent, groupOf(members)), ms);
  });
}
