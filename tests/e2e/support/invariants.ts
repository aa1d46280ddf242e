import { assertEquals } from "@std/assert";
import { type AuditEvent, bindingsOf, relayUser } from "../../../tools/control_plane/audit.ts";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { gangOf, isBound } from "./pods.ts";
import { until } from "./until.ts";

/**
 * What must hold whenever things settle: no gang is bound in part, no pod was bound twice, and the relay did nothing that
 * its role does not allow. The members of a gang are bound one after another, so one that is on its way is waited for.
 */
export async function assertInvariants(controlPlane: ControlPlane): Promise<void> {
  await until("no gang that is bound in part", async () => {
    const partial = boundInPart(await controlPlane.api.list("/api/v1/pods"));
    if (partial.length === 0) return true;
    throw new Error(`bound in part: ${partial.join(", ")}`);
  });

  const events = await auditOf(controlPlane);
  const bindings = bindingsOf(events);
  const times = new Map<string, number>();
  for (const { uid } of bindings) times.set(uid, (times.get(uid) ?? 0) + 1);
  const again = bindings.filter(({ uid }) => times.get(uid) !== 1);
  assertEquals(again, [], "a pod was bound more than once");

  assertEquals(refusedForGood(events), [], "the relay's role lacks something");
}

/** The gangs of which some members are bound, and fewer than the minimum. */
function boundInPart(pods: readonly KubernetesObject[]): string[] {
  const gangs = new Map<string, { minMember: number; bound: number }>();
  for (const pod of pods) {
    const gang = gangOf(pod);
    if (!gang) continue;
    // Among pods that disagree the relay decides; the smallest quorum is the one that must hold in any case.
    const { minMember, bound } = gangs.get(gang.id) ?? { minMember: Infinity, bound: 0 };
    gangs.set(gang.id, {
      minMember: Math.min(minMember, gang.minMember || Infinity),
      bound: bound + (isBound(pod) ? 1 : 0),
    });
  }
  return [...gangs].filter(([, { bound, minMember }]) => bound > 0 && bound < minMember)
    .map(([id, { bound, minMember }]) => `"${id}" with ${bound} of ${minMember}`);
}

/**
 * What the relay was never allowed to do. An API server that has just started refuses for a moment what it allows later;
 * and whether deploy/admission is installed, the relay finds out by trying.
 */
function refusedForGood(events: readonly AuditEvent[]): string[] {
  const refused = new Set<string>();
  const allowed = new Set(["patch configmaps"]);
  for (const { user, verb, objectRef, responseStatus } of events) {
    if (user.username !== relayUser) continue;
    const { resource, subresource } = objectRef ?? {};
    const what = `${verb} ${resource}${subresource ? `/${subresource}` : ""}`;
    (responseStatus?.code === 403 ? refused : allowed).add(what);
  }
  return [...refused.difference(allowed)];
}

/**
 * The audit log, once it has the binding of every pod with a node: a line is written a moment after what it tells. A binding
 * whose writer was killed meanwhile may be in effect, but is answered with 504.
 */
export async function auditOf(controlPlane: ControlPlane): Promise<AuditEvent[]> {
  const bound = (await controlPlane.api.list("/api/v1/pods")).filter(isBound);
  let events: AuditEvent[] = [];
  await until("the audit log", async () => {
    events = await controlPlane.auditEvents();
    const audited = new Set(
      [...bindingsOf(events), ...bindingsOf(events, 504)].map(({ uid }) => uid),
    );
    const missing = bound.filter(({ metadata }) => !audited.has(metadata.uid ?? ""));
    if (missing.length === 0) return true;
    throw new Error(`without a binding: "${missing.map((pod) => pod.metadata.name).join('", "')}"`);
  });
  return events;
}
