/** Deep equality by the rules of `@std/assert`. */

/**
 * Tells whether two values are deeply equal: own enumerable keys and symbols, members of arrays, sets and maps, dates by time, regular
 * expressions and URLs by text. An object without prototype equals a plain one; `0` equals `-0`; a key that is absent differs
 * from one that is `undefined`.
 */
export function equal(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

type Seen = Map<object, object>;

function compare(a: unknown, b: unknown, seen: Seen): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || !sameConstructor(a, b)) return false;
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp || a instanceof URL) return String(a) === String(b);
  if (a instanceof WeakMap || a instanceof WeakSet) {
    throw new TypeError(`Cannot compare two instances of ${a.constructor.name}: compare a value`);
  }
  // A pair that is being compared further out is taken as equal, so cycles end.
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  if (a instanceof Set && b instanceof Set) return sameSet(a, b, seen);
  if (a instanceof Map && b instanceof Map) return sameMap(a, b, seen);
  if (a instanceof Error && b instanceof Error && a.message !== b.message) return false;
  return sameProperties(a, b, seen);
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

function sameConstructor(a: object, b: object): boolean {
  return (a.constructor ?? Object) === (b.constructor ?? Object);
}

function sameSet(a: Set<unknown>, b: Set<unknown>, seen: Seen): boolean {
  if (a.size !== b.size) return false;
  const rest = [...b];
  return [...a].every((value) => take(rest, (other) => compare(value, other, new Map(seen))));
}

function sameMap(a: Map<unknown, unknown>, b: Map<unknown, unknown>, seen: Seen): boolean {
  if (a.size !== b.size) return false;
  const rest = [...b];
  return [...a].every((entry) => take(rest, (other) => compare(entry, other, new Map(seen))));
}

/** Removes the first element that matches, so that no element is matched twice. */
function take<T>(from: T[], matches: (value: T) => boolean): boolean {
  const index = from.findIndex(matches);
  if (index >= 0) from.splice(index, 1);
  return index >= 0;
}

function sameProperties(
  a: Record<PropertyKey, unknown>,
  b: Record<PropertyKey, unknown>,
  seen: Seen,
): boolean {
  const keys = enumerableKeys(a);
  if (keys.length !== enumerableKeys(b).length) return false;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && compare(a[key], b[key], seen));
}

function enumerableKeys(value: object): PropertyKey[] {
  return Reflect.ownKeys(value)
    .filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}
