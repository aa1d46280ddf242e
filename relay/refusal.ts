/**
 * Members that the scheduler may not try now.
 *
 * @module
 */
import { gangId } from "../shared/core/facts.ts";
import { whyPending } from "../shared/core/why_pending.ts";
import { membershipOf } from "../shared/kubernetes/dialect.ts";
import type { Pod } from "../shared/kubernetes/types.ts";
import type { GangGroup } from "./gang_group.ts";
import type { Reconciler } from "./reconciler.ts";
import { told } from "./sentence.ts";

/** Why the scheduler may not try a pod now; noted, so that the pod is woken when it may. Undefined: it may. */
export function refuse(pod: Pod, reconciler: Reconciler): string | undefined {
  const membership = membershipOf(pod);
  if (!membership) return undefined;
  const gang = gangId(membership);
  const { namespace, name, uid } = pod.metadata;
  const refusal = refusalOf(reconciler.groupOf(gang), gang) ??
    surplus({ uid, gang }, reconciler);
  if (!refusal) return undefined;

  const sentence = told(refusal.message);
  reconciler.refused(gang, {
    uid,
    pod: { namespace, name },
    reason: refusal.reason,
    sentence,
    at: Date.now(),
  });
  return sentence;
}

function surplus(
  member: { uid: string; gang: string },
  reconciler: Reconciler,
): { reason: string; message: string } | undefined {
  const other = reconciler.surplusUntil(member);
  return other === undefined
    ? undefined
    : whyPending({ reason: "Surplus", gang: member.gang, other });
}

function refusalOf(
  group: GangGroup | undefined,
  gang: string,
): { reason: string; message: string } | undefined {
  if (!group?.admission) return whyPending({ reason: "JustSeen", gang });
  if (group.admission.verdict !== "allow") return group.admission;
  return group.isInDoubt ? whyPending({ reason: "JustLost", gang }) : undefined;
}
