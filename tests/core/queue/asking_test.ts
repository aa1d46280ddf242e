import { assertEquals } from "@std/assert";
import type { GangSpec } from "../../../shared/core/gang/facts.ts";
import {
  basisOf,
  batchOf,
  halvesOf,
  inKeyOrder,
  type Queued,
} from "../../../shared/core/queue/asking.ts";
import { at, gang } from "../../support/facts.ts";

/** A group of one gang whose identity is so many letters long. */
function queued(spec: Partial<GangSpec> = {}, { id = "", wholeAt = 0, bound = 0 } = {}): Queued {
  const unit = { id, priority: 0, queuedAt: at(0), bound, wholeAt };
  return { units: [{ ...unit, gang: gang(spec).gang }], failedAt: undefined };
}

Deno.test("basisOf(): what a key depends on makes another one", () => {
  const basis = basisOf(queued());
  const others = [
    queued({ createdAt: at(5) }),
    queued({ priority: 7 }),
    queued({ attributes: { team: "a" } }),
    queued({ attributes: { team: "b" } }),
    queued({ minMember: 3 }, { bound: 1, wholeAt: 3 }),
    { ...queued(), failedAt: at(9) },
  ];
  assertEquals(new Set([basis, ...others.map(basisOf)]).size, 1 + others.length);
  assertEquals(basisOf(queued({ minMember: 3 }, { bound: 1, wholeAt: 2 })), basis);
});

Deno.test("batchOf(): a call asks about a thousand groups, and about 256 KiB", () => {
  const many = Array.from({ length: 1001 }, () => queued());
  assertEquals(batchOf(many).length, 1000);
  const large = queued({}, { id: "x".repeat(100 * 1024) });
  assertEquals(batchOf([large, large, large]).length, 2);
  const size = JSON.stringify(queued().units).length;
  const rest = (bytes: number) => queued({}, { id: "x".repeat(bytes - size) });
  const whole = 256 * 1024;
  assertEquals(batchOf([rest(whole / 2), rest(whole / 2), queued()]).length, 2);
  assertEquals(batchOf([rest(whole + 1), queued()]).length, 1);
  assertEquals(batchOf([]), []);
});

Deno.test("batchOf(): a group with a name that can not be told is left out, and the others are not", () => {
  const [good, bad] = [queued(), queued({ name: "No Name" })];
  assertEquals(batchOf([bad, good]), [good]);
  const partly = { ...good, units: [...good.units, ...bad.units] };
  assertEquals(batchOf([partly, good]), [good]);
});

Deno.test("halvesOf(): a batch in two, the first not the smaller; one group in none", () => {
  assertEquals(halvesOf([]), []);
  assertEquals(halvesOf([1]), []);
  assertEquals(halvesOf([1, 2]), [[1], [2]]);
  assertEquals(halvesOf([1, 2, 3]), [[1, 2], [3]]);
});

Deno.test("inKeyOrder(): by key, then those without one, the oldest first", () => {
  const keys: Record<string, string | undefined> = { a: "2", b: undefined, c: "1", d: undefined };
  const createdAt: Record<string, string> = { a: "5", b: "9", c: "6", d: "8" };
  const placeOf = (name: string) => ({ key: keys[name], createdAt: createdAt[name]! });
  assertEquals(inKeyOrder(["a", "b", "c", "d"], placeOf), ["c", "a", "d", "b"]);
  assertEquals(inKeyOrder(["x", "y"], () => ({ key: "1", createdAt: "1" })), ["x", "y"]);
});
