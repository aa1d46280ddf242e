/**
 * What a gang that runs loses to one of a higher priority, as Muster and Kubernetes write it.
 *
 * @module
 */
import type { Disruption } from "../../core/gang/facts.ts";
import { limits } from "../../core/gang/limits.ts";
import type { Declaration, Meaning, Written } from "./declaration.ts";
import { noted, own } from "./declared_topology.ts";
import type { ObjectMeta } from "../types.ts";

/** What is said of it by. */
export const disruptionKey = `${own}disruption`;

/** What an annotation, or a label, of a pod or a PodGroup says. */
export function disruptionDeclaration(metadata: ObjectMeta): Pick<Declaration, "disruption"> {
  const disruption = noted(metadata, disruptionKey, limits.value);
  return disruption ? { disruption } : {};
}

/** `gang` or `member`. */
export function disruptionOf({ text }: Written): Meaning<Disruption> {
  const value = text.trim();
  return value === "gang" || value === "member"
    ? { value }
    : { must: 'must be "gang" or "member"' };
}

/** `Pod` and `PodGroup` of Kubernetes 1.36, `single` and `all` of later versions. */
export function nativeDisruption(mode: unknown): Written | undefined {
  if (mode === undefined || mode === null) return undefined;
  const name = typeof mode === "string" ? mode : Object.keys(mode as object)[0];
  const text = { Pod: "member", single: "member", PodGroup: "gang", all: "gang" }[name ?? ""];
  return { text: text ?? String(name), field: "spec.disruptionMode" };
}
