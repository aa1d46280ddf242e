import { assertEquals } from "@std/assert";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { victimsOf } from "../../../tools/control_plane/audit.ts";
import { auditOf } from "../support/invariants.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const host = "kubernetes.io/hostname";

/** Stands before the relay as a scheduler that hears late who has left a node: of each member its first call does not name it. */
class Late {
  readonly #relay: string;
  readonly #node: string;
  /** Members whose calls may name the node. */
  readonly #heard = new Set<string>();
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => this.#answer(request),
  );

  constructor(relay: string, node: string) {
    this.#relay = relay;
    this.#node = node;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  stop(): Promise<void> {
    return this.#server.shutdown();
  }

  async #answer({ url, method, headers, body }: Request): Promise<Response> {
    const { pathname } = new URL(url);
    let sent = body && await new Response(body).text();
    if (pathname === "/extender/filter") {
      const args = JSON.parse(sent!);
      const { name } = args.Pod.metadata;
      const others = args.NodeNames.filter((other: string) => other !== this.#node);
      if (others.length < args.NodeNames.length && name.startsWith("high-")) {
        // Its own plugins would refuse the node that it tries alone, and others are next.
        if (others.length === 0 && !this.#heard.has(name)) return Response.json({ NodeNames: [] });
        if (!this.#heard.has(name)) sent = JSON.stringify({ ...args, NodeNames: others });
        this.#heard.add(name);
      }
    }
    return await fetch(this.#relay + pathname, { method, headers, ...(sent && { body: sent }) });
  }
}

let late: Late;

const scenario = onCluster(() => ({
  nodes: {},
  started: async (cluster) => {
    const { controlPlane } = cluster;
    for (const [name, rack] of [["a-1", "a"], ["a-2", "a"], ["b-1", "b"], ["b-2", "b"]] as const) {
      await controlPlane.addNode(name, { gpus: 1, cpus: 8, memory: "8Gi", labels: { rack } });
    }
    await controlPlane.api.create("/apis/scheduling.k8s.io/v1/priorityclasses", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "middle" },
      value: 100,
    });
    late = new Late(cluster.muster.url, "a-1");
    await cluster.scheduler.kill("SIGTERM");
    cluster.scheduler = await startScheduler(controlPlane, { extenderUrl: late.url });
  },
  ended: () => late.stop(),
}));

scenario(
  "nobody else is evicted for a gang because the scheduler hears late that its victims have left",
  async ({ cluster, space }) => {
    for (const [node, priorityClassName] of [["a-1", "low"], ["b-1", "middle"]] as const) {
      const spec = { priorityClassName, nodeSelector: { [host]: node } };
      await space.create(priorityClassName, { gpus: 1, spec });
    }
    await space.untilRunning(["low", "middle"]);
    await space.createGang("high", {
      size: 2,
      gpus: 1,
      annotations: { "muster.scheduling/required-topology": "rack" },
      spec: { priorityClassName: "high" },
    });
    await space.untilBound(membersOf("high", 2));
    assertEquals(victimsOf(await auditOf(cluster.controlPlane)), [`${space.name}/low`]);
  },
);
