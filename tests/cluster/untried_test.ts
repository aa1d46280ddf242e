import { assertEquals } from "@std/assert";
import type { Attended } from "../../shared/core/attend/attended.ts";
import { times } from "../../shared/core/attend/times.ts";
import { untriedFrom } from "../../shared/cluster/untried.ts";
import { ownGate } from "../../shared/kubernetes/counting/census.ts";
import { callOf } from "../support/attending.ts";
import { clusterOf, groupOf, now, on, planIn, type QueuedGang } from "../support/planned_gangs.ts";

const head = { name: "head", size: 4, gpus: 1, priority: 9 };
const small = { name: "small", size: 2, gpus: 1 };

Deno.test("plan(): a gang that the scheduler tries none of comes behind others after a while, and nobody leaves for it", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const untried = groupOf({ ...head, isUntried: true }, cluster);
  const next = groupOf(small, cluster);
  const isFirst = (known: Partial<Attended>) => {
    const arrivals = { first: 0, last: now - times.keeps };
    untried.attended = { ...untried.attended, arrivals, ...known };
    return planIn([untried, next], { cluster }).byGroup.get(next.id)!.fit.members === 0;
  };
  assertEquals(isFirst({}), false);
  assertEquals(isFirst({ arrivals: { first: 0, last: now - times.keeps + 1 } }), true, "it came");
  assertEquals(isFirst({ ungatedAt: now - times.keeps + 1 }), true, "its gates were removed");
  assertEquals(isFirst({ coming: untried.attended.coming.with("a", 0) }), true, "one is tried");
  untried.attended = { ...untried.attended, coming: next.attended.coming };
  const [member] = untried.gangs[0]!.members.values();
  const { metadata: { namespace = "default", name, uid } } = member!.pod;
  cluster.podHeld(member!, callOf(uid, { pod: { namespace, name, uid, node: "a" } }));
  cluster.podLetGo(member!);
  assertEquals(isFirst({}), true, "one was held");

  const full = clusterOf({ nodes: { a: 4 }, pods: [on("a", 4)] });
  const victimsOf = (known: Partial<QueuedGang>) => {
    const group = groupOf({ ...head, ...known }, full);
    const { clearance } = planIn([group], { cluster: full, evicts: true }).byGroup.get(group.id)!;
    return clearance?.victims.length ?? 0;
  };
  const gated = { schedulingGates: [{ name: ownGate }] };
  assertEquals(
    [
      victimsOf({ name: "tried" }),
      victimsOf({ name: "untried", isUntried: true }),
      victimsOf({ name: "gated", isUntried: true, spec: gated }),
    ],
    [1, 0, 1],
  );
});

Deno.test("untriedFrom(): a gang that gates of others keep back is not one that the scheduler leaves alone", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const fromOf = (spec: QueuedGang["spec"] = {}) =>
    untriedFrom(groupOf({ ...head, isUntried: true, spec }, cluster));
  assertEquals(fromOf() < Infinity, true);
  assertEquals(fromOf({ schedulingGates: [{ name: "kueue.x-k8s.io/admission" }] }), Infinity);
});
