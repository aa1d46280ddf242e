/**
 * Labels, whose keys are what users write.
 *
 * @module
 */

/** The value of the label with this key; undefined where there is none. A key may also be the name of what every object has. */
export function labelOf(
  labels: Readonly<Record<string, string>> | undefined,
  key: string,
): string | undefined {
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
