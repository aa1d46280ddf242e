/**
 * What a controller makes of its object: pods, and where it makes one, the PodGroup of their gang.
 *
 * @module
 */
import type { Pod } from "../../../../shared/kubernetes/types.ts";

/** A pod template. */
export interface Template {
  readonly metadata?: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: Pod["spec"];
}

/** A pod to be. */
export interface PodPlan {
  readonly name: string;
  readonly template: Template;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  /** What controls it; absent: the object itself. */
  readonly owner?: { readonly kind: string; readonly name: string };
}

/** What there is of it when it has just been created. */
export interface Workload {
  readonly pods: readonly PodPlan[];
  /** The spec of a PodGroup of scheduler-plugins, called as the object. */
  readonly podGroup?: Record<string, unknown>;
}

/** An object that a controller makes pods of. */
export interface WorkloadManifest {
  readonly name: string;
  readonly labels: Record<string, string>;
  // deno-lint-ignore no-explicit-any -- as the schema of its kind has it
  readonly spec: any;
}

/** Reads a kind. */
export type WorkloadReader = (manifest: WorkloadManifest) => Workload;

/** None. */
export const nothing: Workload = { pods: [] };

/** The label by which members point to a PodGroup of scheduler-plugins. */
export const podGroupLabel = "scheduling.x-k8s.io/pod-group";

/** So many pods of one template. */
export function alike(name: string, count: number, template: Template): PodPlan[] {
  return numbered(name, count).map((name) => ({ name, template }));
}

/** So many names. */
export function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}
