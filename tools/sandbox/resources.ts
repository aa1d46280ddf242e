import { ApiError } from "./api_error.ts";

/** One kind of object that the API server serves. */
export interface Resource {
  /** "" is the core group. */
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
  /** Objects live under this key, so that two API versions may show the same ones. */
  storage: string;
  /** Subresources besides the object itself. */
  subresources: string[];
}

/** Budgets, which keep pods from being evicted; the sandbox changes only how many more may be. */
export const disruptionBudgets: Resource = {
  group: "policy",
  version: "v1",
  plural: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
  storage: "poddisruptionbudgets",
  subresources: ["status"],
};

/** What the sandbox serves by itself. */
export const RESOURCES: Resource[] = [
  core("pods", "Pod", { subresources: ["status", "binding", "eviction"] }),
  core("nodes", "Node", { namespaced: false, subresources: ["status"] }),
  core("namespaces", "Namespace", { namespaced: false }),
  core("events", "Event"),
  {
    ...core("events", "Event"),
    group: "events.k8s.io",
  },
  disruptionBudgets,
];

function core(
  plural: string,
  kind: string,
  options: { namespaced?: boolean; subresources?: string[] } = {},
): Resource {
  return {
    group: "",
    version: "v1",
    plural,
    kind,
    namespaced: options.namespaced ?? true,
    storage: plural,
    subresources: options.subresources ?? [],
  };
}

/** What is created under a pod. */
const createdKinds: Record<string, string> = { binding: "Binding", eviction: "Eviction" };

/** A namespaced custom resource with a status, such as a PodGroup. */
export function customResource(
  options: { group: string; version: string; plural: string; kind: string },
): Resource {
  return {
    ...options,
    namespaced: true,
    storage: `${options.plural}.${options.group}`,
    subresources: ["status"],
  };
}

/** The `apiVersion` of a resource's objects. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** What a request path points to. */
export interface Target {
  resource: Resource;
  namespace?: string;
  name?: string;
  subresource?: string;
}

/** Resolves a request path the way kube-apiserver does; 404 for what is not served. */
export function resolvePath(path: string, resources: Resource[]): Target {
  const parts = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
  const head = parts[0] === "api" ? 2 : parts[0] === "apis" ? 3 : 0;
  const group = parts[0] === "api" ? "" : parts[1];
  const version = parts[head - 1];
  let rest = parts.slice(head);
  let namespace: string | undefined;
  if (rest[0] === "namespaces" && rest.length >= 3) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [plural, name, subresource, ...excess] = rest;
  const resource = head === 0 || plural === undefined
    ? undefined
    : resources.find((one) =>
      one.group === group && one.version === version && one.plural === plural
    );
  if (
    resource === undefined || excess.length > 0 ||
    (namespace !== undefined && !resource.namespaced) ||
    (name !== undefined && resource.namespaced && namespace === undefined) ||
    (subresource !== undefined && !resource.subresources.includes(subresource))
  ) {
    throw new ApiError(404, `The server could not find the requested resource: "${path}"`);
  }
  return {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** The discovery document at a path, or undefined when the path is none. */
export function discoveryDocument(path: string, resources: Resource[]): unknown {
  if (path === "/version") return { major: "1", minor: "37", gitVersion: "v1.37.1-sandbox" };
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") {
    const groups = [...new Set(resources.map((one) => one.group))].filter((group) => group !== "");
    return {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: groups.map((name) => {
        const versions = [
          ...new Set(resources.filter((one) => one.group === name).map(apiVersionOf)),
        ].map((groupVersion) => ({ groupVersion, version: groupVersion.split("/")[1] }));
        return { name, versions, preferredVersion: versions[0] };
      }),
    };
  }
  const groupVersion = /^\/api\/([^/]+)$/.exec(path)?.[1] ??
    /^\/apis\/([^/]+\/[^/]+)$/.exec(path)?.[1];
  const served = resources.filter((one) => apiVersionOf(one) === groupVersion);
  if (served.length === 0) return undefined;
  const verbs = ["create", "delete", "get", "list", "patch", "watch"];
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion,
    resources: served.flatMap(({ plural, kind, namespaced, subresources }) => [
      { name: plural, singularName: kind.toLowerCase(), namespaced, kind, verbs },
      ...subresources.map((sub) => ({
        name: `${plural}/${sub}`,
        singularName: "",
        namespaced,
        kind: createdKinds[sub] ?? kind,
        verbs: sub in createdKinds ? ["create"] : ["get", "patch"],
      })),
    ]),
  };
}
