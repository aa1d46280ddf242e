import { assert, assertEquals } from "@std/assert";
import { relayUser } from "../../../tools/control_plane/audit.ts";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { auditOf } from "../support/invariants.ts";
import { onCluster } from "../support/on_cluster.ts";
import { whyPending } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

/** An extender of somebody else's. */
interface Other {
  /** The nodes that it leaves; null: it fails. */
  leaves: (names: readonly string[]) => readonly string[] | null;
  /** The nodes of each of its calls. */
  asked: string[][];
}

/** The one is called before Muster; the other, which may fail, after it. */
const others: Record<string, Other> = { first: newOther(), last: newOther() };
let server: Deno.HttpServer<Deno.NetAddr>;

const scenario = onCluster(() => {
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  const url = `http://127.0.0.1:${server.addr.port}`;
  return {
    nodes: { "node-1": 4, "node-2": 4 },
    started: async (cluster) => {
      await cluster.scheduler.kill();
      cluster.scheduler = await startScheduler(cluster.controlPlane, {
        extenderUrl: cluster.muster.url,
        otherExtenders: [
          { urlPrefix: `${url}/first` },
          { urlPrefix: `${url}/last`, ignorable: true },
        ],
      });
    },
    ended: () => server.shutdown(),
  };
});

function newOther(): Other {
  return { leaves: (names) => names, asked: [] };
}

async function answer(request: Request): Promise<Response> {
  const other = others[new URL(request.url).pathname.split("/")[1]!]!;
  const { NodeNames: names } = await request.json();
  other.asked.push(names);
  const left = other.leaves(names);
  return left ? Response.json({ NodeNames: left }) : new Response("broken", { status: 500 });
}

scenario(
  "EX-1 a gang is not bound while another extender and Muster take no node both for one of its members",
  async ({ space }) => {
    others["first"] = {
      ...newOther(),
      leaves: (names) => names.filter((name) => name === "node-1"),
    };
    const members = membersOf("both", 2);
    await space.createGang("both", { size: 2, gpus: 3 });
    await space.until(
      "one of them finds no node",
      (pods) => pods.some((pod) => whyPending(pod)?.startsWith("0/2 nodes are available")),
    );
    assertEquals(await space.bound(), []);
    others["first"] = newOther();
    await space.untilBound(members);
  },
);

scenario(
  "EX-2 EX-12 Muster takes of what an extender before it leaves, one after it sees what Muster leaves, and Muster binds",
  async ({ cluster, space }) => {
    others["first"] = {
      ...newOther(),
      leaves: (names) => names.filter((name) => name === "node-2"),
    };
    others["last"] = newOther();
    const pods = await space.createGang("one", { size: 2, gpus: 2 });
    await space.untilBound(membersOf("one", 2));
    assert(others["first"].asked.some((names) => names.includes("node-1")));
    assertEquals(new Set(others["last"].asked.flat()), new Set(["node-2"]));
    const uids = pods.map(({ metadata }) => metadata.uid);
    const binders = (await auditOf(cluster.controlPlane))
      .filter(({ objectRef }) => objectRef?.subresource === "binding")
      .filter(({ requestObject }) => uids.includes(requestObject?.metadata?.uid))
      .map(({ user }) => user.username);
    assertEquals(binders, [relayUser, relayUser]);
  },
);

scenario(
  "EX-3 a gang is not bound while an extender fails that may not be ignored",
  async ({ space }) => {
    others["first"] = { ...newOther(), leaves: () => null };
    await space.createGang("held-up", { size: 2, gpus: 1 });
    await space.until(
      "each member says that the scheduler failed",
      (pods) =>
        pods.length === 2 &&
        pods.every((pod) =>
          pod["status"].conditions?.some((condition: { reason?: string }) =>
            condition.reason === "SchedulerError"
          )
        ),
    );
    assertEquals(await space.bound(), []);
    others["first"] = newOther();
    await space.untilBound(membersOf("held-up", 2));
  },
);

scenario(
  "EX-4 EX-6 a gang whose members ask for nothing waits for all of them, and an extender that fails is skipped where it may be ignored",
  async ({ space }) => {
    others["first"] = newOther();
    others["last"] = { ...newOther(), leaves: () => null };
    const gang = { name: "light", minAvailable: 2 };
    await space.create("light-0", { gang });
    await space.untilTold(["light-0"], "1 of 2 members");
    await space.create("light-1", { gang });
    await space.untilBound(membersOf("light", 2));
    assert(others["last"].asked.length > 0);
  },
);
