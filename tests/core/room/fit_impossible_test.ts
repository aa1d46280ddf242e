import { assertEquals } from "@std/assert";
import type { Impossible } from "../../../shared/core/gang/facts.ts";
import { impossible, type Need } from "../../../shared/core/room/fit_impossible.ts";
import type { Candidate } from "../../../shared/core/room/fit.ts";
import { type Amounts, members, nodes, resources } from "../../support/rooms.ts";

interface Case {
  id: string;
  capacity: Record<string, Amounts>;
  needs: Need[];
  expect: Impossible | undefined;
}

function need(
  candidates: Candidate[],
  { needed = candidates.length, minResources = {}, own = {} }: {
    needed?: number;
    minResources?: Amounts;
    own?: Amounts;
  } = {},
): Need {
  return { candidates, needed, minResources: resources(minResources), own: resources(own) };
}

/** 12 GPUs on nodes of 4. */
const three = { a: { gpu: 4, cpu: 8 }, b: { gpu: 4, cpu: 8 }, c: { gpu: 4, cpu: 8 } };

const cases: Case[] = [
  {
    id: "a gang that fits on nodes without other pods",
    capacity: three,
    needs: [need(members(12, { gpu: 1 }))],
    expect: undefined,
  },
  {
    id: "a member that is larger than each node",
    capacity: three,
    needs: [need(members(1, { gpu: 8 }))],
    expect: { scope: "member", resource: "gpu", asks: 8, largest: 4 },
  },
  {
    id: "of nodes that it may not run on nothing counts",
    capacity: { ...three, tainted: { gpu: 8 } },
    needs: [need(members(1, { gpu: 8 }, /^.$/))],
    expect: { scope: "member", resource: "gpu", asks: 8, largest: 4 },
  },
  {
    id: "a resource that no node has",
    capacity: three,
    needs: [need(members(1, { cpu: 1, gpuu: 1 }))],
    expect: { scope: "member", resource: "gpuu", asks: 1, largest: 0 },
  },
  ...[{ cpu: 3, gpu: 2 }, { gpu: 2, cpu: 3 }].map((asks) => ({
    id: `of ${Object.keys(asks).join(" and ")} the one of which the larger share is missing`,
    capacity: { a: { cpu: 2, gpu: 1 } },
    needs: [need(members(1, asks))],
    expect: { scope: "member" as const, resource: "gpu", asks: 2, largest: 1 },
  })),
  {
    id: "a resource that only some nodes have, and of which only some members ask for any",
    capacity: { a: { gpu: 1, cpu: 8 }, b: { cpu: 8 } },
    needs: [need([...members(2, { gpu: 1 }, /a/), ...members(1, { cpu: 1 })])],
    expect: { scope: "gang", resource: "gpu", asks: 2, largest: 1 },
  },
  {
    id: "minResources that all nodes do not have, of a gang that needs one more member",
    capacity: three,
    needs: [need(members(1, { gpu: 1 }), { minResources: { gpu: 13 } })],
    expect: { scope: "minResources", resource: "gpu", asks: 13, largest: 12 },
  },
  {
    id: "more members than all nodes take",
    capacity: three,
    needs: [need(members(14, { gpu: 1 }))],
    expect: { scope: "gang", resource: "gpu", asks: 14, largest: 12 },
  },
  {
    id: "members that leave a rest on each node",
    capacity: three,
    needs: [need(members(4, { gpu: 3 }))],
    expect: { scope: "gang", asks: 4, largest: 3 },
  },
  {
    id: "a member for which one node lacks this and another that",
    capacity: { a: { gpu: 4, cpu: 1 }, b: { gpu: 1, cpu: 4 } },
    needs: [need(members(1, { gpu: 4, cpu: 4 }))],
    expect: { scope: "gang", asks: 1, largest: 0 },
  },
  {
    id: "no node that members may run on",
    capacity: three,
    needs: [need(members(2, { gpu: 1 }, /z/))],
    expect: { scope: "gang", resource: "gpu", asks: 2, largest: 0 },
  },
  {
    id: "no nodes at all",
    capacity: {},
    needs: [need(members(1, { gpu: 1 }))],
    expect: { scope: "gang", resource: "gpu", asks: 1, largest: 0 },
  },
  {
    id: "a member too many that is too large does no harm",
    capacity: three,
    needs: [need([...members(1, { gpu: 8 }), ...members(2, { gpu: 1 })], { needed: 2 })],
    expect: undefined,
  },
  {
    id: "kinds that fit alone, but not together",
    capacity: { a: { gpu: 4, cpu: 4 } },
    needs: [need([...members(1, { gpu: 3, cpu: 1 }), ...members(1, { gpu: 2, cpu: 1 })])],
    expect: { scope: "gang", resource: "gpu", asks: 5, largest: 4 },
  },
  {
    id: "gangs of a group that fit alone, but not together",
    capacity: three,
    needs: [need(members(8, { gpu: 1 })), need(members(2, { gpu: 4 }))],
    expect: { scope: "gang", resource: "gpu", asks: 16, largest: 12 },
  },
  {
    id: "members that do not exist yet are not counted",
    capacity: three,
    needs: [need(members(2, { gpu: 1 }), { needed: 14 })],
    expect: undefined,
  },
  {
    id: "minResources that all nodes do not have",
    capacity: three,
    needs: [need(members(2, { gpu: 1 }), { minResources: { gpu: 14 } })],
    expect: { scope: "minResources", resource: "gpu", asks: 14, largest: 12 },
  },
  {
    id: "minResources of several kinds, which all nodes have",
    capacity: three,
    needs: [need(members(2, { gpu: 1 }), { minResources: { cpu: 24, gpu: 12 } })],
    expect: undefined,
  },
  {
    id: "minResources of several kinds, of which the last one is too much",
    capacity: three,
    needs: [need(members(2, { gpu: 1 }), { minResources: { cpu: 24, gpu: 14 } })],
    expect: { scope: "minResources", resource: "gpu", asks: 14, largest: 12 },
  },
  {
    id: "minResources of which the gang has a part",
    capacity: three,
    needs: [need(members(2, { gpu: 1 }), { minResources: { gpu: 14 }, own: { gpu: 2 } })],
    expect: undefined,
  },
  {
    id: "minResources of a gang that needs nobody",
    capacity: three,
    needs: [need(members(2, { gpu: 1 }), { needed: 0, minResources: { gpu: 14 } })],
    expect: undefined,
  },
];

for (const { id, capacity, needs, expect } of cases) {
  Deno.test(`impossible(): ${id}`, () => {
    const room = nodes(capacity);
    assertEquals(impossible(needs, room), expect);
    assertEquals(room, nodes(capacity));
  });
}
