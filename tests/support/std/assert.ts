/**
 * Stands in for `@std/assert` 1.x where JSR cannot be reached: the genuine names and signatures over `node:assert`. To use the
 * genuine one, point `@std/assert` in import_map.json at `jsr:@std/assert@1`.
 *
 * @module
 */
import nodeAssert from "node:assert";
import { inspect } from "node:util";
import { equal } from "./equal.ts";
import { partOf } from "./part_of.ts";

export { equal };

/** What every failed assertion throws. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

// deno-lint-ignore no-explicit-any -- the signature of std: any class will do, whatever it is made from
type AnyClass<T> = abstract new (...args: any[]) => T;

/** Fails unless the value is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Fails unless the value is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

/** The values that {@linkcode assertFalse} lets through. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

/** Fails unless the two are deeply equal, and shows where they differ. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) {
    throw new AssertionError(withNote(difference(actual, expected), msg));
  }
}

/** Fails if the two are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) {
    throw new AssertionError(withNote(`Expected values to differ: both are ${show(actual)}`, msg));
  }
}

/** Fails unless the two are the same value (`Object.is`). */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const text = equal(actual, expected)
    ? `Values are equal in structure, but not the same: ${show(actual)}`
    : difference(actual, expected);
  throw new AssertionError(withNote(text, msg));
}

/** Fails if the two are the same value (`Object.is`). */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (Object.is(actual, expected)) {
    throw new AssertionError(
      withNote(`Expected "actual" not to be the same as ${show(expected)}`, msg),
    );
  }
}

/** Fails if the value is `null` or `undefined`. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    throw new AssertionError(
      withNote(`Expected a value that is not null or undefined: it is ${actual}`, msg),
    );
  }
}

/** Fails unless the value is an instance of the class. */
export function assertInstanceOf<T extends AnyClass<unknown>>(
  actual: unknown,
  expectedType: T,
  msg = "",
): asserts actual is InstanceType<T> {
  if (!(actual instanceof expectedType)) {
    const text = `Expected an instance of ${expectedType.name}: it is ${show(actual)}`;
    throw new AssertionError(withNote(text, msg));
  }
}

/** Fails unless the text matches. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) {
    throw new AssertionError(withNote(`Expected ${show(actual)} to match ${expected}`, msg));
  }
}

/** Fails if the text matches. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) {
    throw new AssertionError(withNote(`Expected ${show(actual)} not to match ${expected}`, msg));
  }
}

/** Fails unless the text contains the other. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) {
    throw new AssertionError(
      withNote(`Expected ${show(actual)} to contain ${show(expected)}`, msg),
    );
  }
}

/** Anything with a length and indices, except text. */
export type ArrayLikeArg<T> = ArrayLike<T> & object;

/** Fails unless every element of `expected` is somewhere in `actual`, compared deeply. */
export function assertArrayIncludes<T>(
  actual: ArrayLikeArg<T>,
  expected: ArrayLikeArg<T>,
  msg?: string,
): void {
  const present = Array.from(actual);
  const missing = Array.from(expected)
    .filter((value) => !present.some((other) => equal(value, other)));
  if (missing.length > 0) {
    throw new AssertionError(
      withNote(
        `Expected ${show(actual)} to include ${show(expected)}: ${show(missing)} is missing`,
        msg,
      ),
    );
  }
}

/** Fails unless `actual` has every key of `expected`, at every depth, with an equal value. */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any -- the signature of std: interfaces without an index signature pass
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  const part = partOf(actual, expected);
  if (!equal(part, expected)) throw new AssertionError(withNote(difference(part, expected), msg));
}

/** Fails unless `actual` > `expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) failRelation(actual, expected, { relation: ">", msg });
}

/** Fails unless `actual` >= `expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) failRelation(actual, expected, { relation: ">=", msg });
}

/** Fails unless `actual` < `expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) failRelation(actual, expected, { relation: "<", msg });
}

/** Fails unless `actual` <= `expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) failRelation(actual, expected, { relation: "<=", msg });
}

/** Fails unless the function throws; returns what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** Fails unless the function throws an instance of the class whose message contains the text; returns the error. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: AnyClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  errorClassOrMsg?: AnyClass<Error> | string,
  msgIncludes?: string,
  msg?: string,
): unknown {
  try {
    fn();
  } catch (error) {
    return checkThrown(error, { errorClassOrMsg, msgIncludes, msg });
  }
  throw new AssertionError(
    withNote("Expected function to throw", noteOf(errorClassOrMsg, msg)),
  );
}

/** Fails unless the promise that the function returns is rejected; resolves to what it was rejected with. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** Fails unless the promise is rejected with an instance of the class whose message contains the text; resolves to the error. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: AnyClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  errorClassOrMsg?: AnyClass<Error> | string,
  msgIncludes?: string,
  msg?: string,
): Promise<unknown> {
  const note = noteOf(errorClassOrMsg, msg);
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch (error) {
    throw new AssertionError(withNote("Function throws when expected to reject", note), {
      cause: error,
    });
  }
  try {
    await promise;
  } catch (error) {
    return checkThrown(error, { errorClassOrMsg, msgIncludes, msg });
  }
  throw new AssertionError(withNote("Expected function to reject", note));
}

/** Fails always. */
export function fail(msg?: string): never {
  throw new AssertionError(withNote("Failed assertion", msg));
}

/** Fails when a place that cannot be reached is reached. */
export function unreachable(reason?: string): never {
  throw new AssertionError(withNote("Unreachable", reason));
}

interface ThrownExpectation {
  errorClassOrMsg: AnyClass<Error> | string | undefined;
  msgIncludes: string | undefined;
  msg: string | undefined;
}

function checkThrown(thrown: unknown, expected: ThrownExpectation): unknown {
  const { errorClassOrMsg, msgIncludes, msg } = expected;
  if (typeof errorClassOrMsg !== "function") return thrown;
  if (!(thrown instanceof errorClassOrMsg)) {
    const text = `Expected error to be an instance of ${errorClassOrMsg.name}: it is ${
      show(thrown)
    }`;
    throw new AssertionError(withNote(text, msg), { cause: thrown });
  }
  if (msgIncludes && !thrown.message.includes(msgIncludes)) {
    const text = `Expected error message to contain ${show(msgIncludes)}: it is ${
      show(thrown.message)
    }`;
    throw new AssertionError(withNote(text, msg), { cause: thrown });
  }
  return thrown;
}

function noteOf(errorClassOrMsg: unknown, msg: string | undefined): string | undefined {
  return typeof errorClassOrMsg === "string" ? errorClassOrMsg : msg;
}

function failRelation(
  actual: unknown,
  expected: unknown,
  options: { relation: string; msg: string | undefined },
): never {
  const text = `Expected ${show(actual)} ${options.relation} ${show(expected)}`;
  throw new AssertionError(withNote(text, options.msg));
}

function difference(actual: unknown, expected: unknown): string {
  return new nodeAssert.AssertionError({ actual, expected, operator: "deepStrictEqual" }).message
    .trimEnd();
}

function show(value: unknown): string {
  return inspect(value, { depth: 6, sorted: true, breakLength: 100 });
}

function withNote(text: string, note: string | undefined): string {
  return note ? `${text}: ${note}` : text;
}
