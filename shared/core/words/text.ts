/**
 * Texts of users in sentences: short, whatever they wrote.
 *
 * @module
 */

/** In UTF-16 units: a value in quotes, the name of a gang, pod or resource, and names in a row. */
const lengths = { value: 64, name: 128, list: 200 };

/** A text, or its beginning where it is longer than so many units. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** A value that somebody wrote, in quotes. */
export function quoted(text: string): string {
  return `"${shortened(text, lengths.value)}"`;
}

/** The name of a gang, a pod or a resource. */
export function named(name: string): string {
  return shortened(name, lengths.name);
}

/** `a, b and 98 more`: as many names as are read at a glance. */
export function listed(names: readonly string[]): string {
  let length = 0;
  const shown = names.map(named).filter((name, index) => {
    length += name.length + 2;
    return index === 0 || length <= lengths.list;
  });
  const left = names.length - shown.length;
  return left > 0 ? `${shown.join(", ")} and ${left} more` : shown.join(", ");
}

/** `1 member`, `2 members`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** A label without its prefix: `rack` for `topology.example.com/rack`. */
export function labelText(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
