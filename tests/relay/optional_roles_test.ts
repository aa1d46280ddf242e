import { assertEquals } from "@std/assert";
import { podOf, whyPending } from "../support/gang_pods.ts";
import { idleScheduler } from "../support/relay_process.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

/** A gang of four, of which one of two roles within `a/x` will do. */
async function createMembers(
  world: RelayWorld,
  roles: readonly string[],
  { name = "member", minAvailable = 4, p = 1, q = 2, spec = {} } = {},
): Promise<string[]> {
  const names = roles.map((_, index) => `${name}-${index}`);
  for (const [index, role] of roles.entries()) {
    const pod = podOf(names[index]!, { gpus: 1, gang: { name: "train", minAvailable }, spec });
    const annotations = {
      ...pod.metadata.annotations,
      "muster.scheduling/role": role,
      "muster.scheduling/role-min": `a/x=1,a/x/p=${p},a/x/q=${q},a/y=1`,
    };
    await world.sandbox.createPod({ ...pod, metadata: { ...pod.metadata, annotations } });
  }
  return names;
}

relayTest(
  "who may not start without others of its role does not make its gang whole",
  { nodes: { "node-1": 8 } },
  async (world) => {
    const names = await createMembers(world, ["a/x/p", "a/x/q", "a/y", "a/x/p"]);
    const waits = "gang default/train has 1 of 2 members of role a/x/q";
    await world.until(
      "all are told",
      () => names.every((name) => whyPending(world.pod(name))?.includes(waits)),
    );
    assertEquals(names.filter((name) => world.pod(name).spec.nodeName), []);
  },
);

relayTest(
  "a gang is planned with all of a role that it can do without, or none of it",
  { nodes: { "node-1": 4 } },
  async (world) => {
    const names = await createMembers(world, ["a/x/p", "a/x/q", "a/y", "a/x/p", "a/x/q"]);
    await world.untilBound([names[1]!, names[2]!, names[4]!]);
    await world.until(
      "one of the two others as well",
      () => names.filter((name) => world.pod(name).spec.nodeName).length === 4,
    );
  },
);

relayTest(
  "a gang starts whose quorum takes all of a role that it could do without",
  { nodes: { "node-1": 42 } },
  async (world) => {
    const roles = ["a/x/p", "a/y", ...Array<string>(40).fill("a/x/q")];
    const names = await createMembers(world, roles, { minAvailable: 42, q: 40 });
    await world.untilBound(names);
  },
);

relayTest(
  "who is held for a role that its gang can do without is let go when others of it find no node",
  { nodes: { "node-1": 8 } },
  async (world) => {
    const spec = { schedulerName: idleScheduler };
    const options = { minAvailable: 3, p: 2 };
    await createMembers(world, ["a/x/q"], { ...options, spec, name: "last" });
    const names = await createMembers(world, ["a/x/q", "a/y", "a/x/p", "a/x/p"], options);
    await world.untilBound(names.slice(1));
    await world.untilBinding(1);
    await world.sayUnschedulable("last-0", "0/1 nodes are available: 1 node(s) didn't match.");
    await world.untilBinding(0);
    assertEquals(world.bound().toSorted(), names.slice(1));
  },
);
