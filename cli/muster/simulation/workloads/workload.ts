/**
 * What a controller makes of its object: pods, and where it makes one, the PodGroup of their gang.
 *
 * @module
 */

/** A pod template, before the API server has looked at it. */
export interface Template {
  readonly metadata?: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec?: Record<string, unknown>;
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
  // deno-lint-ignore no-explicit-any -- any field of any kind, which the API server has not looked at
  readonly spec: any;
}

/** Reads a kind; errors say what is wrong in the object. */
export type WorkloadReader = (manifest: WorkloadManifest) => Workload;

/** None. */
export const nothing: Workload = { pods: [] };

/** The label by which members point to a PodGroup of scheduler-plugins. */
export const podGroupLabel = "scheduling.x-k8s.io/pod-group";

/** A whole number of at least 0, where it is written. */
export function countIn(
  value: unknown,
  { field, absent = 1 }: { field: string; absent?: number },
): number {
  const count = Number(value ?? absent);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new Error(`its ${field} is not a whole number`);
}

/** A template, which must be there. */
export function templateIn(value: unknown, field: string): Template {
  if (typeof value === "object" && value !== null) return value;
  throw new Error(`it has no ${field}`);
}

/** So many pods of one template. */
export function alike(name: string, count: number, template: Template): PodPlan[] {
  return numbered(name, count).map((name) => ({ name, template }));
}

/** So many names. */
export function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}
