/**
 * Reads a gang's spec from its members and its PodGroup: lenient where the seeds are, never guessing a quorum.
 *
 * @module
 */
import type { GangSpec, Problem } from "../../core/gang/facts.ts";
import { isGangName, limits } from "../../core/gang/limits.ts";
import { quoted, shortened } from "../../core/words/text.ts";
import {
  countOf,
  type Declaration,
  defined,
  groupsOf,
  matchPolicyOf,
  modeOf,
  waitOf,
} from "./declaration.ts";
import type { Dialect } from "./dialect.ts";
import { declaredText, isAlike, memberOf, valueOf } from "./member.ts";
import { type PodGroup, type PodGroupKind } from "./pod_group.ts";
import { sizeProblem } from "./size_problem.ts";
import type { Pod } from "../types.ts";

/** Something about one member's declaration that its user should know. */
export interface Warning {
  readonly pod: Pod;
  readonly message: string;
}

/** A gang as it is declared. */
export interface ReadGang {
  readonly spec: GangSpec;
  /** Why the declaration is not usable; the spec's minMember is then the number of members. */
  readonly problem?: Problem | undefined;
  readonly warnings: readonly Warning[];
  /** The PodGroup that declares it, where there is one. */
  readonly podGroup?: PodGroup | undefined;
  /** The kind of PodGroup that its members point to. */
  readonly podGroupKind?: PodGroupKind | undefined;
}

/** Finds the PodGroup of a kind by namespace and name. */
export type PodGroupLookup = (
  kind: PodGroupKind,
  namespace: string,
  name: string,
) => PodGroup | undefined;

/**
 * The spec of a gang. Pods win over the PodGroup (S3); among pods the oldest one with a valid quorum, or the oldest one
 * where the PodGroup has the quorum. Members must not be empty.
 */
export function readGang(
  members: readonly Pod[],
  findPodGroup: PodGroupLookup = () => undefined,
): ReadGang {
  const oldestFirst = members.toSorted(byAge);
  const oldest = oldestFirst[0]!;
  const { namespace, name, dialect } = memberOf(oldest);
  const kind = dialect.podGroup;
  const podGroup = kind && findPodGroup(kind, namespace, name);
  const ruling = oldestFirst.find((pod) => memberOf(pod).hasQuorum) ?? oldest;
  const own = memberOf(ruling).declaration;
  const declaration = { ...(podGroup && kind.declaration(podGroup)), ...defined(own) };
  const gang = { id: `${namespace}/${name}`, name, oldest, dialect, podGroup };
  const minMember = valueOf(declaration.minMember, countOf);
  const priorities = members.map(priorityOf);
  const groups = groupOf(declaration, gang.id);
  const badName = nameProblem(gang);
  const badSize = badName ?? sizeProblem(declaration, { id: gang.id, names: groups });
  const problem = badSize ?? podGroupProblem(gang, minMember) ??
    quorumProblem(gang, declaration) ??
    priorityProblem(gang, oldestFirst);
  const created = podGroup?.metadata.creationTimestamp ?? oldest.metadata.creationTimestamp;
  return {
    spec: {
      namespace,
      name,
      ...(podGroup && { uid: podGroup.metadata.uid }),
      minMember: minMember ?? members.length,
      ...optionalFields(declaration, minMember),
      // What can not be used is not told either.
      ...(!badSize && defined({ groups, minResources: declaration.minResources })),
      priority: Math.max(...priorities),
      createdAt: created ?? new Date(0).toISOString(),
    },
    ...(problem && { problem }),
    warnings: [
      ...[...malformed(declaration), ...tooFew(declaration, minMember ?? 0)]
        .map((message) => ({ pod: ruling, message })),
      ...(minMember === undefined ? [] : disagreeing(oldestFirst, ruling)),
    ],
    ...(podGroup && { podGroup }),
    ...(kind && { podGroupKind: kind }),
  };
}

/** What everything but the quorum means; a malformed value takes its default. */
function optionalFields(
  declaration: Declaration,
  minMember: number | undefined,
): Partial<GangSpec> {
  const total = valueOf(declaration.totalMember, countOf);
  return defined({
    totalMember: total && Math.max(total, minMember ?? 0),
    mode: valueOf(declaration.mode, modeOf),
    waitSeconds: valueOf(declaration.wait, waitOf),
    matchPolicy: valueOf(declaration.matchPolicy, matchPolicyOf),
  });
}

/** The whole gang group, where one is declared. */
function groupOf(declaration: Declaration, id: string): string[] | undefined {
  const groups = valueOf(declaration.groups, groupsOf) ?? [];
  return groups.length > 0 ? [...new Set([...groups, id])].sort() : undefined;
}

interface GangInQuestion {
  readonly id: string;
  readonly name: string;
  readonly oldest: Pod;
  readonly dialect: Dialect;
  readonly podGroup: PodGroup | undefined;
}

const rfc1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** S3: the name of a gang is an RFC 1123 name; where labels name it, any label value will do. */
function nameProblem({ id, name, oldest, dialect }: GangInQuestion): Problem | undefined {
  const isStrict = dialect.name === "koordinator";
  if (isGangName(name) && (!isStrict || rfc1123.test(name))) return undefined;
  const letters = isStrict
    ? "lower-case letters, digits, dashes and dots"
    : "letters, digits, dashes, underscores and dots";
  const must = name.length > limits.gangName
    ? `${limits.gangName} letters at most`
    : `${letters} only, a letter or digit at both ends`;
  return {
    reason: "InvalidName",
    message: `gang ${id} of pod ${oldest.metadata.name} has a name that can not be ` +
      `used: write it with ${must}`,
  };
}

/** S3, S4: pods whose PodGroup does not exist yet are collected and not scheduled. */
function podGroupProblem(
  { id, name, dialect, podGroup }: GangInQuestion,
  minMember: number | undefined,
): Problem | undefined {
  if (!dialect.podGroup || podGroup || minMember !== undefined) return undefined;
  const awaited = `${dialect.podGroup.group} PodGroup named "${name}"`;
  const help = dialect.unreadGroup
    ? `Muster reads the ${awaited}, but none of ${dialect.unreadGroup}, so where Volcano is meant ` +
      "declare the gang by labels"
    : `create a ${awaited}`;
  return { reason: "PodGroupNotFound", message: `gang ${id} waits for its PodGroup: ${help}` };
}

function quorumProblem(
  { id, oldest, dialect, podGroup }: GangInQuestion,
  declaration: Declaration,
): Problem | undefined {
  if (valueOf(declaration.minMember, countOf) !== undefined) return undefined;
  const written = declaration.minMember;
  const owner = podGroup ? `PodGroup ${podGroup.metadata.name}` : `pod ${oldest.metadata.name}`;
  return {
    reason: "InvalidMinMember",
    message:
      `gang ${id} has no usable quorum: ${written?.field ?? dialect.quorumField} of ${owner} ` +
      `${
        written ? `is ${quoted(written.text)}` : "is missing"
      }, but must be a whole number of at least 1`,
  };
}

/** S1: members of one gang have the same priority. */
function priorityProblem({ id }: GangInQuestion, members: readonly Pod[]): Problem | undefined {
  const first = members[0]!;
  const other = members.find((pod) => priorityOf(pod) !== priorityOf(first));
  if (!other) return undefined;
  return {
    reason: "PriorityConflict",
    message:
      `gang ${id} has members of different priorities: pod ${first.metadata.name} has ${
        priorityOf(first)
      }, ` +
      `pod ${other.metadata.name} has ${priorityOf(other)}; give all of them the same`,
  };
}

/** A total below minMember is minMember (S3). */
function tooFew({ totalMember }: Declaration, minMember: number): string[] {
  const total = valueOf(totalMember, countOf);
  return total === undefined || total >= minMember ? [] : [
    `${totalMember!.field} is ${
      quoted(totalMember!.text)
    }, but minMember is ${minMember}: minMember is used`,
  ];
}

function malformed(declaration: Declaration): string[] {
  const { totalMember, mode, wait, matchPolicy, groups } = declaration;
  const texts = [
    [totalMember, countOf],
    [mode, modeOf],
    [wait, waitOf],
    [matchPolicy, matchPolicyOf],
    [groups, groupsOf],
  ] as const;
  return texts.flatMap(([written, read]) => {
    const meaning = written && read(written);
    if (!meaning || "value" in meaning) return [];
    // Then it is a problem.
    if (written.text.length > limits.groupsText) return [];
    return [
      `${written.field} is ${quoted(written.text)}, but ${meaning.must}: its default is used`,
    ];
  });
}

function disagreeing(members: readonly Pod[], ruling: Pod): Warning[] {
  const rules = memberOf(ruling).declaration;
  const others = members.filter((pod) => !isAlike(memberOf(pod).declaration, rules));
  return others.map((pod) => ({
    pod,
    message: shortened(
      `pod ${pod.metadata.name} declares its gang by ${
        declaredText(memberOf(pod).declaration)
      }, but pod ` +
        `${ruling.metadata.name}, the oldest one that can, rules with ${declaredText(rules)}`,
      limits.sentence,
    ),
  }));
}

function priorityOf(pod: Pod): number {
  return memberOf(pod).priority;
}

function byAge(a: Pod, b: Pod): number {
  return memberOf(a).createdAt - memberOf(b).createdAt ||
    (a.metadata.name < b.metadata.name ? -1 : 1);
}
