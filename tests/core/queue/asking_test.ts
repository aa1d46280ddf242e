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

Deno.test("inKeyOrder(): by key, then those without one, by priority, age and name", () => {
  const places = {
    "low, with a key": { key: "2", spec: { priority: -1 } },
    "younger": { spec: { createdAt: at(9) } },
    "high, with a key": { key: "1", spec: { priority: 5 } },
    "older": { spec: { createdAt: at(8), name: "c" } },
    "older, of another name": { spec: { createdAt: at(8), name: "b" } },
    "high": { spec: { createdAt: at(10), priority: 7 } },
    "low": { spec: { createdAt: at(0), priority: -7 } },
  } as Record<string, { key?: string; spec: Partial<GangSpec> }>;
  const placeOf = (group: string) => {
    const { key, spec } = places[group]!;
    return { key, queued: () => queued({ createdAt: at(1), ...spec }) };
  };
  assertEquals(inKeyOrder(Object.keys(places), placeOf), [
    "high, with a key",
    "low, with a key",
    "high",
    "older, of another name",
    "older",
    "younger",
    "low",
  ]);
  assertEquals(inKeyOrder(["high", "high"], placeOf), ["high", "high"]);
});
