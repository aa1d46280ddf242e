import { assertEquals } from "@std/assert";
import { membersOf } from "../support/gang_pods.ts";
import { relayTest } from "../support/relay_world.ts";

relayTest(
  "who has the nodes is told with the facts of a gang",
  { nodes: { "node-1": 1, "node-2": 4 } },
  async (world) => {
    const gang = { name: "a", minAvailable: 2 };
    for (const name of membersOf("a", 2)) await world.create(name, { gpus: 2, gang });
    const last = () => world.policy.made.findLast(({ body }) => body.map)?.body.map;
    await world.until("the gang has its node", () => last()?.places[1]?.gangs[0]?.bound === 4);
    const { resource, gangs, places } = last()!;
    assertEquals({ resource, gangs, places }, {
      resource: "nvidia.com/gpu",
      gangs: ["default/a"],
      places: [
        { domain: [], node: "node-1", nodes: 1, allocatable: 1, gangs: [], others: {} },
        {
          domain: [],
          node: "node-2",
          nodes: 1,
          allocatable: 4,
          gangs: [{ gang: 0, bound: 4 }],
          others: {},
        },
      ],
    });
  },
);
