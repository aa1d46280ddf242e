/**
 * Values of JSON: of the right kind, at the edges of it, and of any other.
 *
 * @module
 */
import fc from "fast-check";

/** A value of the right kind, at its edges; or, now and then, any JSON at all. */
export function mostly<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 400, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() });
}

/** An object of these fields, each {@linkcode mostly} as it should be. */
export function fields(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<Record<string, unknown>> {
  const mixed: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, field] of Object.entries({ ...required, ...optional })) {
    mixed[name] = mostly(field);
  }
  return fc.record(mixed, { requiredKeys: Object.keys(required) });
}

/** The usual value, which leads far, or now and then one that ends early. */
export function seldom<T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

/** A number of things. */
export const count = fc.oneof(fc.nat(5), fc.constantFrom(0, 1, 2 ** 53 - 1));
/** A priority of Kubernetes. */
export const priority = fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31));
/** Any character but halves of them; fast-check's own keeps a table of all, of 117 MB. */
export const character = fc.integer({ min: 0, max: 0x10f7ff })
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));
/** Names that mean something to JavaScript, long ones, and any others. */
export const text = fc.oneof(
  fc.constantFrom("a", "default", "__proto__", "constructor", "x".repeat(253), "é\0'\"", "\ud800"),
  fc.string(),
  fc.string({ unit: character }),
);
