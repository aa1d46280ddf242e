import { assertEquals } from "@std/assert";
import { Carried } from "../../../shared/core/gang/carried.ts";

Deno.test("carried: an object has it, and neither its copies nor its texts do", () => {
  const [sizes, names] = [new Carried<object, number>(), new Carried<object, string>()];
  const owner = { a: 1 };
  assertEquals(sizes.of(owner), undefined);
  assertEquals([sizes.put(owner, 7), sizes.of(owner), names.of(owner)], [7, 7, undefined]);
  sizes.put(owner, 8);
  assertEquals([sizes.of(owner), new Carried().of(owner)], [8, undefined]);
  assertEquals([sizes.of({ ...owner }), sizes.of(structuredClone(owner))], [undefined, undefined]);
  assertEquals(JSON.stringify(owner), '{"a":1}');
  assertEquals(owner, { a: 1 });
});

Deno.test("carried: an object that can not be written to carries nothing", () => {
  const sizes = new Carried<object, number>();
  const owner = Object.freeze({ a: 1 });
  assertEquals([sizes.put(owner, 7), sizes.of(owner)], [7, undefined]);
});
