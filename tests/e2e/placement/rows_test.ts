import { onCluster } from "../support/on_cluster.ts";
import { roleRows } from "../../support/placement/role_rows.ts";
import { play } from "./play.ts";
import { topologyRows } from "../../support/placement/topology_rows.ts";

// Each row has nodes of its own.
const scenario = onCluster(() => ({
  nodes: {},
  muster: { extraArgs: ["--topology-levels=block,rack"] },
}));

for (const row of [...topologyRows, ...roleRows]) {
  scenario(
    `placement: ${row.id}`,
    ({ space, cluster: { controlPlane } }) => play(row, { space, controlPlane }),
  );
}
