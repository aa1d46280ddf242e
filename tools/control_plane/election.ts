import { parseAllDocuments, stringify } from "yaml";
import type { ControlPlane } from "./control_plane.ts";
import { applyManifests } from "./manifests.ts";

const schedulerRoles = new URL("../../deploy/scheduler/scheduler_roles.yaml", import.meta.url);

/** By which the schedulers of deploy/ elect the one that leads. */
export const electionLease = { namespace: "muster-system", name: "muster-scheduler" } as const;

/** The flag by which a relay acts only beside the scheduler that leads. */
export const leaseFlag = `--lease=${electionLease.namespace}/${electionLease.name}`;

/** Lets schedulers use the lease, as deploy/ lets the scheduler's ServiceAccount; here the scheduler is a user. */
export async function allowElection({ api }: ControlPlane): Promise<void> {
  const manifests = await Deno.readTextFile(schedulerRoles);
  const role = parseAllDocuments(manifests).map((document) => document.toJS())
    .find(({ kind, metadata }) =>
      kind === "Role" && metadata.namespace === electionLease.namespace
    );
  const subjects = [{
    apiGroup: "rbac.authorization.k8s.io",
    kind: "User",
    name: "system:kube-scheduler",
  }];
  const binding = {
    apiVersion: role.apiVersion,
    kind: "RoleBinding",
    metadata: role.metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name },
    subjects,
  };
  await applyManifests(api, [role, binding].map((object) => stringify(object)).join("---\n"));
}
