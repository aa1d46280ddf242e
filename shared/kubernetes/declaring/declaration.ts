/**
 * What users write about a gang, and what it means.
 *
 * @module
 */
import type { MatchPolicy, Mode } from "../../core/gang/facts.ts";
import { limits } from "../../core/gang/limits.ts";
import { durationSeconds } from "./duration.ts";
import type { ResourceList } from "../types.ts";

/** A text as it enters: of one that is too long as much as shows that it is. */
export function entered(text: string, most: number): string {
  return text.slice(0, most + 1);
}

/** A value of a spec, which may be anything, as a text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** A value as it was written, and where. */
export interface Written {
  readonly text: string;
  /** For messages: `annotation gang.scheduling.koordinator.sh/mode`. */
  readonly field: string;
}

/** The fields of a gang that a pod or a PodGroup declares. */
export interface Declaration {
  readonly minMember?: Written | undefined;
  readonly totalMember?: Written | undefined;
  readonly mode?: Written | undefined;
  readonly wait?: Written | undefined;
  readonly matchPolicy?: Written | undefined;
  readonly groups?: Written | undefined;
  readonly disruption?: Written | undefined;
  readonly expectedDuration?: Written | undefined;
  readonly required?: Written | undefined;
  readonly preferred?: Written | undefined;
  readonly slice?: Written | undefined;
  /** Koordinator's layers. */
  readonly gathering?: Written | undefined;
  /** Volcano's tiers. */
  readonly tiers?: Written | undefined;
  readonly minResources?: ResourceList | undefined;
  /** Only of a PodGroup. */
  readonly queue?: string | undefined;
}

/** Only the fields that are there, so that they can be laid over others. */
export function defined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** A meaning, or what the text must be instead. */
export type Meaning<T> = { readonly value: T } | { readonly must: string };

/** A whole number of at least 1. */
export function countOf({ text }: Written): Meaning<number> {
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  return value >= 1 ? { value } : { must: "must be a whole number of at least 1" };
}

/** `Strict` or `NonStrict` (S3). */
export function modeOf({ text }: Written): Meaning<Mode> {
  return text === "Strict" || text === "NonStrict"
    ? { value: text }
    : { must: 'must be "Strict" or "NonStrict"' };
}

/** One of the three policies that Koordinator knows. */
export function matchPolicyOf({ text }: Written): Meaning<MatchPolicy> {
  return text === "once-satisfied" || text === "waiting-and-running" || text === "only-waiting"
    ? { value: text }
    : { must: 'must be "once-satisfied", "waiting-and-running" or "only-waiting"' };
}

/** Seconds of a Go duration above 0 (S3). */
export function waitOf({ text }: Written): Meaning<number> {
  const value = text.length > limits.value ? undefined : durationSeconds(text.trim());
  return value !== undefined && value > 0 && value <= limits.waitSeconds
    ? { value }
    : { must: 'must be a duration above 0, such as "600s" or "1h30m"' };
}

/** A JSON list of `namespace/name` (S3); an empty text or list is no group. */
export function groupsOf({ text }: Written): Meaning<string[]> {
  const must = 'must be a JSON list such as ["ns/gang-a", "ns/gang-b"]';
  // Too long is a problem of its own, and not worth the reading.
  if (text.length > limits.groupsText) return { must };
  if (text.trim() === "") return { value: [] };
  try {
    const list: unknown = JSON.parse(text);
    const isList = Array.isArray(list) &&
      list.every((id) => typeof id === "string" && /^[^/\s,]+\/[^/\s,]+$/.test(id));
    return isList ? { value: [...new Set(list as string[])].sort() } : { must };
  } catch {
    return { must };
  }
}
