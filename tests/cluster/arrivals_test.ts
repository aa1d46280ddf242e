import { assertEquals } from "@std/assert";
import { turnedAway } from "../../shared/cluster/arrivals.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import type { Attended } from "../../shared/core/attend/attended.ts";
import { SharedMap } from "../../shared/core/attend/shared_map.ts";
import { attended, gang, letIn, start } from "../support/attending.ts";
import type { Taint } from "../../shared/kubernetes/types.ts";
import { podOf } from "../support/objects.ts";

const labels = { "pod-group/name": "gang", "pod-group/min-available": "1" };
const yields = { to: { uid: "uid-high", title: "pod default/high" }, until: start + 10 };
const paused = { reason: "MemberUnschedulable", message: "it pauses" } as const;
const strict = {
  steering: "strict",
  uses: [],
  isPublished: false,
  chosen: SharedMap.empty<never>(),
} as const;

/** What a member hears that comes to n1 where a pod of higher priority is on `preemptorOn`. */
function comes(
  known: Partial<Attended>,
  {
    preemptorOn = "",
    isGone = false,
    taints = [] as Taint[] | null,
    at = start,
    preemptors = undefined as Attended | undefined,
  } = {},
) {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener);
  if (taints) cluster.room.nodeChanged({ metadata: { name: "n1", uid: "n1" }, spec: { taints } });
  cluster.podChanged(podOf({ name: "a", labels }));
  cluster.podChanged(podOf({ name: "high", ...(preemptorOn && { nodeName: preemptorOn }) }));
  if (isGone) cluster.podDeleted(podOf({ name: "high" }));
  const group = new GangGroup(gang, Date.now());
  group.attended = attended({ standing: letIn(), ...known });
  const other = preemptors &&
    Object.assign(new GangGroup("default/high", Date.now()), { attended: preemptors });
  const groups = { of: (gang?: string) => gang ? group : other };
  return turnedAway(cluster.pods.get("uid-a")!, "n1", { groups, cluster, now: at });
}

Deno.test("turnedAway(): a member of a group that makes room for a preemptor, as long as that needs it", () => {
  const away = comes({ yields });
  assertEquals(away?.event, {
    is: "call lost",
    loss: {
      pod: { namespace: "default", name: "a", uid: "uid-a" },
      cause: "aborted",
      gang,
      by: "pod default/high",
    },
  });
  assertEquals(comes({ yields }, { preemptorOn: "n2" }), undefined, "it has its place");
  const seen = { ...yields, to: { ...yields.to, isSeen: true } };
  assertEquals(comes({ yields: seen })?.event?.is, "call lost");
  assertEquals(comes({ yields: seen }, { isGone: true }), undefined, "it is gone");
  assertEquals(
    comes({ yields }, { isGone: true })?.event?.is,
    "call lost",
    "it may be still to come",
  );
  assertEquals(comes({ yields }, { at: start + 10 }), undefined, "its time is over");
  const pauses: Attended = {
    ...attended({ standing: { phase: "refused", why: paused, since: start } }),
    plan: { fit: { members: 1, of: 1 }, isShort: false },
  };
  assertEquals(
    comes({ yields }, { preemptors: attended({ standing: letIn() }) })?.event?.is,
    "call lost",
  );
  assertEquals(
    comes({ yields }, { preemptors: pauses })?.event?.is,
    "call lost",
    "its gang pauses",
  );
  const short = { ...pauses, plan: { fit: { members: 1, of: 2 }, isShort: true } };
  assertEquals(comes({ yields }, { preemptors: short }), undefined, "its gang is kept out");
});

Deno.test("turnedAway(): a member that is planned elsewhere, which shows that the scheduler takes it there", () => {
  const { event, sentence } = comes({ placement: strict })!;
  if (event?.is !== "refused") throw new Error(`heard "${event?.is}"`);
  assertEquals([event.refusal.reason, event.takenOn], ["PlannedElsewhere", ["n1"]]);
  assertEquals(event.refusal.sentence, sentence);
});

Deno.test("turnedAway(): no member of a group that goes wherever it likes", () => {
  assertEquals(comes({ placement: { ...strict, steering: "free" } }), undefined);
});

const broken = { key: "broken", effect: "NoExecute" };

Deno.test("turnedAway(): a member that comes to a node that is not there, or evicts it, which its round outlives", () => {
  assertEquals(comes({}), undefined);
  assertEquals(comes({}, { taints: [{ ...broken, effect: "NoSchedule" }] }), undefined);
  const sentence =
    'Muster: node "n1" is not there, or has a taint NoExecute that the pod does not tolerate';
  for (const taints of [null, [broken]]) assertEquals(comes({}, { taints }), { sentence });
});
