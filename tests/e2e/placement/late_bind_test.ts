import { assertEquals } from "@std/assert";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

/** Stands before the relay, and lets calls of bind wait, as volumes and claims may between `filter` and `bind`. */
class Between {
  readonly #relay: string;
  readonly #released = Promise.withResolvers<void>();
  /** The nodes of the calls that wait. */
  readonly #nodes: string[] = [];
  readonly #came = Promise.withResolvers<void>();
  readonly #wanted: number;
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => this.#answer(request),
  );

  constructor(relay: string, wanted: number) {
    this.#relay = relay;
    this.#wanted = wanted;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Resolves to the nodes of the calls, once as many wait as are wanted. */
  async nodes(): Promise<readonly string[]> {
    await this.#came.promise;
    return this.#nodes;
  }

  release(): void {
    this.#released.resolve();
  }

  stop(): Promise<void> {
    return this.#server.shutdown();
  }

  async #answer({ url, method, headers, body }: Request): Promise<Response> {
    const { pathname } = new URL(url);
    const sent = body && await new Response(body).text();
    if (pathname === "/extender/bind" && this.#nodes.length < this.#wanted) {
      this.#nodes.push(JSON.parse(sent!).Node);
      if (this.#nodes.length === this.#wanted) this.#came.resolve();
      await this.#released.promise;
    }
    return await fetch(this.#relay + pathname, { method, headers, ...(sent && { body: sent }) });
  }
}

const host = "kubernetes.io/hostname";

let between: Between;

const scenario = onCluster(() => ({
  nodes: { "node-1": 2, "node-2": 2 },
  started: async (cluster) => {
    between = new Between(cluster.muster.url, 2);
    await cluster.scheduler.kill("SIGTERM");
    cluster.scheduler = await startScheduler(cluster.controlPlane, { extenderUrl: between.url });
  },
  ended: () => between.stop(),
}));

scenario(
  "members that come late to be bound where their gang is not planned any more go with it",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    const members = membersOf("gang", 2);
    await space.createGang("gang", {
      size: 2,
      gpus: 1,
      annotations: { "muster.scheduling/required-topology": host },
    });
    const [node, other] = await between.nodes();
    assertEquals(other, node);
    await api.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: true } });
    // Told once the plan is of the nodes as they are now; without a gate the scheduler would say it first.
    const schedulingGates = [{ name: "muster.scheduling/queued" }];
    const spec = { schedulingGates, nodeSelector: { [host]: node } };
    await space.createGang("sign", { size: 1, spec });
    await space.untilTold(["sign-0"], "short of nodes that its members may run on");
    between.release();
    await space.untilTold(members, `is planned anew: ${node} is not for this member any more`);
    const bound = await space.untilBound(members);
    assertEquals(bound.filter(({ spec }) => spec.nodeName === node), []);
    await api.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: null } });
  },
);
