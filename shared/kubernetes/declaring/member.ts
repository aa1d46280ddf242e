/**
 * What one pod says of its gang.
 *
 * @module
 */
import { Carried } from "../../core/gang/carried.ts";
import { quoted, shortened } from "../../core/words/text.ts";
import { countOf, type Declaration, type Meaning, type Written } from "./declaration.ts";
import { type Membership, membershipOf } from "./dialect.ts";
import { readAttributes } from "./declared_attributes.ts";
import { disruptionDeclaration } from "./declared_disruption.ts";
import { deadlineOf, durationDeclaration, longestWorkloadOf } from "./declared_run_time.ts";
import { topologyDeclaration } from "./declared_topology.ts";
import type { RoleMember } from "./declared_roles.ts";
import { foreignRole, ownRole, roleSayings } from "./role_texts.ts";
import type { Pod } from "../types.ts";

/** A pod's own part of its gang's declaration. */
export interface Member extends Membership {
  readonly declaration: Declaration;
  /** What it says of roles. */
  readonly roles: RoleMember;
  /** Whether the pod itself declares a quorum that can be used. */
  readonly hasQuorum: boolean;
  readonly priority: number;
  /** What it says to a policy, as one text. */
  readonly said: string;
  /** After so many seconds Kueue ends it. */
  readonly longestWorkload: number | undefined;
  /** It has succeeded or failed, or is being deleted. */
  readonly hasEnded: boolean;
  /** It has no node yet, whatever keeps it from one, and does not leave. */
  readonly waits: boolean;
  /** Milliseconds since the epoch; NaN where the API server has not said it. */
  readonly createdAt: number;
}

/** A pod that changes is another object, so that what one says stays the same; a gang is read again at each change of any. */
const members = new Carried<Pod, Member>();

/** Reads a pod that belongs to a gang. */
export function memberOf(pod: Pod): Member {
  const known = members.of(pod);
  if (known) return known;
  const membership = membershipOf(pod)!;
  const hasEnded = pod.metadata.deletionTimestamp !== undefined ||
    ["Succeeded", "Failed"].includes(pod.status?.phase ?? "");
  const declaration = {
    ...topologyDeclaration(pod.metadata),
    ...disruptionDeclaration(pod.metadata),
    ...durationDeclaration(pod.metadata),
    ...membership.dialect.declaration(pod),
  };
  const member = {
    ...membership,
    declaration,
    roles: {
      pod,
      role: ownRole(pod),
      foreignRole: foreignRole(pod),
      sayings: roleSayings(pod.metadata),
    },
    hasQuorum: valueOf(declaration.minMember, countOf) !== undefined,
    priority: pod.spec.priority ?? 0,
    said: JSON.stringify(readAttributes([pod.metadata])),
    longestWorkload: longestWorkloadOf(pod.metadata),
    hasEnded,
    waits: !hasEnded && !pod.spec.nodeName,
    createdAt: Date.parse(pod.metadata.creationTimestamp ?? ""),
  };
  return members.put(pod, member);
}

/** Whether a pod of a gang says the same of it as before. */
export function declaresSame(before: Pod, after: Pod): boolean {
  const [old, now] = [memberOf(before), memberOf(after)];
  return isAlike(old.declaration, now.declaration) && old.dialect === now.dialect &&
    old.name === now.name &&
    old.priority === now.priority && deadlineOf(before) === deadlineOf(after) &&
    old.longestWorkload === now.longestWorkload &&
    old.said === now.said && saysSame(old.roles, now.roles);
}

function saysSame(one: RoleMember, other: RoleMember): boolean {
  return one.role?.text === other.role?.text && one.foreignRole === other.foreignRole &&
    JSON.stringify(one.sayings) === JSON.stringify(other.sayings);
}

/** Whether a member says all that there is to say, beside its PodGroup. */
export function saysAll(pod: Pod): boolean {
  const { dialect, roles } = memberOf(pod);
  return !dialect.neverWhole && !roles.role && roles.sayings.length === 0;
}

/** What a text means; undefined where there is none, or where it means nothing. */
export function valueOf<T>(
  written: Written | undefined,
  read: (written: Written) => Meaning<T>,
): T | undefined {
  const meaning = written && read(written);
  return meaning && "value" in meaning ? meaning.value : undefined;
}

/** Whether two pods declare the same, word by word. */
export function isAlike(one: Declaration, other: Declaration): boolean {
  let more = 0;
  for (const name in one) {
    const [written, same] = [one[name as Field], other[name as Field]];
    if (written?.text !== same?.text || written?.field !== same?.field) return false;
    more++;
  }
  for (const _ in other) more--;
  return more === 0;
}

/** What a pod declares, for messages. */
export function declaredText(declaration: Declaration): string {
  const written = writtenIn(declaration);
  if (written.length === 0) return "nothing of its own";
  const texts = written.map(([, { field, text }]) => `${field} ${quoted(text)}`);
  return shortened(texts.join(", "), mostDeclared);
}

/** Two of them fit a sentence. */
const mostDeclared = 400;

/** Pods declare no minResources, and no queue. */
type Field = Exclude<keyof Declaration, "minResources" | "queue">;

function writtenIn(declaration: Declaration) {
  return Object.entries(declaration) as [Field, Written][];
}
