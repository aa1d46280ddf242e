/** Copies of `actual` only what `expected` speaks of. Elements of arrays are paired by index. */
export function partOf(actual: object, expected: object): unknown {
  const part: object = Array.isArray(actual) ? [] : {};
  for (const key of Reflect.ownKeys(expected)) {
    if (!(key in actual) || (Array.isArray(actual) && key === "length")) continue;
    const value = Reflect.get(actual, key);
    const wanted = Reflect.get(expected, key);
    Reflect.set(part, key, isObject(value) && isTree(wanted) ? partOf(value, wanted) : value);
  }
  return part;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Arrays and plain objects are matched part by part, everything else as a whole. */
function isTree(value: unknown): value is object {
  return isObject(value) && (Array.isArray(value) || (value.constructor ?? Object) === Object);
}
