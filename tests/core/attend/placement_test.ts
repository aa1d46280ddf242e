import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  followPlan,
  type OnTheWay,
  openPlaces,
  type Placement,
  sendOn,
  sendTo,
  withoutPlaceOf,
} from "../../../shared/core/attend/placement.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import type { Use } from "../../../shared/core/room/fit.ts";

function use(node: string, kind: string, count = 1): Use {
  return { node, kind, requests: new Map(), count };
}

/** Members that are sent one after another, and planned anew in between. */
class Members {
  #placement: Placement = {
    steering: "planned",
    uses: [],
    isPublished: false,
    chosen: SharedMap.empty(),
  };

  /** Undefined: the plan has no room. */
  follow(
    taken: readonly Use[] | undefined,
    { waits = () => true, comes = () => false, surplus = [] }: Partial<OnTheWay> & {
      surplus?: readonly Use[];
    } = {},
  ): void {
    const plan = { ...(taken && { taken, surplus }), steering: "planned" } as const;
    this.#placement = followPlan(this.#placement, plan, { waits, comes });
  }

  come(uid: string): readonly Use[] {
    this.#placement = withoutPlaceOf(this.#placement, uid);
    return this.#placement.uses;
  }

  send(uid: string, kind: string, gang = "default/a"): string | undefined {
    const [node] = openPlaces(this.#placement, { uid, kind, gang });
    if (node !== undefined) this.#placement = sendTo(this.#placement, uid, { node, kind, gang });
    return node;
  }
}

Deno.test("placement: no more members of a kind are sent to a node than planned, and one that comes again goes where it was sent", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker"), use("gpu-2", "worker"), use("cpu-1", "launcher")]);
  assertEquals(placement.send("launcher", "launcher"), "cpu-1");
  assertEquals(placement.send("a", "worker"), "gpu-1");
  assertEquals(placement.send("b", "worker"), "gpu-2");
  assertEquals(placement.send("a", "worker"), "gpu-1");
  assertEquals(placement.send("c", "worker"), undefined, "beyond what is planned");
});

Deno.test("placement: a new plan counts those that are on the way, and no more those that are held", () => {
  const placement = new Members();
  const launcher = use("cpu-1", "launcher");
  placement.follow([use("gpu-1", "worker", 2), launcher]);
  placement.send("a", "worker");
  placement.follow([use("gpu-1", "worker"), use("gpu-2", "worker"), launcher]);
  assertEquals(placement.send("b", "worker"), "gpu-2");
  placement.follow([use("gpu-1", "worker"), launcher], {
    waits: (uid) => uid !== "a" && uid !== "b",
  });
  assertEquals(placement.send("c", "worker"), "gpu-1");
});

Deno.test("placement: who was sent to a node that the new plan does not have goes elsewhere", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker")]);
  placement.send("a", "worker");
  placement.follow([use("gpu-2", "worker")]);
  assertEquals(placement.send("a", "worker"), "gpu-2");
});

Deno.test("placement: a plan that finds no room any more leaves nobody a place", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker", 2)]);
  placement.follow(undefined);
  assertEquals(placement.send("a", "worker"), undefined);
  placement.follow([use("gpu-1", "worker", 2)]);
  assertEquals(placement.send("a", "worker"), "gpu-1");
  placement.follow(undefined);
  assertEquals(placement.send("a", "worker"), undefined, "also where one had been sent there");
});

Deno.test("placement: members of which not all are needed any more keep the places that they have", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker", 2)]);
  placement.send("a", "worker");
  placement.send("b", "worker");
  placement.follow([use("gpu-1", "worker")], { surplus: [use("gpu-1", "worker")] });
  assertEquals([placement.send("a", "worker"), placement.send("b", "worker")], ["gpu-1", "gpu-1"]);
});

Deno.test("placement: of members on one node of which not all are planned there any more as many keep it, those on their way first", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker", 2)]);
  placement.send("a", "worker");
  placement.send("b", "worker");
  placement.follow([use("gpu-1", "worker"), use("gpu-2", "worker")], {
    comes: (uid) => uid === "b",
  });
  assertEquals([placement.send("a", "worker"), placement.send("b", "worker")], ["gpu-2", "gpu-1"]);
  placement.follow([use("gpu-2", "worker")]);
  assertEquals([placement.send("a", "worker"), placement.send("b", "worker")], [
    "gpu-2",
    undefined,
  ]);
});

Deno.test("placement: the place of a member that has come is nobody else's, and is not planned again for those that are left", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker", 2), use("gpu-2", "worker")]);
  placement.send("a", "worker");
  assertEquals(placement.come("a"), [use("gpu-1", "worker"), use("gpu-2", "worker")]);
  assertEquals(placement.send("b", "worker"), "gpu-1");
  assertEquals(placement.come("b"), [use("gpu-2", "worker")]);
  assertEquals(placement.come("unknown"), [use("gpu-2", "worker")]);
  assertEquals(placement.send("c", "worker"), "gpu-2");
});

Deno.test("placement: a member does not go to the place of another gang of its group", () => {
  const placement = new Members();
  placement.follow([{ ...use("gpu-1", "worker"), gang: "default/b" }]);
  assertEquals(placement.send("a", "worker", "default/a"), undefined);
  assertEquals(placement.send("b", "worker", "default/b"), "gpu-1");
});

Deno.test("placement: of members that were sent to a node no more keep their place than the new plan has there", () => {
  const kept = (places: number) => {
    const placement = new Members();
    placement.follow([use("gpu-1", "worker", 3)]);
    for (const uid of ["a", "b", "c"]) placement.send(uid, "worker");
    placement.follow([use("gpu-1", "worker", places), use("gpu-2", "worker", 3)]);
    return ["a", "b", "c"].map((uid) => placement.send(uid, "worker"));
  };
  assertEquals(kept(1), ["gpu-1", "gpu-2", "gpu-2"]);
  assertEquals(kept(2), ["gpu-1", "gpu-1", "gpu-2"]);
  assertEquals(kept(3), ["gpu-1", "gpu-1", "gpu-1"]);
  const placement = new Members();
  placement.follow([use("gpu-1", "worker", 2)]);
  for (const uid of ["a", "b"]) placement.send(uid, "worker");
  placement.follow([use("gpu-0", "worker", 2), use("gpu-1", "worker", 2)]);
  assertEquals(["a", "b"].map((uid) => placement.send(uid, "worker")), ["gpu-1", "gpu-1"]);
});

Deno.test("placement: a member's own place is the first of those that are open to it", () => {
  const uses = ["gpu-1", "gpu-2", "gpu-3"].map((node) => use(node, "worker"));
  const place = { node: "gpu-2", kind: "worker", gang: "default/a" };
  const placement = sendTo(
    { steering: "planned", uses, isPublished: false, chosen: SharedMap.empty() },
    "a",
    place,
  );
  const open = openPlaces(placement, { uid: "a", kind: "worker", gang: "default/a" });
  assertEquals(open, ["gpu-2", "gpu-1", "gpu-3"]);
});

Deno.test("placement: members that are sent together go where each would go after those before it", () => {
  const node = fc.constantFrom("gpu-1", "gpu-2", "gpu-3");
  const kind = fc.constantFrom("worker", "launcher");
  const gang = fc.constantFrom("default/a", "default/b");
  const uid = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const place = fc.record({ uid, node, gang });
  // A member is of one kind for good.
  const kindOf = (uid: string) => uid < "c" ? "launcher" : "worker";
  const byPlace = ({ node, kind, gang }: Use) => `${node} ${kind} ${gang}`;
  const uses = fc.uniqueArray(
    fc.record({ node, kind, gang, count: fc.integer({ min: 1, max: 3 }) })
      .map((use): Use => ({ ...use, requests: new Map() })),
    { selector: byPlace },
  );
  const sent = fc.uniqueArray(place, { selector: ({ uid }) => uid });
  const members = fc.uniqueArray(fc.record({ uid, gang }), { selector: ({ uid }) => uid });
  fc.assert(
    fc.property(uses, sent, members, (uses, sent, members) => {
      let placement: Placement = {
        steering: "planned",
        uses,
        isPublished: false,
        chosen: SharedMap.empty(),
      };
      for (const { uid, ...place } of sent) {
        placement = sendTo(placement, uid, { ...place, kind: kindOf(uid) });
      }
      const gangOf = (uid: string, gang: string) => placement.chosen.get(uid)?.gang ?? gang;
      const together = members.map(({ uid, gang }) => ({
        uid,
        kind: kindOf(uid),
        gang: gangOf(uid, gang),
      }));
      let expected = placement;
      for (const { uid, kind, gang } of together) {
        const [node] = openPlaces(expected, { uid, kind, gang });
        if (node !== undefined) expected = sendTo(expected, uid, { node, kind, gang });
      }
      const chosen = ({ chosen }: Placement) => [...chosen].sort();
      assertEquals(chosen(sendOn(placement, together)), chosen(expected));
    }),
    { seed: 1, numRuns: 500 },
  );
});
