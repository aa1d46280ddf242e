/**
 * The policy endpoints as they are deployed, on a workerd of this machine.
 *
 * @module
 */
import { type Command, Option } from "commander";
import { join, resolve } from "node:path";
import type { PolicyHost } from "../functions/serve.ts";
import { type Configuration, configurationFrom } from "../shared/http/configuration.ts";
import { refusalBeyondLoopback } from "./loopback_only.ts";
import { privateFolder } from "../shared/store/embedded/private_files.ts";
import { stagesOverHttp, type TokenSource } from "../shared/client/http_stages.ts";
import { tell } from "../shared/http/log.ts";
import { lockDirectory } from "./directory_lock.ts";
import { onFolderRemoved } from "./folder_removed.ts";

/** {@linkcode PolicyHost} on workerd. */
export interface WorkerdPolicy extends PolicyHost {
  /** Where workerd listens, without a slash at its end. */
  readonly url: string;
}

/** Gives up what only workerd needs, which is started as another program: from then on this process starts none. */
export async function startNothing(): Promise<void> {
  await Deno.permissions.revoke({ name: "run" });
}

/** Adds `--runtime`. */
export function addRuntime(command: Command): Command {
  return command.addOption(
    new Option(
      "--runtime <name>",
      "what runs the policy functions: this process, or the bundle that is deployed to the edge on workerd",
    ).env("MUSTER_RUNTIME").choices(["deno", "workerd"]).default("deno"),
  );
}

/**
 * Bundles the Worker and runs it over the objects in `<store>/workerd`. Should workerd end by itself, so does this process, and
 * where those are removed: workerd would answer nothing any more. `cluster` is the one that this process speaks for; absent:
 * it only serves others.
 *
 * @throws {Error} where another process has the folder.
 * @throws {ConfigurationError} that names everything that is wrong with the variables.
 */
export async function openPolicyOnWorkerd(
  { store, vars, port = 0, cluster }: {
    store: string;
    vars: Record<string, string>;
    port?: number;
    cluster?: string;
  },
): Promise<WorkerdPolicy> {
  const configuration = configurationFrom(vars);
  const dir = join(resolve(store), "workerd");
  privateFolder(resolve(store));
  privateFolder(dir);
  const lock = await lockDirectory(dir);
  // Loaded where they are needed: whoever does without workerd does not install it either.
  const { bundleWorkers, edgeEntries } = await import("./worker_bundle.ts");
  const { musterWorker, startWorkerd } = await import("./workerd.ts");
  const { worker } = await bundleWorkers({ worker: edgeEntries["worker"]! }, dir);
  const own = ownCredential(vars, { configuration, cluster });
  const workerd = await startWorkerd({
    dir,
    workers: { muster: { ...musterWorker, bundle: worker.path, vars: own.vars, port } },
    onErrorLine: tell,
  });
  const fail = (message: string): never => {
    tell(`error: ${message}`);
    Deno.exit(1);
  };
  workerd.failure().catch((error) => fail(error.message));
  const watched = onFolderRemoved(
    workerd.objects,
    (path) => fail(`"${path}" was removed while workerd kept its store there: start this again`),
  );
  const url = workerd.urlOf("muster");
  return {
    url,
    stages: (cluster) => stagesOverHttp(url, { cluster, fetch, token: own.token }),
    serve: async (request, info) => {
      // The Worker sees this process as its caller.
      const refusal = configuration.access.isLoopbackOnly
        ? refusalBeyondLoopback(request, info)
        : undefined;
      return refusal
        ? new Response(refusal.detail, { status: refusal.status })
        : await forward(request, url);
    },
    close: async () => {
      watched[Symbol.dispose]();
      await workerd.stop();
      lock[Symbol.dispose]();
    },
  };
}

/** Where callers need a credential, this process gets one of its own, for as long as it runs. */
function ownCredential(
  vars: Record<string, string>,
  { configuration, cluster }: { configuration: Configuration; cluster: string | undefined },
): { vars: Record<string, string>; token?: TokenSource } {
  if (configuration.access.isLoopbackOnly || cluster === undefined) return { vars };
  const token = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const tokens: Record<string, unknown[]> = JSON.parse(vars["MUSTER_TOKENS"] || "{}");
  tokens[cluster] = [...tokens[cluster] ?? [], token];
  return {
    vars: { ...vars, MUSTER_TOKENS: JSON.stringify(tokens) },
    token: () => Promise.resolve(token),
  };
}

async function forward(request: Request, url: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { method, headers, body, signal } = request;
  return await fetch(url + pathname + search, {
    method,
    headers,
    body,
    signal,
    redirect: "manual",
  });
}
