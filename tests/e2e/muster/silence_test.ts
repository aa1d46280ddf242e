import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { loadConnection } from "../../../shared/client/connection.ts";
import { Link } from "../../../tools/link.ts";
import { Functions } from "../../../tools/control_plane/functions.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

// As where a router forgets connections: TCP learns it after a quarter of an hour, HTTP/2 never gives one up by itself.

const closing = new AsyncDisposableStack();
let toApiServer: Link;
let toFunctions: Link;

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: async ({ dir, server, kubeconfigs }) => {
    toApiServer = closing.use(new Link(Number(new URL(server).port)));
    toFunctions = closing.use(new Link(await startFunctions(dir)));
    const text = await Deno.readTextFile(kubeconfigs.relay);
    const kubeconfig = join(dir, "relay_through_proxy.kubeconfig");
    const through = `https://127.0.0.1:${toApiServer.port}`;
    await Deno.writeTextFile(kubeconfig, text.replace(server, through));
    const caFile = join(dir, "ca.crt");
    await Deno.writeTextFile(caFile, (await loadConnection(kubeconfig)).tls.ca!);
    return {
      kubeconfig,
      denoArgs: [`--cert=${caFile}`],
      extraArgs: [`--functions-url=https://127.0.0.1:${toFunctions.port}`],
    };
  },
  ended: () => closing.disposeAsync(),
}));

/** Gives the port of functions behind TLS, and so HTTP/2, with the API server's certificate. */
async function startFunctions(dir: string): Promise<number> {
  const functions = new Functions(await Deno.makeTempDir({ dir }));
  closing.defer(() => functions.kill());
  await functions.start();
  const [cert, key] = await Promise.all(
    ["crt", "key"].map((kind) => Deno.readTextFile(join(dir, "certificates", `apiserver.${kind}`))),
  );
  const front = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: cert!, key: key!, onListen: () => {} },
    ({ url, method, headers, body }) => {
      const { pathname, search } = new URL(url);
      return fetch(functions.url + pathname + search, { method, headers, body });
    },
  );
  closing.defer(() => front.shutdown());
  return front.addr.port;
}

for (
  const [to, proxyOf] of [
    ["the functions", () => toFunctions],
    ["the API server", () => toApiServer],
  ] as const
) {
  scenario(
    `gangs start although the relay's connections to ${to} die in silence`,
    async ({ cluster, space }) => {
      const { pid } = cluster.muster.process;
      await space.createGang("before", { size: 2, gpus: 1 });
      await space.untilBound(membersOf("before", 2));
      const proxy = proxyOf();
      const before = proxy.count;
      proxy.silence();
      await space.createGang("after", { size: 2, gpus: 1 });
      await space.untilBound(membersOf("after", 2));
      assertEquals([cluster.muster.process.pid, proxy.count > before], [pid, true]);
    },
  );
}
