/**
 * The roles of a gang, from what its members and its PodGroup say of them.
 *
 * @module
 */
import { isRoleName, limits } from "../../core/gang/limits.ts";
import type { Role, Topology } from "../../core/gang/topology.ts";
import { namesWithin } from "../../core/gang/roles.ts";
import { quoted } from "../../core/words/text.ts";
import { defined, type Meaning, type Written } from "./declaration.ts";
import { preferredOf, requiredOf, sliceOf, wrongText } from "./declared_topology.ts";
import { minOf, type RoleField, type RoleSaying } from "./role_texts.ts";
import type { Pod } from "../types.ts";

/** A pod, and what it says of roles. */
export interface RoleMember {
  readonly pod: Pod;
  readonly role: Written | undefined;
  readonly foreignRole: string | undefined;
  readonly sayings: readonly RoleSaying[];
}

/** A role that a PodGroup's spec declares. */
export interface PodGroupRole {
  readonly name: string;
  /** What its members call it. */
  readonly calls: string;
  readonly sayings: readonly RoleSaying[];
}

/** Everything that is said of a gang's roles. */
export interface SaidRoles {
  /** The oldest first: what it says rules. */
  readonly members: readonly RoleMember[];
  /** Of the PodGroup's annotations. */
  readonly noted: readonly RoleSaying[];
  readonly podGroup: readonly PodGroupRole[];
}

/** The roles of a gang. */
export interface ReadRoles {
  readonly roles: readonly Role[];
  /** The path of a member's role; undefined: it has none. */
  readonly roleOf: (pod: Pod) => string | undefined;
  /** What can not be used, in words; the gang waits. */
  readonly unusable: string | undefined;
  readonly warnings: readonly { readonly pod: Pod; readonly message: string }[];
}

type Values = { -readonly [field in RoleField]?: unknown };

const readers: Readonly<Record<RoleField, (written: Written) => Meaning<unknown>>> = {
  min: minOf,
  required: requiredOf,
  preferred: preferredOf,
  slice: sliceOf,
};

const none: ReadRoles = {
  roles: [],
  roleOf: () => undefined,
  unusable: undefined,
  warnings: [],
};

/** Reads the roles of a gang. */
export function readRoles({ members, noted, podGroup }: SaidRoles): ReadRoles {
  const isSaid = members.some(({ role, sayings }) => role || sayings.length > 0);
  if (!isSaid && noted.length === 0 && podGroup.length === 0) return none;
  const called = new Map(podGroup.map(({ calls, name }) => [calls, name]));
  const roleOf = ({ role, foreignRole }: RoleMember) =>
    role?.text ?? (foreignRole === undefined ? undefined : called.get(foreignRole));
  const found = new Found();
  for (const member of members) {
    const name = roleOf(member);
    if (name !== undefined) found.name(name, member.role?.field ?? "its role");
    for (const saying of member.sayings) found.take(saying, { pod: member.pod, role: name });
  }
  for (const saying of noted) found.take(saying, {});
  for (const { name, sayings } of podGroup) {
    found.name(name, "a role of its PodGroup");
    for (const saying of sayings) found.take(saying, { role: name });
  }
  const byUid = new Map(members.flatMap((member) => {
    const role = roleOf(member);
    return role === undefined ? [] : [[member.pod.metadata.uid, role] as const];
  }));
  const within = found.within();
  const misplaced = members.find((member) => within.has(roleOf(member)!));
  if (misplaced) found.refuseInner(misplaced.pod, roleOf(misplaced)!);
  return {
    roles: found.roles(),
    roleOf: (pod) => byUid.get(pod.metadata.uid),
    unusable: found.unusable,
    warnings: found.warnings,
  };
}

/** What has been found of roles; of two sayings about the same the first one that can be used rules. */
class Found {
  readonly #values = new Map<string, Values>();
  readonly #texts = new Map<string, string>();
  readonly warnings: { pod: Pod; message: string }[] = [];
  unusable: string | undefined;

  name(name: string, where: string): void {
    if (this.#values.has(name)) return;
    if (!isRoleName(name)) {
      this.unusable ??=
        `${where} is ${
          quoted(name)
        }, but must be a name, or at most ${limits.roleLevels} names joined by slashes, of letters, ` +
        "digits, dashes, underscores and dots";
    } else if (this.#values.size >= limits.roles) {
      this.unusable ??= `it has more than ${limits.roles} roles`;
    } else this.#values.set(name, {});
  }

  take(
    { role: named, field, written }: RoleSaying,
    { pod, role = named }: { pod?: Pod; role?: string | undefined },
  ): void {
    const name = named ?? role;
    if (name === undefined) {
      const says = `${written.field} is ${quoted(written.text)}, but names no role`;
      if (pod) {
        this.warnings.push({ pod, message: `${says}, and pod ${pod.metadata.name} has none` });
      } else this.unusable ??= `${says}: write it as ${quoted(`workers=${written.text}`)}`;
      return;
    }
    this.name(name, written.field);
    const values = this.#values.get(name);
    const key = `${field} ${name}`;
    if (!values || this.#texts.get(key) === written.text) return;
    const rules = this.#texts.get(key);
    if (rules !== undefined) {
      if (pod) this.warnings.push({ pod, message: disagreement(written, { pod, name, rules }) });
      return;
    }
    this.#texts.set(key, written.text);
    const meaning = readers[field](written);
    if ("value" in meaning) values[field] = meaning.value;
    else if (field !== "preferred") this.unusable ??= wrongText(written, meaning.must);
    else if (pod) {
      this.warnings.push({ pod, message: `${wrongText(written, meaning.must)}: it is not used` });
    }
  }

  /** Members count for a role that has no roles within it. */
  refuseInner(pod: Pod, name: string): void {
    const is = `pod ${pod.metadata.name} is of role ${quoted(name)}`;
    this.unusable ??= `${is}, which has roles within it, but must be of one of these`;
  }

  /** The roles that are within others, by these. */
  within(): ReadonlyMap<string, readonly string[]> {
    return namesWithin([...this.#values.keys()]);
  }

  roles(): Role[] {
    const within = this.within();
    return [...this.#values].map(([name, { min, ...topology }]) => ({
      name,
      // Absent: all of the roles within it, and none of its members.
      min: min as number | undefined ?? within.get(name)?.length ?? 0,
      ...(Object.keys(topology).length > 0 && { topology: defined(topology) as Topology }),
    })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function disagreement(
  { field, text }: Written,
  { pod, name, rules }: { pod: Pod; name: string; rules: string },
): string {
  const says = `pod ${pod.metadata.name} says of role ${quoted(name)} ${field} ${quoted(text)}`;
  return `${says}, but an older pod rules with ${quoted(rules)}`;
}
