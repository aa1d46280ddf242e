import { assertEquals } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { type Gang, membersOf } from "../../../tools/chaos/gangs.ts";
import type { Tenancy } from "../../../tools/chaos/tenants.ts";
import { wrongAtRest } from "../../../tools/chaos/verdict.ts";

/** Two racks with one node of 4 GPUs each. */
const nodes = ["a", "b"].map((rack): KubernetesObject => ({
  metadata: { name: `node-${rack}`, labels: { rack } },
  status: { allocatable: { "nvidia.com/gpu": "4" } },
}));

/** A gang of members of 1 GPU, of which some are bound to a node. */
interface Case {
  readonly size: number;
  readonly minMember: number;
  readonly bound?: Record<string, number>;
  readonly rack?: "required";
  readonly nominated?: boolean;
}

function restOf(cases: Record<string, Case>): { tenancies: Tenancy[]; pods: KubernetesObject[] } {
  const pods: KubernetesObject[] = [];
  const tenancies = Object.entries(cases).map(
    ([name, { size, minMember, bound = {}, ...rest }]) => {
      const gang: Gang = {
        name,
        roles: [{ size, gpus: 1 }],
        minMember,
        priority: "chaos-low",
        lateMs: 0,
        runsMs: 0,
        ...(rest.rack && { rack: rest.rack }),
      };
      const places = Object.entries(bound).flatMap(([node, count]) =>
        Array<string>(count).fill(node)
      );
      for (const [index, member] of membersOf(gang).entries()) {
        const place = places[index];
        pods.push({
          metadata: { name: member.name, uid: member.name },
          spec: {
            ...(place && { nodeName: `node-${place}` }),
            containers: [{ resources: { limits: { "nvidia.com/gpu": "1" } } }],
          },
          status: rest.nominated ? { nominatedNodeName: "node-a" } : {},
        });
      }
      return { gang, createdAt: 0, minMember };
    },
  );
  return { tenancies, pods };
}

const cases: [string, Record<string, Case>, string[]][] = [
  ["whole", { x: { size: 3, minMember: 3, bound: { a: 3 } } }, []],
  ["surplus that waits", { x: { size: 4, minMember: 3, bound: { a: 3 } } }, []],
  ["bound in part, with room", { x: { size: 3, minMember: 3, bound: { a: 2 } } }, [
    "x is bound in part, 2 of 3, and has room",
  ]],
  ["bound in part, without room in its rack", {
    x: { size: 3, minMember: 3, bound: { a: 2 }, rack: "required" },
    y: { size: 2, minMember: 2, bound: { a: 2 } },
  }, []],
  ["bound in part, others never came", { x: { size: 2, minMember: 3, bound: { a: 2 } } }, []],
  ["pending with room", { x: { size: 3, minMember: 3 } }, ["x is pending and has room"]],
  ["pending, no room", { x: { size: 9, minMember: 9 } }, []],
  ["pending, no rack has room", { x: { size: 5, minMember: 5, rack: "required" } }, []],
  ["pending behind one that has no room", {
    x: { size: 3, minMember: 3 },
    y: { size: 9, minMember: 9 },
  }, []],
  ["pending and nominated", { x: { size: 9, minMember: 9, nominated: true } }, [
    ...Array.from(
      { length: 9 },
      (_, index) => `x-${index} is pending and still nominated to node-a`,
    ),
  ]],
];

for (const [name, gangs, wrong] of cases) {
  Deno.test(`wrongAtRest(): ${name}`, () => {
    const { tenancies, pods } = restOf(gangs);
    assertEquals(wrongAtRest(tenancies, { pods, nodes }), wrong);
  });
}
