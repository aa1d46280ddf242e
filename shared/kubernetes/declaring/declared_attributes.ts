/**
 * What a gang says to a policy of the cluster's own: `policy.muster.scheduling/<key>`.
 *
 * @module
 */
import type { Attributes } from "../../core/gang/facts.ts";
import { limits } from "../../core/gang/limits.ts";
import { quoted } from "../../core/words/text.ts";
import type { ObjectMeta } from "../types.ts";

/** Prefix of the annotations and labels. */
const policyPrefix = "policy.muster.scheduling/";

/** What can be told of it, and what is wrong with the rest. */
export interface ReadAttributes {
  readonly attributes: Attributes | undefined;
  readonly ignored: readonly string[];
}

/** Attributes of a gang: of its objects the last one that says something rules, and annotations rule over labels. */
export function readAttributes(objects: readonly ObjectMeta[]): ReadAttributes {
  const found = new Map<string, string>();
  for (const { labels, annotations } of objects) {
    for (const texts of [labels, annotations]) {
      for (const key in texts) {
        if (key.startsWith(policyPrefix)) found.set(key.slice(policyPrefix.length), texts[key]!);
      }
    }
  }
  if (found.size === 0) return { attributes: undefined, ignored: [] };
  const attributes: Record<string, string> = {};
  const ignored: string[] = [];
  for (const [key, value] of [...found].sort()) {
    if (value.length > limits.attributeValue) {
      ignored.push(`${field(key)} is longer than ${limits.attributeValue} letters`);
    } else if (Object.keys(attributes).length === limits.attributes) {
      ignored.push(`${field(key)} is one more than the ${limits.attributes} that are told`);
    } else attributes[key] = value;
  }
  return { attributes, ignored };
}

function field(key: string): string {
  return `annotation ${quoted(policyPrefix + key)}`;
}
