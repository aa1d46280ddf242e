import { ApiError } from "./api_error.ts";
import { isRecord, type KubeObject } from "./objects.ts";

/** Decides whether an object belongs to a list or watch. */
export type Selector = (object: KubeObject) => boolean;

/** The fields a field selector may name, by plural, as kube-apiserver has them. */
const FIELDS: Record<string, string[]> = {
  pods: ["spec.nodeName", "spec.schedulerName", "spec.restartPolicy", "status.phase"],
  nodes: ["spec.unschedulable"],
  namespaces: ["status.phase"],
  events: ["involvedObject.kind", "involvedObject.name", "involvedObject.namespace"]
    .concat(["involvedObject.uid", "reason", "type"]),
};

/** Builds the selector of a list or watch from its query; 400 for what it cannot read. */
export function selectorOf(query: URLSearchParams, plural: string): Selector {
  const tests = [
    ...labelTests(query.get("labelSelector") ?? ""),
    ...fieldTests(query.get("fieldSelector") ?? "", plural),
  ];
  return (object) => tests.every((test) => test(object));
}

function labelTests(text: string): Selector[] {
  // Commas inside parentheses belong to a set, not between requirements.
  return text.split(/,(?![^(]*\))/).map((part) => part.trim()).filter(Boolean).map((part) => {
    const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(part);
    if (set !== null) {
      const [, key = "", operator, list = ""] = set;
      const values = list.split(",").map((value) => value.trim());
      return (object) => {
        const value = object.metadata.labels?.[key];
        return (value !== undefined && values.includes(value)) === (operator === "in");
      };
    }
    const equality = /^([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)$/.exec(part);
    if (equality !== null) {
      const [, key = "", operator, value] = equality;
      return (object) => (object.metadata.labels?.[key] === value) === (operator !== "!=");
    }
    const existence = /^(!?)([^=!\s]+)$/.exec(part);
    if (existence !== null) {
      const [, not, key = ""] = existence;
      return (object) => (object.metadata.labels?.[key] !== undefined) === (not === "");
    }
    throw new ApiError(400, `Unable to parse requirement of labelSelector: "${part}"`);
  });
}

function fieldTests(text: string, plural: string): Selector[] {
  return text.split(",").filter(Boolean).map((part) => {
    const [, field = "", operator, value] = /^([^=!]+)(==|=|!=)(.*)$/.exec(part) ?? [];
    if (!["metadata.name", "metadata.namespace", ...FIELDS[plural] ?? []].includes(field)) {
      throw new ApiError(400, `field label not supported: "${part}"`);
    }
    return (object) => (fieldText(object, field) === value) === (operator !== "!=");
  });
}

function fieldText(object: KubeObject, field: string): string {
  let value: unknown = object;
  for (const key of field.split(".")) value = isRecord(value) ? value[key] : undefined;
  return String(value ?? (field === "spec.unschedulable" ? false : ""));
}
