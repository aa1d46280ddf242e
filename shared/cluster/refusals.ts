/**
 * Members that are refused, or were by an earlier relay.
 *
 * @module
 */
import type { Refusal } from "../core/attend/attended.ts";
import { mark, marked } from "../core/words/mark.ts";
import type { Pod } from "../kubernetes/types.ts";
import { fromMuster } from "../kubernetes/status/sentence.ts";
import { isGated, type PodRecord } from "./pod_record.ts";

/** What a member is told that is refused now, and why; `now` is in ms since the epoch. */
export function newRefusal(
  { metadata: { namespace, name } }: Pod,
  { gang, kind, reason, message }: {
    gang: string;
    kind: string | undefined;
    reason: string;
    message: string;
  },
  now: number,
): Refusal {
  return { pod: { namespace, name }, gang, kind, reason, sentence: marked(message), at: now };
}

/**
 * A member that an earlier relay refused, or let evict nobody, sleeps in the scheduler's queue until it is woken; undefined of
 * any other.
 */
export function earlierRefusalOf(record: PodRecord, now: number): Refusal | undefined {
  const { node, pod, gang = "" } = record;
  const sentence = fromMuster(pod);
  if (sentence === undefined || node || isGated(record) || record.foreign) return undefined;
  const isByPreempt = !sentence.includes(mark);
  return { pod: pod.metadata, gang, reason: "Unknown", sentence, at: now, isByPreempt };
}
