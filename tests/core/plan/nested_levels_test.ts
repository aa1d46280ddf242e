import { assertEquals, assertLess } from "@std/assert";
import { demandOf } from "../../../shared/core/plan/demand.ts";
import { partOf } from "../../../shared/core/plan/part.ts";
import { Regions } from "../../../shared/core/plan/regions.ts";
import { shortageOf } from "../../../shared/core/plan/shortage.ts";
import { groundOf } from "../../../shared/core/room/ground.ts";
import { CountedGround } from "../../support/counted_ground.ts";
import { worldOf } from "../../support/planned.ts";

/** Roles one within another, each in a domain of its own level, and what is looked at to say what they lack. */
function looked(depth: number, domains: number) {
  const nodes = Array.from({ length: domains ** 5 }, (_, at) => `n${at}`);
  const levels = Array.from({ length: depth }, (_, at) => `level${at}`);
  const paths = levels.map((_, at) => levels.slice(0, at + 1).join("/"));
  const role = `${paths.at(-1)}/member`;
  const gang = {
    name: "g",
    members: [{ count: nodes.length, role }],
    roles: [
      ...paths.map((name, at) => ({ name, min: 1, topology: { required: levels[at] } })),
      { name: role, min: nodes.length },
    ],
  };
  const world = worldOf({
    nodes: Object.fromEntries(nodes.map((name) => [name, "1"])),
    gangs: [gang],
    world: {
      labelsOf: (node) =>
        Object.fromEntries(
          levels.map((
            key,
            at,
          ) => [key, `${Math.floor(Number(node.slice(1)) / domains ** at) % domains}`]),
        ),
    },
  });
  const demands = world.waiting[0]!.gangs().map((gang) => demandOf(gang, world.settings));
  const work = { nodes: 0 };
  const ground = new CountedGround(groundOf(world), work);
  const { members } = shortageOf(partOf(demands, { ground }), { regions: new Regions(ground, []) });
  return { members, work: work.nodes };
}

Deno.test("shortage: of roles one within another each level is looked at, and not each once more for every level around it", () => {
  const [three, seven] = [looked(3, 3), looked(7, 3)];
  assertEquals([three.members, seven.members], [9, 1]);
  assertLess(three.work, 5_000);
  assertLess(seven.work, 5_000);
});
