import { assert, assertEquals, assertGreaterOrEqual, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import type { OwnRoom } from "../../../shared/core/room/fit.ts";
import { Ground, groundOf, type Kind } from "../../../shared/core/room/ground.ts";
import { nodes, resources } from "../../support/rooms.ts";

const labelsOf = () => ({});

/** Members that ask for so many GPUs, and how often it was asked where they may run. */
function kindOf(gpu: number, key = `${gpu}`): Kind & { asked: number } {
  const kind = {
    key,
    requests: resources({ gpu }),
    asked: 0,
    mayRunOn: (node: string) => ++kind.asked > 0 && node !== "tainted",
  };
  return kind;
}

/** What a ground has, by the names of nodes. */
function known(ground: Ground, names: readonly string[]) {
  const numbers = names.flatMap((name) => ground.numberOf(name) ?? []);
  return [1, 2, 3].map((gpu) => {
    const kind = kindOf(gpu);
    const named = (list: readonly number[]) => list.map((node) => ground.nameOf(node));
    assertEquals([...ground.fullest(kind)], ground.fullestFirst(kind));
    return {
      fits: numbers.map((node) => [ground.nameOf(node), ground.fits(kind, node)]),
      room: [ground.roomFor(kind), ground.roomFor(kind, numbers.slice(1))],
      fullest: [...new Set(named(ground.fullestFirst(kind)))].sort(),
      left: ground.fullestFirst(kind).map((node) => ground.rooms[node]!.get("gpu")),
      some: named(ground.fullestFirst(kind, numbers.slice(1))).length,
    };
  });
}

const names = ["a", "b", "c", "d", "tainted"];
const node = fc.constantFrom(...names);
const event = fc.oneof(
  fc.record({
    is: fc.constantFrom("comes", "comes", "goes", "takes", "looks"),
    node,
    gpus: fc.nat(6),
  }),
);

Deno.test("ground: what is known of nodes from before is what they have now", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 25 }), (events) => {
      const free: OwnRoom = nodes({ a: { gpu: 2 }, b: { gpu: 1 }, tainted: { gpu: 3 } });
      for (const { is, node, gpus } of events) {
        if (is === "comes") free.set(node, resources({ gpu: gpus }));
        if (is === "goes") free.delete(node);
        const ground = groundOf({ free, labelsOf });
        const anew = groundOf({ free: new Map(free), labelsOf });
        assertEquals(names.map((name) => ground.roomOf(name)), names.map((name) => free.get(name)));
        if (is !== "takes") {
          assertEquals(known(ground, names), known(anew, names));
          continue;
        }
        const before = known(ground, names);
        const mark = ground.mark();
        for (const each of [ground, anew]) each.takeAt(node, kindOf(1), gpus);
        assertEquals(known(ground, names), known(anew, names));
        ground.undoTo(mark);
        assertEquals(known(ground, names), before);
      }
    }),
    { numRuns: 150, seed: 1 },
  );
});

Deno.test("ground: of nodes the one comes first of which the least is left beside a member", () => {
  const ground = groundOf({
    free: nodes({
      a: { gpu: 4 },
      none: { gpu: 0 },
      b: { gpu: 1 },
      tainted: { gpu: 1 },
      c: { gpu: 2 },
    }),
    labelsOf,
  });
  const one = kindOf(1);
  const order = (nodes?: readonly number[]) =>
    ground.fullestFirst(one, nodes).map((node) => ground.nameOf(node));
  assertEquals(order(), ["b", "c", "a"]);
  assertEquals(order([0, 1, 2, 3, 4]), ["b", "c", "a"]);
  ground.takeAt("a", one, 3);
  assertEquals(order(), ["a", "b", "c"]);
  ground.takeAt("b", one, 1);
  assertEquals(order(), ["a", "c"]);
});

Deno.test("ground: the fullest nodes are the same while they are taken, and where many have changed", () => {
  const free: OwnRoom = new Map();
  for (let node = 0; node < 300; node++) free.set(`node-${node}`, resources({ gpu: 8 }));
  const kind = kindOf(1);
  for (const changed of [0, 1, 60, 200]) {
    for (let node = 0; node < changed; node++) {
      free.set(`node-${node * 7 % 300}`, resources({ gpu: 1 + node % 8 }));
    }
    const ground = groundOf({ free, labelsOf });
    const expected = groundOf({ free: new Map(free), labelsOf }).fullestFirst(kind);
    const seen = [];
    for (const node of ground.fullest(kind)) {
      seen.push(node);
      ground.take(node, kind, 1);
      ground.roomFor(kind);
    }
    assertEquals(seen, expected);
  }
});

Deno.test("ground: nodes are looked at once for each kind of member, and again where they change", () => {
  const free = nodes({ a: { gpu: 2 }, b: { gpu: 2 }, full: { gpu: 0 } });
  const one = kindOf(1);
  for (let plan = 0; plan < 3; plan++) {
    const ground = groundOf({ free, labelsOf });
    for (let time = 0; time < 3; time++) assertEquals(ground.roomFor(one), 4);
    assertEquals(one.asked, 2 + plan);
    ground.takeAt("a", one, 1);
    for (let time = 0; time < 3; time++) assertEquals(ground.roomFor(one), 3);
    assertEquals(one.asked, 3 + plan);
  }
});

Deno.test("ground: a kind that is asked for again and again is not forgotten for many others", () => {
  const ground = new Ground();
  ground.refresh(nodes({ a: { gpu: 2 } }), labelsOf);
  const often = kindOf(1);
  const once = Array.from({ length: 3000 }, (_, at) => kindOf(1, `once ${at}`));
  for (const [at, kind] of once.entries()) {
    ground.roomFor(kind);
    if (at % 100 === 0) ground.roomFor(often);
  }
  assertEquals(often.asked, 1);
  ground.roomFor(once[0]!);
  assertEquals(once[0]!.asked, 2);
});

Deno.test("ground: of few nodes more kinds are remembered than a large gang has", () => {
  const free = nodes(Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`node-${at}`, { gpu: 2 }]),
  ));
  const kinds = Array.from({ length: 500 }, (_, at) => kindOf(1, `kind ${at}`));
  const ground = groundOf({ free, labelsOf });
  for (let time = 0; time < 3; time++) for (const kind of kinds) ground.roomFor(kind);
  assertEquals(kinds.filter(({ asked }) => asked > 100), []);
});

Deno.test("ground: what changes often is looked at once by a kind that is new", () => {
  const ground = groundOf({ free: nodes({ a: { gpu: 2 } }), labelsOf });
  const often = kindOf(1);
  for (let time = 0; time < 100; time++) {
    ground.take(0, often, 1);
    ground.take(0, often, -1);
  }
  const late = kindOf(1, "late");
  assertEquals(ground.roomFor(late), 2);
  assertEquals(late.asked, 2);
});

Deno.test("ground: numbers of nodes that are gone are given up when there are many", () => {
  const free: OwnRoom = new Map();
  let most = 0;
  for (let index = 0; index < 1000; index++) {
    free.clear();
    free.set(`node-${index}`, resources({ gpu: 1 }));
    most = Math.max(most, groundOf({ free, labelsOf }).size);
  }
  assertLessOrEqual(most, 250);
  assertGreaterOrEqual(most, 100);
});

Deno.test("ground: what is known is given up when nodes have changed very often, and not before", () => {
  for (const size of [10, 300]) {
    const free: OwnRoom = new Map();
    for (let node = 0; node < size; node++) free.set(`node-${node}`, resources({ gpu: 1 }));
    const seen = new Set<unknown>();
    const changes = 100 * size;
    for (let change = 0; change < changes; change += size / 10) {
      for (let node = 0; node < size / 10; node++) {
        free.set(`node-${(change + node) % size}`, resources({ gpu: 1 }));
      }
      seen.add(groundOf({ free, labelsOf }).domains(["rack"]));
    }
    const expected = changes / (20 * size + 200);
    assert(seen.size >= expected && seen.size <= expected + 1.5, `${seen.size} times`);
  }
});
