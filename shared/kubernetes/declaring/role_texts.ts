/**
 * What pods and PodGroups say of roles, text by text.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import type { Meaning, Written } from "./declaration.ts";
import { noted, own } from "./declared_topology.ts";
import type { ObjectMeta, Pod } from "../types.ts";

/** What can be said of a role. */
const roleFields = ["min", "required", "preferred", "slice"] as const;

/** One of {@linkcode roleFields}. */
export type RoleField = typeof roleFields[number];

/** What is said of a role by. */
export const roleKeys: Readonly<Record<RoleField, string>> = {
  min: `${own}role-min`,
  required: `${own}role-required-topology`,
  preferred: `${own}role-preferred-topology`,
  slice: `${own}role-topology-slice`,
};

/** What a pod names its role by. */
export const roleKey = `${own}role`;

/** Something that is said of a role. */
export interface RoleSaying {
  /** Its path; undefined: the role of the pod that says it. */
  readonly role: string | undefined;
  readonly field: RoleField;
  readonly written: Written;
}

/** What annotations, or labels where their values allow it, say of roles; of a list one saying for each role. */
export function roleSayings(metadata: ObjectMeta): readonly RoleSaying[] {
  return roleFields.flatMap((field) => {
    const written = noted(metadata, roleKeys[field], limits.rolesText);
    return written ? byRole(field, written) : [];
  });
}

/** `2`, or `decode=1,decode/leaders=2`; a slice has an equals sign of its own, and a list of preferred levels commas. */
function byRole(field: RoleField, { text, field: where }: Written): RoleSaying[] {
  const sayings: { role: string | undefined; text: string }[] = [];
  for (const part of text.split(",")) {
    const cut = part.indexOf("=");
    const names = cut >= 0 && (field !== "slice" || part.includes("=", cut + 1));
    if (names) sayings.push({ role: part.slice(0, cut).trim(), text: part.slice(cut + 1).trim() });
    else if (sayings.length > 0 && field === "preferred") sayings.at(-1)!.text += `,${part.trim()}`;
    else sayings.push({ role: undefined, text: part.trim() });
  }
  return sayings.map(({ role, text }) => ({ role, field, written: { text, field: where } }));
}

/** The role of a pod in Muster's words. */
export function ownRole({ metadata }: Pod): Written | undefined {
  return noted(metadata, roleKey, limits.roleName);
}

/** What the pod is in the words of others, which counts where its PodGroup has a role that is called so. */
export function foreignRole({ metadata }: Pod): string | undefined {
  return metadata.annotations?.["volcano.sh/task-spec"] ??
    metadata.labels?.["kai.scheduler/subgroup-name"];
}

/** A whole number; 0: the role is optional. */
export function minOf({ text }: Written): Meaning<number> {
  return /^\d{1,9}$/.test(text)
    ? { value: Number(text) }
    : { must: "must be a whole number of at least 0" };
}
