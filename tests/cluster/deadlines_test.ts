import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { podOf } from "../support/objects.ts";

const labels = { "pod-group/name": "tf", "pod-group/min-available": "2" };

/** A member that a Job of this uid controls. */
function member(name: string, uid: string): Pod {
  const pod = podOf({ name, labels });
  const ownerReferences = [{ kind: "Job", name: "train", uid, controller: true }];
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}

const jobOf = (uid: string, activeDeadlineSeconds?: number) => ({
  metadata: { namespace: "default", name: "train", uid },
  spec: { ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }) },
});

function clusterOf() {
  const told: string[] = [];
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: (gang) => told.push(gang),
    roomChanged: () => {},
  });
  const seconds = () => cluster.gangs.get("default/tf")!.runTime?.seconds;
  return { cluster, told, seconds };
}

Deno.test("deadlines: a Job's is that of its gang, whichever of them is seen first", () => {
  const { cluster, seconds } = clusterOf();
  cluster.deadlines.changed(jobOf("early", 600));
  cluster.podChanged(member("a", "early"));
  assertEquals(seconds(), 600);
  cluster.podChanged(member("b", "late"));
  assertEquals(seconds(), undefined, "one of them may run for ever");
  cluster.deadlines.changed(jobOf("late", 900));
  assertEquals(seconds(), 900);
});

Deno.test("deadlines: whoever plans is told when one is another, and not when a Job's status is", () => {
  const { cluster, told, seconds } = clusterOf();
  cluster.deadlines.changed(jobOf("job", 600));
  cluster.podChanged(member("a", "job"));
  cluster.deadlines.changed(jobOf("job", 600));
  cluster.deadlines.changed(jobOf("other", 60));
  assertEquals(told, []);
  cluster.deadlines.changed(jobOf("job", 1200));
  assertEquals([told, seconds()], [["default/tf"], 1200]);
  cluster.deadlines.changed(jobOf("job"));
  assertEquals([told.length, seconds()], [2, undefined]);
  cluster.deadlines.changed(jobOf("job", 60));
  cluster.deadlines.deleted(jobOf("job", 60));
  assertEquals([told.length, seconds()], [4, undefined]);
});
