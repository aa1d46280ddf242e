/**
 * What Kubernetes lets objects be called.
 *
 * @module
 */
import { limits, namespacePattern } from "../core/gang/limits.ts";

/** Whether a namespace could have this name: an RFC 1123 label. */
export function isNamespaceName(text: unknown): text is string {
  return typeof text === "string" && text.length <= limits.namespace && namespacePattern.test(text);
}

/** Whether a pod or a node could have this name: an RFC 1123 subdomain. */
export function isObjectName(text: unknown): text is string {
  return typeof text === "string" && text.length <= limits.objectName &&
    text.split(".").every((label) => namespacePattern.test(label));
}
