import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import type { ApiClient, KubernetesObject } from "./api_client.ts";

const deploy = join(dirname(fileURLToPath(import.meta.url)), "../../deploy");

/** The folder of the manifests that a cluster needs before the relay runs. */
export const deployBase: string = join(deploy, "base");

/** The folder of the manifests by which gang pods choose Muster's scheduler and are gated while gangs queue. */
export const deployAdmission: string = join(deploy, "admission");

/** Applies the resources that a kustomization lists, in their order, by server-side apply; generators and patches need kustomize. */
export async function applyKustomization(api: ApiClient, dir: string): Promise<void> {
  const kustomization: { resources: string[] } = parse(
    await Deno.readTextFile(join(dir, "kustomization.yaml")),
  );
  for (const file of kustomization.resources) {
    await applyManifests(api, await Deno.readTextFile(join(dir, file)));
  }
}

/** Applies the documents of a YAML stream, in their order, by server-side apply. */
export async function applyManifests(api: ApiClient, manifests: string): Promise<void> {
  for (const document of parseAllDocuments(manifests)) {
    const object: KubernetesObject = document.toJS();
    await api.patch(await pathOf(api, object), object, { type: "apply" });
  }
}

/** The REST path of an object, as the API server's discovery gives it. */
export async function pathOf(
  api: ApiClient,
  { apiVersion, kind, metadata }: KubernetesObject,
): Promise<string> {
  const version = `/${apiVersion?.includes("/") ? "apis" : "api"}/${apiVersion}`;
  const { resources } = await api.get(version);
  const resource = (resources as { name: string; kind: string; namespaced: boolean }[])
    .find((resource) => resource.kind === kind && !resource.name.includes("/"));
  if (!resource) {
    throw new Error(`Cannot apply kind "${kind}": the API server's "${apiVersion}" has none`);
  }
  const scope = resource.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
  return `${version}${scope}/${resource.name}/${metadata.name}`;
}
