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
  /** The Binding, for `pods/binding` alone. */
  requestObject?: { metadata?: { uid?: string }; target?: { name?: string } };
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

/** What is logged: every write to pods and PodGroups, of Bindings also the node, and whatever the relay does. */
export const auditPolicy: string = stringify({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "Request", resources: [{ group: "", resources: ["pods/binding"] }] },
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

/** Reads an audit log; a last line that is still being written is left out. */
export async function readAuditLog(path: string): Promise<AuditEvent[]> {
  const text = await Deno.readTextFile(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}
