/**
 * What events are about.
 *
 * @module
 */
import type { PodGroup } from "./declaring/pod_group.ts";
import type { ObjectMeta, Pod } from "./types.ts";

/** What an event is about. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly namespace: string };
}

/** A pod, as what an event is about; lists leave its kind out. */
export function podSubject({ metadata }: Pod): Subject {
  return { apiVersion: "v1", kind: "Pod", metadata };
}

/** A PodGroup, as what an event is about. */
export function podGroupSubject({ apiVersion, metadata }: PodGroup): Subject {
  return { apiVersion, kind: "PodGroup", metadata };
}
