/**
 * What one pod says of its gang.
 *
 * @module
 */
import { countOf, type Declaration, type Meaning, type Written } from "./declaration.ts";
import { type Membership, membershipOf } from "./dialect.ts";
import type { Pod } from "./types.ts";

/** A pod's own part of its gang's declaration. */
export interface Member extends Membership {
  readonly declaration: Declaration;
  /** Whether the pod itself declares a quorum that can be used. */
  readonly hasQuorum: boolean;
  /** All that it declares, for comparing and for messages. */
  readonly text: string;
  readonly priority: number;
  /** Milliseconds since the epoch; NaN where the API server has not said it. */
  readonly createdAt: number;
}

/** A pod that changes is another object, so that what one says stays the same; a gang is read again at each change of any. */
const members = new WeakMap<Pod, Member>();

/** Reads a pod that belongs to a gang. */
export function memberOf(pod: Pod): Member {
  const known = members.get(pod);
  if (known) return known;
  const membership = membershipOf(pod)!;
  const declaration = membership.dialect.declaration(pod);
  const member = {
    ...membership,
    declaration,
    hasQuorum: valueOf(declaration.minMember, countOf) !== undefined,
    text: textOf(declaration),
    priority: pod.spec.priority ?? 0,
    createdAt: Date.parse(pod.metadata.creationTimestamp ?? ""),
  };
  members.set(pod, member);
  return member;
}

/** Whether a pod of a gang says the same of it as before. */
export function declaresSame(before: Pod, after: Pod): boolean {
  const [old, now] = [memberOf(before), memberOf(after)];
  return old.text === now.text && old.dialect === now.dialect && old.name === now.name &&
    old.priority === now.priority;
}

/** What a text means; undefined where there is none, or where it means nothing. */
export function valueOf<T>(
  written: Written | undefined,
  read: (written: Written) => Meaning<T>,
): T | undefined {
  const meaning = written && read(written);
  return meaning && "value" in meaning ? meaning.value : undefined;
}

function textOf(declaration: Declaration): string {
  const written = Object.values(declaration) as Written[];
  return written.length === 0
    ? "nothing of its own"
    : written.map(({ field, text }) => `${field} "${text}"`).join(", ");
}
