import { assertEquals } from "@std/assert";
import { spareable } from "../../../shared/core/plan/exchange.ts";
import type { RunningGang } from "../../../shared/core/plan/running.ts";
import { runningIn, type Runs } from "../../support/evictions.ts";
import { resources } from "../../support/rooms.ts";

const names = ["ps-0", "ps-1", "worker-0", "worker-1"];

/** Members of two roles on one node, in the order in which they began to run. */
function pods(parts: Partial<Runs> = {}) {
  const all = names.map((name, startedAt): Runs => ({
    name,
    node: "node1",
    gang: "low",
    role: name.split("-")[0]!,
    startedAt,
    ...parts,
  }));
  return runningIn({ nodes: {}, pods: all, members: [] }).pods;
}

/** A gang of these four that needs so many of each role. */
function gang(ps: number, worker: number): ReadonlyMap<string, RunningGang> {
  const roles = [{ name: "ps", min: ps, bound: 2 }, { name: "worker", min: worker, bound: 2 }];
  const low = {
    minMember: ps + worker,
    bound: 4,
    succeeded: 0,
    disruption: "gang",
    roles,
  } as const;
  return new Map([["low", low]]);
}

const rows: [id: string, proposed: string[], roles: [number, number], expect: string[]][] = [
  ["PL-E8: one of each role where each can spare one", ["ps-0", "ps-1"], [1, 1], [
    "worker-1",
    "ps-1",
  ]],
  ["those that are proposed where the gang stays whole by them", ["ps-0"], [1, 1], ["ps-0"]],
  ["a member of the role that can spare one", ["ps-1"], [2, 1], ["worker-1"]],
  ["those that are proposed where the gang is broken by any", ["ps-0"], [2, 2], ["ps-0"]],
];

Deno.test("spareable() names no pod that asks for other amounts, or for more resources", () => {
  const asks = { "ps-0": { gpu: 1, cpu: 1 }, "ps-1": { gpu: 1, cpu: 2 }, "worker-0": { gpu: 1 } };
  const here = pods().map((pod) => ({
    ...pod,
    requests: resources(asks[pod.uid as keyof typeof asks] ?? { gpu: 1, cpu: 1 }),
  }));
  const namedFor = (uid: string) =>
    spareable(here.filter((pod) => pod.uid === uid), { here, gangs: gang(2, 1) })
      .map(({ uid }) => uid);
  assertEquals(["ps-0", "ps-1"].map(namedFor), [["worker-1"], ["ps-1"]]);
});

Deno.test("spareable() names nobody twice", () => {
  const here = pods();
  const chosen = spareable(here.slice(0, 2), { here: here.slice(0, 3), gangs: gang(2, 0) });
  assertEquals(chosen.map(({ uid }) => uid), ["ps-0", "ps-1"]);
});

for (const [id, proposed, [ps, worker], expect] of rows) {
  Deno.test(`spareable() names ${id}`, () => {
    const here = pods();
    const chosen = spareable(here.filter(({ uid }) => proposed.includes(uid)), {
      here,
      gangs: gang(ps, worker),
    });
    assertEquals(chosen.map(({ uid }) => uid), expect);
  });
}
