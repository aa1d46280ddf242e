import { assertEquals } from "@std/assert";
import { manyNodes } from "../../../shared/core/plan/planner.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf, type Space } from "../support/space.ts";

/** In turn, so that both are among any hundred that the scheduler looks at. */
const names = Array.from({ length: manyNodes + 2 }, (_, index) => `${kindOf(index)}-${index}`);
const scenario = onCluster(() => ({
  nodes: Object.fromEntries(names.map((name) => [name, name.startsWith("small") ? 2 : 8])),
}));

function kindOf(index: number): string {
  return index % 2 === 0 ? "large" : "small";
}

scenario("among a thousand nodes members go to the fullest that take them", async ({ space }) => {
  await space.createGang("gang", { size: 8, gpus: 1 });
  assertEquals(await kindsOf(space), ["small"]);
});

scenario("among a thousand nodes the scheduler weighs what members would rather have", async ({
  space,
}) => {
  const values = names.filter((name) => name.startsWith("large"));
  const preference = {
    matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values }],
  };
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }],
  };
  await space.createGang("gang", { size: 8, gpus: 1, spec: { affinity: { nodeAffinity } } });
  assertEquals(await kindsOf(space), ["large"]);
});

async function kindsOf(space: Space): Promise<string[]> {
  const members = await space.untilBound(membersOf("gang", 8));
  return [...new Set(members.map((pod) => String(pod["spec"].nodeName).split("-")[0]!))];
}
