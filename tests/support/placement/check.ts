import { assertEquals } from "@std/assert";
import type { Row } from "./row.ts";

/** A member that has a node: its kind, and the labels of the node. */
export interface PlacedMember {
  member: string;
  labels: Readonly<Record<string, string>>;
}

/** How many members of each kind that the row speaks of have a node. */
export function boundIn({ bound }: Row, members: readonly string[]): Record<string, number> {
  const counts = new Map(Object.keys(bound).map((name) => [name, 0]));
  for (const name of members) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** Throws where members are not in the domains that a row expects. */
export function checkPlaces(
  { within = [], spread }: Row,
  placed: readonly PlacedMember[],
): void {
  const valuesOf = (key: string, members: string[]) =>
    placed.filter(({ member }) => members.includes(member))
      .map(({ labels }) => labels[key] ?? "none");
  for (const { key, members, values } of within) {
    const found = [...new Set(valuesOf(key, members))];
    assertEquals(found.length, 1, `${members.join()} are in ${key} ${found.join()}`);
    if (values) assertEquals(values.includes(found[0]!), true, `${key} is ${found[0]}`);
  }
  if (!spread) return;
  const counts = Map.groupBy(valuesOf(spread.key, spread.members), (value) => value);
  assertEquals(
    Object.fromEntries([...counts].map(([value, all]) => [value, all.length])),
    spread.of,
  );
}
