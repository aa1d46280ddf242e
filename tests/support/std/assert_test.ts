import {
  assert,
  assertArrayIncludes,
  assertEquals,
  assertExists,
  assertFalse,
  assertGreater,
  assertGreaterOrEqual,
  assertInstanceOf,
  AssertionError,
  assertLess,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertNotStrictEquals,
  assertObjectMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  fail,
  unreachable,
} from "@std/assert";
import nodeAssert from "node:assert/strict";

// The judge here is node:assert, so that an assertion is never tested by itself.

const one = { a: 1 };

/** Each assertion with one call that holds and one that does not. */
const assertions: [name: string, holds: () => void, fails: () => void][] = [
  ["assert", () => assert(1), () => assert(0)],
  ["assertFalse", () => assertFalse(""), () => assertFalse("x")],
  ["assertEquals", () => assertEquals({ a: [1] }, { a: [1] }), () => assertEquals([1], [2])],
  ["assertNotEquals", () => assertNotEquals([1], [2]), () => assertNotEquals([1], [1])],
  [
    "assertStrictEquals",
    () => assertStrictEquals(one, one),
    () => assertStrictEquals(one, { a: 1 }),
  ],
  [
    "assertNotStrictEquals",
    () => assertNotStrictEquals(one, { a: 1 }),
    () => assertNotStrictEquals(one, one),
  ],
  ["assertExists", () => assertExists(0), () => assertExists(null)],
  ["assertInstanceOf", () => assertInstanceOf(new Date(), Date), () => assertInstanceOf({}, Date)],
  ["assertMatch", () => assertMatch("gang", /^g/), () => assertMatch("gang", /^h/)],
  ["assertNotMatch", () => assertNotMatch("gang", /^h/), () => assertNotMatch("gang", /^g/)],
  [
    "assertStringIncludes",
    () => assertStringIncludes("gang", "an"),
    () => assertStringIncludes("gang", "x"),
  ],
  [
    "assertArrayIncludes",
    () => assertArrayIncludes([1, [2]], [[2]]),
    () => assertArrayIncludes([1], [1, 2]),
  ],
  ["assertGreater", () => assertGreater(2, 1), () => assertGreater(1, 1)],
  ["assertGreaterOrEqual", () => assertGreaterOrEqual(1, 1), () => assertGreaterOrEqual(1, 2)],
  ["assertLess", () => assertLess(1, 2), () => assertLess(1, 1)],
  ["assertLessOrEqual", () => assertLessOrEqual(1, 1), () => assertLessOrEqual(2, 1)],
  [
    "assertObjectMatch",
    () => assertObjectMatch({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1 } }),
    () => assertObjectMatch({ a: { b: 1 } }, { a: { b: 2 } }),
  ],
];

for (const [name, holds, fails] of assertions) {
  Deno.test(`${name}() passes when it holds and throws an AssertionError when it does not`, () => {
    holds();
    nodeAssert.throws(fails, AssertionError);
  });
}

Deno.test("assertEquals() shows where two values differ, and the note", () => {
  nodeAssert.throws(
    () => assertEquals({ gang: "a", members: 3 }, { gang: "a", members: 5 }, "after a bind"),
    { message: /\+ +members: 3\n- +members: 5[^]*after a bind$/ },
  );
});

Deno.test("assertObjectMatch() fails for a key that is missing and for an array that is longer", () => {
  nodeAssert.throws(() => assertObjectMatch({ a: 1 }, { b: undefined }), AssertionError);
  nodeAssert.throws(() => assertObjectMatch({ a: [1] }, { a: [1, 2] }), AssertionError);
});

Deno.test("assertObjectMatch() matches one object against two different parts of it", () => {
  const shared = { p: 1, q: 2 };
  assertObjectMatch({ a: shared, b: shared }, { a: { p: 1 }, b: { q: 2 } });
});

Deno.test("assertThrows() returns the error when its class and message match", () => {
  const thrown = new RangeError("minMember must be >= 1");
  const throwing = () => {
    throw thrown;
  };
  nodeAssert.equal(assertThrows(throwing), thrown);
  nodeAssert.equal(assertThrows(throwing, RangeError, "minMember"), thrown);
  nodeAssert.throws(() => assertThrows(throwing, TypeError), AssertionError);
  nodeAssert.throws(() => assertThrows(throwing, RangeError, "maxMember"), AssertionError);
  nodeAssert.throws(() => assertThrows(() => {}), AssertionError);
});

Deno.test("assertRejects() resolves to the error when its class and message match", async () => {
  const thrown = new RangeError("minMember must be >= 1");
  const rejecting = () => Promise.reject(thrown);
  nodeAssert.equal(await assertRejects(rejecting), thrown);
  nodeAssert.equal(await assertRejects(rejecting, RangeError, "minMember"), thrown);
  await nodeAssert.rejects(assertRejects(rejecting, TypeError), AssertionError);
  await nodeAssert.rejects(assertRejects(rejecting, RangeError, "maxMember"), AssertionError);
  await nodeAssert.rejects(assertRejects(() => Promise.resolve()), AssertionError);
  await nodeAssert.rejects(
    assertRejects(() => {
      throw thrown;
    }),
    { message: "Function throws when expected to reject" },
  );
});

Deno.test("fail() and unreachable() always throw", () => {
  nodeAssert.throws(() => fail("no"), { name: "AssertionError", message: "Failed assertion: no" });
  nodeAssert.throws(() => unreachable(), { name: "AssertionError", message: "Unreachable" });
});
