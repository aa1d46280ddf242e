/**
 * Jobs: after how long they end their pods, which do not say so themselves.
 *
 * @module
 */
import type { ObjectMeta, Pod } from "../types.ts";

/** A Job, as far as it matters. */
export interface Job {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly activeDeadlineSeconds?: number };
}

/** Where Jobs are served. */
export const jobs = { group: "batch", versions: ["v1"], plural: "jobs" } as const;

/** What controls a pod, which may be a Job. */
export function ownerOf({ metadata }: Pod): Owner | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

type Owner = NonNullable<ObjectMeta["ownerReferences"]>[number];

/** Its uid. */
export function controllerOf(pod: Pod): string | undefined {
  return ownerOf(pod)?.uid;
}
