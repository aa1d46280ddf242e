import { assertEquals, assertLess } from "@std/assert";
import { demandOf } from "../../../shared/core/plan/demand.ts";
import { partOf } from "../../../shared/core/plan/part.ts";
import { placeTogether } from "../../../shared/core/plan/placing.ts";
import { Regions } from "../../../shared/core/plan/regions.ts";
import { Ground, groundOf } from "../../../shared/core/room/ground.ts";
import { worldOf } from "../../support/planned.ts";

/** Counts how often it is asked for domains. */
class Asked extends Ground {
  times = 0;

  override domains(path: readonly string[]) {
    this.times++;
    return super.domains(path);
  }
}

for (const [members, placed] of [[3, 0], [2, 2]] as const) {
  Deno.test(`regions: of ${members} members that require one of very many domains, and would rather be in others, each level is looked at once`, () => {
    const nodes = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`n${at}`, "2"]));
    const preferred = ["rack", "block", "zone", ...Array.from("abcdefg")];
    const gang = {
      name: "g",
      members: [{ count: members }],
      topology: { required: "host", preferred },
    };
    const world = worldOf({ nodes, gangs: [gang] });
    const demands = world.waiting[0]!.gangs().map((gang) => demandOf(gang, world.settings));
    const ground = new Asked(groundOf(world));
    const found = placeTogether(partOf(demands, { ground }), { regions: new Regions(ground, []) });
    assertEquals((found?.uses ?? []).reduce((sum, { count }) => sum + count, 0), placed);
    assertLess(ground.times, 50);
  });
}
