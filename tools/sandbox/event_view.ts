import { isRecord, type KubeObject } from "./objects.ts";
import type { Resource } from "./resources.ts";

/**
 * Events are stored once, in their core form, and shown as core/v1 or events.k8s.io/v1, as kube-apiserver does.
 * Anything else passes through unchanged.
 */
export function toView(object: KubeObject, resource: Resource): KubeObject {
  if (resource.group !== "events.k8s.io") return object;
  const { message, involvedObject, source, count, firstTimestamp, lastTimestamp, ...same } = object;
  return {
    ...same,
    apiVersion: "events.k8s.io/v1",
    note: message,
    regarding: involvedObject,
    deprecatedSource: source,
    deprecatedCount: count,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
    reportingController: object.reportingComponent ??
      (isRecord(source) ? source.component : undefined),
    reportingComponent: undefined,
  };
}

/** The reverse of `toView`, for what clients write. */
export function toStored(object: KubeObject, resource: Resource): KubeObject {
  if (resource.group !== "events.k8s.io") return object;
  const { note, regarding, reportingController, ...same } = object;
  for (const key of Object.keys(same)) if (key.startsWith("deprecated")) delete same[key];
  return {
    ...same,
    apiVersion: "v1",
    kind: "Event",
    metadata: object.metadata,
    message: note,
    involvedObject: regarding,
    reportingComponent: reportingController,
    source: { component: reportingController },
  };
}
