/**
 * The census of a gang, from its pods as they are.
 *
 * @module
 */
import { type Census, type ForeignScheduler, noMembers } from "../../core/gang/facts.ts";
import type { Pod } from "../types.ts";

/** The scheduling gate that Muster removes. */
export const ownGate = "muster.scheduling/queued";

/** The class of a member that is not held. */
export type MemberClass = Exclude<keyof Census, "running">;

/** The class a pod counts in; `node` is where it is bound, which may be known before the pod shows it. */
export function classOf(
  pod: Pod,
  node: string | undefined = pod.spec.nodeName,
): Exclude<MemberClass, "foreign"> {
  if (pod.status?.phase === "Succeeded") return "succeeded";
  if (pod.status?.phase === "Failed") return "failed";
  if (pod.metadata.deletionTimestamp) return "terminating";
  if (node) return "bound";
  const foreignGates = pod.spec.schedulingGates?.filter((gate) => gate.name !== ownGate) ?? [];
  return foreignGates.length > 0 ? "gated" : "pending";
}

/** A member as it is counted: `node` is where it is bound, which may be known before the pod shows it. */
export interface Counted {
  readonly pod: Pod;
  readonly node?: string | undefined;
  /** Set where it is a scheduler that is not Muster's which places it. */
  readonly foreign?: ForeignScheduler | undefined;
}

/** The class a member counts in. */
export function memberClassOf({ pod, node = pod.spec.nodeName, foreign }: Counted): MemberClass {
  const found = classOf(pod, node);
  return foreign && (found === "pending" || found === "gated") ? "foreign" : found;
}

/** Counts members; each is in exactly one class, and running ones are also bound. */
export function takeCensus(members: Iterable<Counted>): Census {
  const census = { ...noMembers };
  let foreign = 0;
  for (const member of members) {
    const memberClass = memberClassOf(member);
    if (memberClass === "foreign") foreign++;
    else census[memberClass]++;
    if (memberClass === "bound" && member.pod.status?.phase === "Running") census.running++;
  }
  return { ...census, ...(foreign > 0 && { foreign }) };
}
