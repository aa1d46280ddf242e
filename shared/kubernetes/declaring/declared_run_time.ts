/**
 * How long a gang is going to run, as Muster, Kubernetes and Kueue write it.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import type { RunTime } from "../../core/gang/run_time.ts";
import { countOf, type Declaration, type Meaning, waitOf, type Written } from "./declaration.ts";
import { noted, own } from "./declared_topology.ts";
import type { ObjectMeta, Pod } from "../types.ts";

/** What is said of how long it runs by. */
export const runTimeKeys = {
  expected: `${own}expected-duration`,
  /** Kueue deactivates a workload that ran for longer (KEP-3125). */
  most: "kueue.x-k8s.io/max-exec-time-seconds",
};

/** What an annotation, or a label, of a pod or a PodGroup says. */
export function durationDeclaration(metadata: ObjectMeta): Pick<Declaration, "expectedDuration"> {
  const expectedDuration = noted(metadata, runTimeKeys.expected, limits.value);
  return expectedDuration ? { expectedDuration } : {};
}

/** Seconds of a Go duration above 0. */
export function durationOf(written: Written): Meaning<number> {
  return waitOf(written);
}

/** After so many seconds the kubelet ends a pod, or its Job does; undefined: it may run for ever, or for centuries. */
export function deadlineOf({ spec }: Pod, ofJob?: number): number | undefined {
  const known = [spec.activeDeadlineSeconds, ofJob].filter((each) =>
    each !== undefined && each > 0 && each <= limits.waitSeconds
  );
  return known.length > 0 ? Math.min(...known as number[]) : undefined;
}

/** After so many seconds Kueue ends the workload that a pod or a PodGroup is of. */
export function longestWorkloadOf(metadata: ObjectMeta): number | undefined {
  const written = noted(metadata, runTimeKeys.most, limits.value);
  const meaning = written && countOf(written);
  return meaning && "value" in meaning ? meaning.value : undefined;
}

/** What a gang says: what is expected, or else the time after which all of its members have been ended. */
export function declaredRunTime(
  { expected, longest }: {
    expected: number | undefined;
    /** Of each member. */
    longest: readonly (number | undefined)[];
  },
): RunTime | undefined {
  if (expected !== undefined) return { seconds: expected, source: "declared" };
  let seconds = 0;
  for (const each of longest) {
    if (each === undefined) return undefined;
    seconds = Math.max(seconds, each);
  }
  return seconds > 0 ? { seconds, source: "deadline" } : undefined;
}
