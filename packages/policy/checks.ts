/**
 * Whether a call has what a policy may rely on.
 *
 * @module
 */

/** What a field must be; gives the path of the first one that is not. */
export type Check = (value: unknown, path: string) => string | undefined;

const aText: Check = (value, path) => typeof value === "string" ? undefined : path;
const aNumber: Check = (value, path) => Number.isFinite(value) ? undefined : path;

function optional(check: Check): Check {
  return (value, path) => value === undefined ? undefined : check(value, path);
}

function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? first(value.map((item, index) => check(item, `${path}.${index}`)))
      : path;
}

function recordOf(check: Check): Check {
  return (value, path) =>
    isObject(value)
      ? first(Object.entries(value).map(([key, item]) => check(item, `${path}.${key}`)))
      : path;
}

function object(fields: Record<string, Check>): Check {
  return (value, path) =>
    isObject(value)
      ? first(
        Object.entries(fields).map(([key, check]) =>
          check(value[key], path === "" ? key : `${path}.${key}`)
        ),
      )
      : path || "body";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
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
