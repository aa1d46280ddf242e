import { assertEquals } from "@std/assert";
import { gangCame } from "../../shared/cluster/group_table.ts";
import type { Refusal } from "../../shared/core/attend/attended.ts";
import { SharedMap } from "../../shared/core/attend/shared_map.ts";
import { attended, start } from "../support/attending.ts";
import { clusterOf, groupOf } from "../support/planned_gangs.ts";

Deno.test("gangCame(): a gang takes along what its members were told, also those that no watch has shown", () => {
  const cluster = clusterOf({ nodes: {}, pods: [] });
  const group = groupOf({ name: "g", size: 1, gpus: 1 }, cluster);
  const [gang] = group.gangs;
  const refusalOf = (gang: string): Refusal => {
    const pod = { namespace: "default", name: "unseen" };
    return { pod, gang, reason: "JustSeen", sentence: "wait", at: start };
  };
  const own = refusalOf(gang!.id);
  const refused = SharedMap.empty<Refusal>().with("u1", own).with("u2", refusalOf("default/h"));
  const from = Object.assign(groupOf({ name: "h", size: 1, gpus: 1 }, cluster), {
    attended: attended({ refused }),
  });
  assertEquals(gangCame({ gang: gang!, from, to: group }).refused, [["u1", own]]);
});
