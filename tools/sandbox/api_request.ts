import { ApiError, invalid } from "./api_error.ts";
import { isRecord, type KubeObject } from "./objects.ts";
import { apiVersionOf, type Resource, type Target } from "./resources.ts";

/** The verb of a request as `AuditEntry` has it; `unknown` for what is not served. */
export function verbOf(method: string, target: Target, query: URLSearchParams): string {
  const { name, subresource } = target;
  const watching = ["true", "1"].includes(query.get("watch") ?? "");
  if (query.has("dryRun")) throw new ApiError(400, "The sandbox does not know dryRun");
  if (subresource === "binding") return method === "POST" ? "bind" : "unknown";
  if (subresource === "eviction") return method === "POST" ? "evict" : "unknown";
  if (method === "GET" && name === undefined) return watching ? "watch" : "list";
  if (method === "GET" && !watching) return "get";
  if (method === "POST" && name === undefined) return "create";
  if (method === "PATCH" && name !== undefined) return "patch";
  if (method === "DELETE" && name !== undefined && subresource === undefined) return "delete";
  return "unknown";
}

/** Parses JSON; 400 when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, `The body of the request is not JSON: "${text.slice(0, 80)}"`);
  }
}

/** The object in the body of a request, with its type filled in; 400 or 422 when it is not one of this resource. */
export function objectIn(body: unknown, resource: Resource): KubeObject {
  if (!isRecord(body) || !isRecord(body.metadata)) {
    throw new ApiError(
      400,
      `The body of the request is not a ${resource.kind}: metadata is missing`,
    );
  }
  const apiVersion = apiVersionOf(resource);
  // Clients may leave the type out, for the path says it.
  if (
    (body.kind ?? resource.kind) !== resource.kind ||
    (body.apiVersion ?? apiVersion) !== apiVersion
  ) {
    throw new ApiError(
      400,
      `the object provided is unrecognized (must be of type ${resource.kind} in "${apiVersion}"): "${body.kind}" in "${body.apiVersion}"`,
    );
  }
  const { name, generateName } = body.metadata;
  if (!name && !generateName) {
    throw invalid(
      resource.kind,
      "",
      "metadata.name: Required value: name or generateName is required",
    );
  }
  return { ...body, apiVersion, kind: resource.kind } as KubeObject;
}
