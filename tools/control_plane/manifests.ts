import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import type { ApiClient, KubernetesObject } from "./api_client.ts";

const deploy = join(dirname(fileURLToPath(import.meta.url)), "../../deploy");

/** The folder of the manifests that a cluster needs before the relay runs. */
export const deployBase: string = join(deploy, "base");

/** The folder of the manifests by which gang pods choose Muster's scheduler and are gated while gangs queue. */
export const deployAdmission: string = join(deploy, "admission");

/** REST paths of the kinds in deploy, without the name. */
const collections: Record<string, (namespace: string) => string> = {
  Namespace: () => "/api/v1/namespaces",
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  ConfigMap: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  Role: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) =>
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
  MutatingAdmissionPolicy: () => "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
  MutatingAdmissionPolicyBinding: () =>
    "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings",
  ClusterRole: () => "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: () => "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
};

/** Applies the resources that a kustomization lists, in their order, by server-side apply. */
export async function applyKustomization(api: ApiClient, dir: string): Promise<void> {
  const kustomization: { resources: string[] } = parse(
    await Deno.readTextFile(join(dir, "kustomization.yaml")),
  );
  for (const file of kustomization.resources) {
    for (const document of parseAllDocuments(await Deno.readTextFile(join(dir, file)))) {
      await apply(api, document.toJS());
    }
  }
}

async function apply(api: ApiClient, object: KubernetesObject): Promise<void> {
  const collection = collections[object.kind ?? ""];
  if (collection === undefined) {
    throw new Error(`Cannot apply kind "${object.kind}": add its REST path to manifests.ts`);
  }
  const path = `${collection(object.metadata.namespace ?? "")}/${object.metadata.name}`;
  await api.patch(path, object, { type: "apply" });
}
