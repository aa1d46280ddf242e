/**
 * Whether a call has what a policy may rely on.
 *
 * @module
 */

/** What a field must be; says of the first one that is not where it is, what it must be and what it is. */
export type Check = (value: unknown, path: string) => string | undefined;

const aText = one("a text", (value) => typeof value === "string");
const aNumber = one("a number", Number.isFinite);

function one(kind: string, isOne: (value: unknown) => boolean): Check {
  return (value, path) => isOne(value) ? undefined : wrong(value, { path, kind });
}

function optional(check: Check): Check {
  return (value, path) => value === undefined ? undefined : check(value, path);
}

function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? first(value.map((item, index) => check(item, `${path}[${index}]`)))
      : wrong(value, { path, kind: "a list" });
}

function recordOf(check: Check): Check {
  return (value, path) =>
    isObject(value)
      ? first(Object.entries(value).map(([key, item]) => check(item, `${path}.${key}`)))
      : wrong(value, { path, kind: "an object" });
}

function object(fields: Record<string, Check>): Check {
  return (value, path) =>
    isObject(value)
      ? first(
        Object.entries(fields).map(([key, check]) =>
          check(value[key], path === "" ? key : `${path}.${key}`)
        ),
      )
      : wrong(value, { path, kind: "an object" });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function wrong(value: unknown, { path, kind }: { path: string; kind: string }): string {
  const field = path === "" ? "the body" : `field "${path}"`;
  if (value === undefined) return `${field} is missing`;
  return `${field} must be ${kind}: current value is ${valueText(value)}`;
}

/** So much is said of a caller's own words. */
const longestText = 64;

function valueText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, longestText));
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : String(value);
}

const gang = object({
  namespace: aText,
  name: aText,
  minMember: aNumber,
  createdAt: aText,
  priority: optional(aNumber),
  groups: optional(listOf(aText)),
  attributes: optional(recordOf(aText)),
});

const running = optional(listOf(object({
  namespace: aText,
  name: optional(aText),
  pods: aNumber,
  requests: recordOf(aNumber),
  attributes: optional(recordOf(aText)),
})));

const cluster = {
  at: optional(aText),
  resources: optional(listOf(object({ name: aText, allocatable: aNumber }))),
  running,
  starting: running,
};

/** What a queue must have. */
export const queueCheck: Check = object({
  units: listOf(object({
    id: aText,
    gang: optional(gang),
    priority: aNumber,
    queuedAt: aText,
    asks: optional(recordOf(aNumber)),
  })),
  ...cluster,
});

/** What the facts of a gang group must have. */
export const groupCheck: Check = object({
  gangs: listOf(object({ gang, census: recordOf(aNumber), held: listOf(object({ uid: aText })) })),
  asks: optional(recordOf(recordOf(aNumber))),
  ...cluster,
});
