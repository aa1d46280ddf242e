import { assertLess } from "@std/assert";
import { auditOf } from "../support/invariants.ts";
import { onCluster, progress } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 80 } }));
const gangs = 10;
const size = 8;

scenario(
  "members of a gang that is being created are not refused where nobody else waits",
  async ({ cluster, space }) => {
    for (let index = 0; index < gangs; index++) {
      const gang = { name: `growing-${index}`, minAvailable: size };
      for (const name of membersOf(gang.name, size)) await space.create(name, { gpus: 1, gang });
      await space.untilBound(membersOf(gang.name, size));
    }
    const refusals = (await auditOf(cluster.controlPlane)).filter(({ user, verb, objectRef }) =>
      user.username === "system:kube-scheduler" && verb === "patch" &&
      objectRef?.resource === "pods" && objectRef.subresource === "status" &&
      objectRef.namespace === space.name
    );
    progress(`${refusals.length} of ${gangs * size} members were refused`);
    // One of each gang, where its first member is refused.
    assertLess(refusals.length, gangs / 2);
  },
);
