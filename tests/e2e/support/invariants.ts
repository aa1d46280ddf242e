import { assertEquals } from "@std/assert";
import type { AuditEvent } from "../../../tools/control_plane/audit.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { gangOf, isBound } from "./pods.ts";

/** A binding that the API server accepted. */
export interface Binding {
  uid: string;
  /** `namespace/name`. */
  pod: string;
  node: string;
  /** In milliseconds since the epoch. */
  at: number;
}

/** What must hold at any time at which nothing is being bound: no gang is bound in part, and no pod was bound twice. */
export async function assertInvariants(controlPlane: ControlPlane): Promise<void> {
  const pods = await controlPlane.api.list("/api/v1/pods");
  const gangs = new Map<string, { minMember: number; bound: number }>();
  for (const pod of pods) {
    const gang = gangOf(pod);
    if (!gang || Number.isNaN(gang.minMember)) continue;
    const count = gangs.get(gang.id) ?? { minMember: gang.minMember, bound: 0 };
    gangs.set(gang.id, { ...count, bound: count.bound + (isBound(pod) ? 1 : 0) });
  }
  const partial = [...gangs].filter(([, { bound, minMember }]) => bound > 0 && bound < minMember);
  assertEquals(partial, [], "a gang is bound in part");

  const bindings = bindingsOf(await controlPlane.auditEvents());
  const times = new Map<string, number>();
  for (const { uid } of bindings) times.set(uid, (times.get(uid) ?? 0) + 1);
  const again = bindings.filter(({ uid }) => times.get(uid) !== 1);
  assertEquals(again, [], "a pod was bound more than once");
  const unknown = pods.filter((pod) => isBound(pod) && !times.has(pod.metadata.uid ?? ""));
  assertEquals(unknown.map((pod) => pod.metadata.name), [], "a pod has a node but no binding");
}

/** The accepted bindings, the earliest first. */
export function bindingsOf(events: readonly AuditEvent[]): Binding[] {
  return events.filter(({ objectRef, responseStatus }) =>
    objectRef?.subresource === "binding" && responseStatus?.code === 201
  ).map(({ objectRef, requestObject, stageTimestamp }) => ({
    uid: requestObject?.metadata?.uid ?? "",
    pod: `${objectRef?.namespace}/${objectRef?.name}`,
    node: requestObject?.target?.name ?? "",
    at: Date.parse(stageTimestamp),
  })).sort((a, b) => a.at - b.at);
}

/** The pods that a scheduler deleted as victims, as `namespace/name`. */
export function victimsOf(events: readonly AuditEvent[]): string[] {
  return events.filter(({ verb, user }) =>
    verb === "delete" && user.username === "system:kube-scheduler"
  ).map(({ objectRef }) => `${objectRef?.namespace}/${objectRef?.name}`);
}
