/**
 * An extender that decides nothing, the least that any extender on Deno costs: it answers `filter` with the names that it was
 * given, or with the first where scores cost more than they are worth, writes a binding for each `bind`, and follows the pods.
 * With `--hold` it does so once all members of a gang are to be bound, the least that a gang costs which is bound as one.
 *
 * @module
 */
import { Command } from "commander";
import { parseCount } from "./arguments.ts";
import { gangOf, sizeLabel } from "./load_client.ts";
import { KeptFetch, separateFetch } from "../../cli/http_client.ts";
import { bindPod } from "../../shared/client/binder.ts";
import { loadConnection } from "../../shared/client/connection.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { Watcher } from "../../shared/client/watcher.ts";
import { manyNodes } from "../../shared/core/plan/planner.ts";
import type { ExtenderArgs, ExtenderBindingArgs } from "../../shared/kubernetes/extender.ts";
import type { Node, Pod } from "../../shared/kubernetes/types.ts";

const { kubeconfig, port, hold } = new Command("floor_extender")
  .description("Answer the calls of a scheduler without deciding anything")
  .requiredOption("--kubeconfig <file>", "how to reach the cluster")
  .requiredOption("--port <number>", "where to listen", parseCount)
  .option("--hold", "bind no member before all of its gang are to be bound")
  .parse().opts();
const connection = await loadConnection(kubeconfig);
const api = new KubeApi(connection, new KeptFetch(connection).fetch);
const watchApi = new KubeApi(connection, separateFetch(connection, () => {}));
const nodes = new Set<string>();
/** By the uids of pods that `filter` was asked about. */
const sizes = new Map<string, number>();
/** Members that are to be bound, by the names of their gangs. */
const held = new Map<string, (() => void)[]>();
const failed = (error: Error) => {
  throw error;
};
const unheard = { failed, relisted: () => {} };
await new Watcher<Node>("/api/v1/nodes", { api, watchApi }, {
  ...unheard,
  changed: ({ metadata }) => nodes.add(metadata.name),
  deleted: ({ metadata }) => nodes.delete(metadata.name),
}).start();
await new Watcher<Pod>("/api/v1/pods", { api, watchApi }, {
  ...unheard,
  changed: () => {},
  deleted: () => {},
}).start();

Deno.serve({
  hostname: "127.0.0.1",
  port,
  // deno-lint-ignore no-console -- the line that callers wait for
  onListen: () => console.log(`listening: http://127.0.0.1:${port}`),
}, async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname.endsWith("/filter")) return filter(await request.json());
  if (pathname.endsWith("/bind")) return await bind(await request.json());
  // Nobody preempts where there is room.
  return new Response(`nothing answers "${pathname}"`, { status: 404 });
});

function filter({ Pod: { metadata }, NodeNames }: ExtenderArgs): Response {
  const named = nodes.size < manyNodes ? NodeNames : NodeNames?.slice(0, 1);
  if (hold) sizes.set(metadata.uid, Number(metadata.labels?.[sizeLabel] ?? 1));
  return Response.json({ NodeNames: named });
}

async function bind(args: ExtenderBindingArgs): Promise<Response> {
  const { PodNamespace: namespace, PodName: name, PodUID: uid, Node: node } = args;
  if (hold) await untilWhole(gangOf(name), sizes.get(uid) ?? 1);
  await bindPod(api, { namespace, name, uid, node });
  return Response.json({});
}

/** Resolves once as many members of the gang wait for it as the gang has. */
async function untilWhole(gang: string, size: number): Promise<void> {
  const waiting = held.get(gang) ?? [];
  const { promise, resolve } = Promise.withResolvers<void>();
  held.set(gang, waiting);
  if (waiting.push(resolve) === size) {
    held.delete(gang);
    for (const go of waiting) go();
  }
  await promise;
}
