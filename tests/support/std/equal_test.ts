import { equal } from "@std/assert";
import nodeAssert from "node:assert/strict";

class Box {
  constructor(readonly value: number) {}
}

function cycle(value: number): object {
  const self: Record<string, unknown> = { value };
  self["self"] = self;
  return self;
}

const withoutPrototype = Object.assign(Object.create(null), { a: 1 });
const sparse = [1];
sparse[2] = 3;

const equalPairs: [name: string, a: unknown, b: unknown][] = [
  ["primitives", "a", "a"],
  ["NaN", NaN, NaN],
  ["zero and minus zero", 0, -0],
  ["nested objects in another key order", { a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }],
  ["an object without prototype and a plain one", withoutPrototype, { a: 1 }],
  ["dates", new Date(5), new Date(5)],
  ["regular expressions", /a/g, /a/g],
  ["URLs", new URL("http://a/"), new URL("http://a")],
  [
    "sets of objects in another order",
    new Set([{ a: 1 }, { a: 2 }]),
    new Set([{ a: 2 }, { a: 1 }]),
  ],
  ["maps with objects as keys", new Map([[{ a: 1 }, 1]]), new Map([[{ a: 1 }, 1]])],
  ["bytes", new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  ["instances of one class", new Box(1), new Box(1)],
  ["errors with one message", new Error("a"), new Error("a")],
  ["cycles", cycle(1), cycle(1)],
];

const differentPairs: [name: string, a: unknown, b: unknown][] = [
  ["a number and its text", 1, "1"],
  ["null and an object", null, {}],
  ["a missing key and undefined", { a: undefined }, {}],
  ["a key of another name", { a: undefined }, { b: undefined }],
  ["an array and an object", [], {}],
  ["arrays of different length", [1], [1, undefined]],
  ["an array with a hole", sparse, [1, undefined, 3]],
  ["dates", new Date(5), new Date(6)],
  ["regular expressions", /a/g, /a/],
  ["URLs", new URL("http://a"), new URL("http://b")],
  [
    "sets where one element would match twice",
    new Set([{ a: 1 }, { a: 1 }]),
    new Set([{ a: 1 }, { a: 2 }]),
  ],
  ["maps with other values", new Map([["a", 1]]), new Map([["a", 2]])],
  ["bytes", new Uint8Array([1, 2]), new Uint8Array([1, 3])],
  ["an instance and a plain object", new Box(1), { value: 1 }],
  ["errors with other messages", new Error("a"), new Error("b")],
  ["values under a symbol", { [Symbol.for("a")]: 1 }, { [Symbol.for("a")]: 2 }],
  ["cycles", cycle(1), cycle(2)],
];

for (const [name, a, b] of equalPairs) {
  Deno.test(`equal() holds both ways for ${name}`, () => {
    nodeAssert.equal(equal(a, b), true);
    nodeAssert.equal(equal(b, a), true);
  });
}

for (const [name, a, b] of differentPairs) {
  Deno.test(`equal() tells apart, both ways, ${name}`, () => {
    nodeAssert.equal(equal(a, b), false);
    nodeAssert.equal(equal(b, a), false);
  });
}

Deno.test("equal() refuses weak collections, whose content cannot be seen", () => {
  nodeAssert.throws(() => equal(new WeakSet(), new WeakSet()), TypeError);
});
