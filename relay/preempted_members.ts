/**
 * Members of a gang group that had to leave for pods of higher priority, until their gang is whole again.
 *
 * @module
 */
import { gangId, type Preempted } from "../shared/core/facts.ts";
import { named } from "../shared/core/text.ts";
import { whyPending } from "../shared/core/why_pending.ts";
import { membershipOf } from "../shared/kubernetes/dialect.ts";
import { isPreempted } from "../shared/kubernetes/disruption.ts";
import type { Pod } from "../shared/kubernetes/types.ts";
import type { PodRecord } from "./pod_record.ts";
import { told } from "./sentence.ts";

/** For whom victims leave, in words. */
export function preemptorText(preemptor: Pod): string {
  const { namespace, name } = preemptor.metadata;
  const membership = membershipOf(preemptor);
  const who = membership
    ? `gang ${named(gangId(membership))}`
    : `pod ${named(`${namespace}/${name}`)}`;
  return `${who} of higher priority`;
}

/** What the scheduler is told of a call that was let go for somebody. */
export function toldLetGo({ title }: { readonly title: string }, to: string): string {
  return told(whyPending({ reason: "LetGo", title, to }).message);
}

/** Those of one group. */
export class PreemptedMembers {
  readonly #byGang = new Map<string, { uids: Set<string>; by: string }>();

  /** A member is not where it was any more. */
  left({ pod, gang, evictableFor = "a pod of higher priority" }: PodRecord): void {
    if (gang === undefined || !isPreempted(pod)) return;
    const uids = this.#byGang.get(gang)?.uids ?? new Set();
    this.#byGang.set(gang, { uids: uids.add(pod.metadata.uid), by: evictableFor });
  }

  /** What is known of a gang's. */
  of(gang: string): Preempted | undefined {
    const known = this.#byGang.get(gang);
    return known && { members: known.uids.size, by: known.by };
  }

  /** The gang is whole again. */
  forget(gang: string): void {
    this.#byGang.delete(gang);
  }

  /** A gang leaves for another group. */
  handOver(gang: string, to: PreemptedMembers): void {
    const known = this.#byGang.get(gang);
    if (known) to.#byGang.set(gang, known);
    this.#byGang.delete(gang);
  }
}
