import { InvalidArgumentError } from "commander";

/** A parser for names of `known`, separated by commas. */
export function namesOf(known: Record<string, unknown>): (text: string) => string[] {
  return (text) => {
    const names = text.split(",");
    const unknown = names.find((name) => !Object.hasOwn(known, name));
    if (unknown === undefined) return names;
    throw new InvalidArgumentError(
      `"${unknown}" is none of ${Object.keys(known).map((name) => `"${name}"`).join(", ")}`,
    );
  };
}

/** The help of an option that takes these names. */
export function described(known: Record<string, { description: string }>): string {
  return Object.entries(known).map(([name, { description }]) => `\n  ${name}: ${description}`)
    .join("");
}

/** A whole number above 0. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError(`"${text}" is not a whole number above 0`);
}
