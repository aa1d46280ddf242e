import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { delimiter, dirname, join } from "node:path";
import { findOrBuildClient } from "../../../tools/control_plane/binaries.ts";
import { untilGang } from "../support/gangs.ts";
import { type Cluster, onCluster, progress } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const root = new URL("../../..", import.meta.url).pathname;
const scenario = onCluster(() => ({ nodes: { "node-1": 2, "node-2": 2 } }));
let kubectl = "";
let folder = "";

Deno.test.beforeAll(async () => {
  kubectl = await findOrBuildClient("kubectl", { onProgress: progress });
  folder = await Deno.makeTempDir();
});
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

/** Runs `kubectl muster` with the plugin, and Deno, on the PATH; `first` is a folder before all others. */
async function run(
  args: string[],
  { cluster, env = {}, first = [] }: {
    cluster: Cluster;
    env?: Record<string, string>;
    first?: string[];
  },
): Promise<{ code: number; out: string; err: string }> {
  const path = [...first, dirname(kubectl), join(root, "bin"), dirname(Deno.execPath())];
  const { code, stdout, stderr } = await new Deno.Command(kubectl, {
    args: ["muster", ...args],
    cwd: folder,
    env: {
      KUBECONFIG: cluster.controlPlane.kubeconfig,
      PATH: [...path, Deno.env.get("PATH")].join(delimiter),
      NO_COLOR: "1",
      ...env,
    },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

/** The arguments of the command that is said to help a gang, as printed. */
function helpingCommand(help: string): string[] {
  const [, args] = /\(.*kubectl muster (.*?)\)/.exec(help) ?? [];
  assert(args, help);
  return args.split(" ");
}

scenario(
  "kubectl finds the plugin, which says of a waiting gang what its pods say",
  async ({ cluster, space }) => {
    await space.createGang("large", { size: 5, gpus: 1 });
    const [pod] = await space.untilTold(membersOf("large", 5), "needs room for 5 more members");
    const { message } = await untilGang(
      cluster.muster.url,
      `${space.name}/large`,
      ({ reason }) => reason === "InsufficientResources",
    );
    assertStringIncludes(JSON.stringify(pod!["status"].conditions), message);
    const env = { MUSTER_URL: cluster.muster.url };
    const { code, out } = await run(["explain", "large", "-n", space.name, "-o", "json"], {
      cluster,
      env,
    });
    const told = JSON.parse(out);
    assertEquals([code, told.message], [4, message]);
    assertEquals((await run(helpingCommand(told.help), { cluster })).code, 0);
    const list = await run(["list", "-A"], { cluster, env });
    assertEquals(list.code, 0);
    assertMatch(list.out, new RegExp(`^${space.name} +large +Scheduling +0/5 `, "m"));
    // One more node would do, and what waits in the cluster is what is asked about.
    const simulated = await run(
      ["simulate", "--add-nodes", "1", "--like", "node-1", "-o", "json"],
      { cluster },
    );
    const { verdicts } = JSON.parse(simulated.out);
    assertEquals(
      verdicts.map(({ title, starts }: { title: string; starts: boolean }) => [title, starts]),
      [[`gang ${space.name}/large`, true]],
    );
  },
);

scenario(
  "unpark, as explain prints it, lets a parked gang try again",
  async ({ cluster, space }) => {
    const parked = { "gang.scheduling.koordinator.sh/timeout": "true" };
    await space.createGang("parked", { size: 2, gpus: 1, annotations: parked });
    const members = membersOf("parked", 2);
    await space.untilTold(members, "timed out and is parked");
    const { help } = await untilGang(
      cluster.muster.url,
      `${space.name}/parked`,
      ({ reason }) => reason === "Parked",
    );
    const { code, out } = await run(helpingCommand(help!), { cluster });
    assertEquals([code, out.includes("2 pods changed")], [0, true], out);
    await space.untilBound(members);
    const again = await run(["unpark", "parked", "-n", space.name], { cluster });
    assertStringIncludes(again.out, "is not parked: nothing to do");
    const { code: none, err } = await run(["unpark", "nobody", "-n", space.name], { cluster });
    assertEquals(none, 3, err);
  },
);

scenario(
  "with a kubeconfig alone it goes through the Pod whose scheduler leads",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    await space.createGang("small", { size: 1, gpus: 1 });
    await space.untilBound(["small-0"]);
    const without = await run(["list", "-A"], { cluster });
    assertEquals(without.code, 3);
    assertStringIncludes(without.err, "No scheduler of Muster leads in this cluster");

    await api.create("/apis/coordination.k8s.io/v1/namespaces/muster-system/leases", {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "muster-scheduler" },
      spec: { holderIdentity: "muster-7d9f-x2k_0c9b" },
    });
    const lost = await run(["list", "-A"], { cluster });
    assertEquals(lost.code, 1);
    assertStringIncludes(lost.err, 'Cannot reach the relay in pod "muster-system/muster-7d9f-x2k"');

    // No kubelet answers here: what follows port-forward's promise is the relay itself.
    const stub = await Deno.makeTempDir();
    const port = new URL(cluster.muster.url).port;
    await Deno.writeTextFile(
      `${stub}/kubectl`,
      `#!/bin/sh\necho "$@" > ${stub}/args\necho "Forwarding from 127.0.0.1:${port} -> 8080"\nexec sleep 600\n`,
      { mode: 0o755 },
    );
    const { code, out } = await run(["list", "-A"], { cluster, first: [stub] });
    const args = await Deno.readTextFile(`${stub}/args`);
    await Deno.remove(stub, { recursive: true });
    assertEquals(code, 0);
    assert(out.includes("small"), out);
    assertEquals(args, "port-forward --namespace muster-system pod/muster-7d9f-x2k :8080\n");
  },
);
