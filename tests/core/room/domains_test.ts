import { assertEquals, assertStrictEquals } from "@std/assert";
import { domainName, type Domains, pathOf } from "../../../shared/core/room/domains.ts";
import { groundOf } from "../../../shared/core/room/ground.ts";
import { resources } from "../../support/rooms.ts";

/** Nodes whose racks may change, and the racks as they are known to a ground. */
class Racks {
  readonly #free = new Map<string, ReadonlyMap<string, number>>();
  readonly #racks = new Map<string, string | undefined>();

  /** Nodes come, or change: each gets another room object. */
  set(racks: Record<string, string | undefined>): void {
    for (const [node, rack] of Object.entries(racks)) {
      this.#free.set(node, resources({ gpu: 1 }));
      this.#racks.set(node, rack);
    }
  }

  get domains(): Domains {
    const labelsOf = (node: string): Record<string, string> => {
      const rack = this.#racks.get(node);
      return rack === undefined ? {} : { rack };
    };
    return groundOf({ free: this.#free, labelsOf }).domains(["rack"]);
  }

  /** Nodes by rack. */
  get byRack(): Record<string, readonly number[]> {
    const { names, nodes } = this.domains;
    return Object.fromEntries(names.map((name, at) => [name, nodes[at]!]));
  }
}

for (
  const [id, change, expect] of [
    ["moves to another rack", { b: "r2" }, { r1: [0], r2: [1] }],
    ["moves to a rack of its own", { a: "r3" }, { r3: [0], r1: [1] }],
    ["loses its label", { b: undefined }, { r1: [0] }],
    ["gets a label", { c: "r1" }, { r1: [0, 1, 2] }],
    ["comes to a known rack", { d: "r1" }, { r1: [0, 1, 3] }],
    ["comes to another rack", { d: "r2" }, { r1: [0, 1], r2: [3] }],
  ] as const
) {
  Deno.test(`domains: a node ${id}, and its rack is the one that it is in now`, () => {
    const racks = new Racks();
    racks.set({ a: "r1", b: "r1", c: undefined });
    assertEquals(racks.byRack, { r1: [0, 1] });
    racks.set(change);
    assertEquals(racks.byRack, expect);
  });
}

for (const path of [["constructor"], ["rack", "constructor"], ["constructor", "rack"]]) {
  Deno.test(`domains: by ${path.join(" and ")} there is what nodes have labels for`, () => {
    const expect = path.at(-1) === "rack" ? "/r1" : undefined;
    assertEquals(domainName(path, { rack: "r1" }), expect);
    assertEquals(domainName(path, {}), undefined);
  });
}

Deno.test("domains: they are not made anew where no node has changed its rack", () => {
  const racks = new Racks();
  racks.set({ a: "r1", b: "r2", c: undefined });
  const { domains } = racks;
  racks.set({ a: "r1", b: "r2", c: undefined });
  assertStrictEquals(racks.domains, domains);
  racks.set({ d: undefined });
  assertStrictEquals(racks.domains, domains);
});

Deno.test("domains: a node without the label is in none, whatever wider ones it has", () => {
  const path = ["block", "rack"];
  assertEquals(domainName(path, { block: "b1", rack: "r1" }), "b1/r1");
  assertEquals(domainName(path, { block: "b1" }), undefined);
  assertEquals(domainName(path, { rack: "r1" }), "/r1");
});

Deno.test("domains: levels of the cluster say what is within what, whatever a gang prefers", () => {
  const topology = { preferred: ["block", "rack"] };
  assertEquals(pathOf("block", { topology, levels: ["block", "rack"] }), ["block"]);
  assertEquals(pathOf("rack", { topology, levels: ["block", "rack"] }), ["block", "rack"]);
  assertEquals(pathOf("block", { topology, levels: [] }), ["rack", "block"]);
});
