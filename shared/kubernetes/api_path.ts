/**
 * Paths of the Kubernetes API.
 *
 * @module
 */

/**
 * A template of a path, each value of which is one segment of it, whatever it holds.
 *
 * @throws {TypeError} for a value that no escape makes a segment, such as `..`.
 */
export function apiPath(texts: TemplateStringsArray, ...segments: string[]): string {
  const wrong = segments.find((segment) => ["", ".", ".."].includes(segment));
  if (wrong !== undefined) throw new TypeError(`"${wrong}" names nothing in the API`);
  return String.raw({ raw: texts }, ...segments.map(encodeURIComponent));
}
