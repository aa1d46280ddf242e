import { applyPatch, type Operation } from "rfc6902";
import { ApiError } from "./api_error.ts";
import { isRecord } from "./objects.ts";

/** The lists that a strategic merge patch merges, by the key of their items (k8s.io/api, patchMergeKey). */
const MERGE_KEYS: Record<string, string> = {
  conditions: "type",
  schedulingGates: "name",
  containers: "name",
  taints: "key",
};

/**
 * Applies a patch of the given content type and returns the new document.
 * 415 for a type that is not known, 400 for a malformed patch, 422 for a JSON patch that does not apply.
 */
export function applyPatchOf(
  contentType: string,
  options: { document: unknown; patch: unknown },
): unknown {
  const { document, patch } = options;
  switch (contentType.split(";")[0]?.trim()) {
    case "application/json-patch+json":
      return jsonPatch(document, patch);
    case "application/merge-patch+json":
      return merge(document, patch, { strategic: false });
    case "application/strategic-merge-patch+json":
      return merge(document, patch, { strategic: true });
  }
  throw new ApiError(
    415,
    `the body of the request was in an unknown format: "${contentType}"; accepted are json-patch, merge-patch and strategic-merge-patch`,
  );
}

function jsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    throw new ApiError(400, "A JSON patch must be a list of operations");
  }
  const copy = structuredClone(document);
  const failure = applyPatch(copy, patch as Operation[]).find((error) => error !== null);
  if (failure) {
    throw new ApiError(
      422,
      `the server rejected our request due to an error in our request: ${failure.message}`,
      { reason: "Invalid" },
    );
  }
  return copy;
}

/** RFC 7386, and with `strategic` the merging of lists by key and `$patch: delete`. */
function merge(target: unknown, patch: unknown, options: { strategic: boolean }): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (options.strategic && key.startsWith("$")) {
      throw new ApiError(400, `Cannot apply directive "${key}" of a strategic merge patch here`);
    }
    const mergeKey = options.strategic ? MERGE_KEYS[key] : undefined;
    if (value === null) delete result[key];
    else if (mergeKey && Array.isArray(value)) {
      result[key] = mergeList(result[key], value, mergeKey);
    } else result[key] = merge(result[key], value, options);
  }
  return result;
}

function mergeList(target: unknown, patch: unknown[], mergeKey: string): unknown[] {
  const result: unknown[] = Array.isArray(target) ? [...target] : [];
  for (const item of patch) {
    if (!isRecord(item) || item[mergeKey] === undefined) {
      throw new ApiError(
        400,
        `An item of a strategic merge patch lacks its merge key "${mergeKey}"`,
      );
    }
    const at = result.findIndex((one) => isRecord(one) && one[mergeKey] === item[mergeKey]);
    if (item.$patch === "delete") {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = merge(result[at], item, { strategic: true });
    else result.push(item);
  }
  return result;
}
