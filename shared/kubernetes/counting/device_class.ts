/**
 * DeviceClasses: which extended resources the scheduler takes from devices (KEP-5004).
 *
 * @module
 */
import type { Resources } from "../../core/room/fit.ts";
import type { ObjectMeta } from "../types.ts";

/** A DeviceClass, as far as it matters. */
export interface DeviceClass {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly extendedResourceName?: string };
}

/** Where DeviceClasses are served, the best version first. */
export const deviceClasses = {
  group: "resource.k8s.io",
  versions: ["v1"],
  plural: "deviceclasses",
} as const;

/** Every class also serves a resource of its own name. */
const implicitPrefix = "deviceclass.resource.kubernetes.io/";

/** The resources that pods may ask for by a class. */
export function servedBy({ metadata, spec }: DeviceClass): string[] {
  const { extendedResourceName } = spec ?? {};
  return [
    implicitPrefix + metadata.name,
    ...(extendedResourceName ? [extendedResourceName] : []),
  ];
}

/**
 * What a node offers where DeviceClasses serve some resources: of those that it does not list itself it has no countable
 * amount, because the scheduler finds the devices.
 */
export function withServed(allocatable: Resources, served: Iterable<string>): Map<string, number> {
  const offered = new Map(allocatable);
  for (const resource of served) {
    if ((offered.get(resource) ?? 0) <= 0) offered.set(resource, Infinity);
  }
  return offered;
}
