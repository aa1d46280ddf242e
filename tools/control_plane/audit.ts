import { stringify } from "yaml";

/** An audit event of the API server (audit.k8s.io/v1), as far as Muster's tests read it. */
export interface AuditEvent {
  auditID: string;
  verb: string;
  user: { username: string; extra?: Record<string, string[]> };
  userAgent?: string;
  /** Absent for what is no resource, such as `/apis`; no `apiGroup` stands for the core group. */
  objectRef?: {
    apiGroup?: string;
    resource: string;
    subresource?: string;
    namespace?: string;
    name?: string;
  };
  responseStatus?: { code?: number; reason?: string };
  /** The Binding, for `pods/binding`, and what the relay changes, for `pods/status`; of all else it is not logged. */
  requestObject?: {
    metadata?: { uid?: string; resourceVersion?: string };
    target?: { name?: string };
    status?: { nominatedNodeName?: string | null };
  };
  requestReceivedTimestamp: string;
}

const podGroupApis = [
  "scheduling.sigs.k8s.io",
  "scheduling.x-k8s.io",
  "incubator.scheduling.k8s.io",
  "scheduling.k8s.io",
];

/** The relay's ServiceAccount. */
export const relayUser = "system:serviceaccount:muster-system:muster-relay";

/** What is logged: every write to pods and PodGroups, of Bindings also the node, and whatever the relay does, of a pod's status also what. */
export const auditPolicy: string = stringify({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "Request", resources: [{ group: "", resources: ["pods/binding"] }] },
    {
      level: "Request",
      users: [relayUser],
      verbs: ["patch"],
      resources: [{ group: "", resources: ["pods/status"] }],
    },
    {
      level: "Metadata",
      verbs: ["create", "update", "patch", "delete", "deletecollection"],
      resources: [
        { group: "", resources: ["pods", "pods/status", "pods/eviction"] },
        ...podGroupApis.map((group) => ({
          group,
          resources: ["podgroups", "podgroups/status"],
        })),
      ],
    },
    { level: "Metadata", users: [relayUser] },
    { level: "None" },
  ],
});

/** How every line of an audit log begins. */
const beginning = '{"kind":"Event"';

/**
 * Reads an audit log; a last line that is still being written is left out, and a line that an API server was killed over too:
 * the next one goes on where it ended.
 */
export async function readAuditLog(path: string): Promise<AuditEvent[]> {
  const text = await Deno.readTextFile(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) =>
    JSON.parse(line.slice(Math.max(0, line.lastIndexOf(beginning)))) as AuditEvent
  );
}

/** A binding as the API server's audit log tells it. */
export interface Binding {
  uid: string;
  /** `namespace/name`. */
  pod: string;
  node: string;
  /** When it was asked for, in milliseconds since the epoch: others may see it in effect before it is answered. */
  at: number;
}

/** The bindings that were answered with a status, 201 by default; the earliest first. */
export function bindingsOf(events: readonly AuditEvent[], status = 201): Binding[] {
  return events.filter(({ objectRef, responseStatus }) =>
    objectRef?.subresource === "binding" && responseStatus?.code === status
  ).map(({ objectRef, requestObject, requestReceivedTimestamp }) => ({
    uid: requestObject?.metadata?.uid ?? "",
    pod: `${objectRef?.namespace}/${objectRef?.name}`,
    node: requestObject?.target?.name ?? "",
    at: Date.parse(requestReceivedTimestamp),
  })).sort((a, b) => a.at - b.at);
}

/** The pods that a scheduler deleted as victims, or that the relay evicted, as `namespace/name`. */
export function victimsOf(events: readonly AuditEvent[]): string[] {
  return events.filter(({ verb, user, objectRef, responseStatus }) =>
    objectRef?.subresource === "eviction"
      ? responseStatus?.code === 201
      : verb === "delete" && user.username === "system:kube-scheduler"
  ).map(({ objectRef }) => `${objectRef?.namespace}/${objectRef?.name}`);
}
