/**
 * What is known of a gang group, as JSON, and back.
 *
 * @module
 */
import { type Attended, attendedSince } from "../attend/attended.ts";
import { SharedMap } from "../attend/shared_map.ts";

/** JSON has neither maps, sets nor infinity; what a plan's uses ask for is no part of what is decided about a group. */
export function plain(value: unknown): unknown {
  if (value === Infinity) return { "~": "Infinity" };
  if (value instanceof SharedMap) return { "~": "SharedMap", entries: [...value].map(plain) };
  if (value instanceof Map) return { "~": "Map", entries: [...value].map(plain) };
  if (value instanceof Set) return { "~": "Set", entries: [...value].map(plain) };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== "requests");
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}

/** The other way. */
export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== "object" || value === null) return value;
  const { "~": tag, entries } = value as { "~"?: string; entries?: unknown[] };
  const items = () => fromPlain(entries) as unknown[];
  const pairs = () => items() as [string, unknown][];
  if (tag === "Infinity") return Infinity;
  if (tag === "Map") return new Map(pairs());
  if (tag === "Set") return new Set(items());
  if (tag === "SharedMap") {
    return pairs().reduce((map, [key, item]) => map.with(key, item), SharedMap.empty<unknown>());
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, fromPlain(field)]),
  );
}

/** {@linkcode plain}, of what is known of a group; what a recording is older than is as in the beginning. */
export function knownFrom(value: unknown): Attended {
  const known = fromPlain(value) as Attended;
  return { ...attendedSince(known.id, known.arrivals.first), ...known };
}
