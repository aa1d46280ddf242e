/**
 * What a command works with: the cluster, the functions, and the namespace that is meant.
 *
 * @module
 */
import { type Connection, loadConnection } from "../../shared/client/connection.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { KeptFetch } from "../http_client.ts";
import { exitCodes, Failure } from "./failure.ts";
import { GangClient, Unreachable } from "./gang_client.ts";
import { openTunnel } from "./tunnel.ts";

/** The options of every command that reads gangs or the cluster. */
export interface AccessOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

/** Runs with a way to the functions, which is closed afterwards. */
export async function withGangs<T>(
  options: AccessOptions,
  run: (gangs: GangClient) => Promise<T>,
): Promise<T> {
  const { cluster } = options;
  const token = options.tokenFile === undefined ? undefined : await tokenIn(options.tokenFile);
  if (options.url !== undefined) {
    return await run(new GangClient({ url: options.url, token, cluster }));
  }
  return await withCluster(options, async (api) => {
    const flags = [
      ...(options.kubeconfig === undefined ? [] : ["--kubeconfig", options.kubeconfig]),
      ...(options.context === undefined ? [] : ["--context", options.context]),
    ];
    const tunnel = await openTunnel(api, flags);
    try {
      return await run(new GangClient({ url: tunnel.url, token, cluster }));
    } catch (error) {
      throw error instanceof Unreachable ? await tunnel.lost(error) : error;
    } finally {
      await tunnel.close();
    }
  });
}

/** Runs with a client of the API server. */
export async function withCluster<T>(
  options: AccessOptions,
  run: (api: KubeApi) => Promise<T>,
): Promise<T> {
  const connection = await connect(options);
  using kept = new KeptFetch(connection);
  return await run(new KubeApi(connection, kept.fetch));
}

/** The namespace that is meant; undefined: all of them. */
export async function namespaceOf(options: AccessOptions): Promise<string | undefined> {
  if (options.allNamespaces) return undefined;
  return await oneNamespaceOf(options);
}

/** The namespace of `-n`, where that is not empty, or of the kubeconfig's context, or `default`. */
export async function oneNamespaceOf(options: AccessOptions): Promise<string> {
  if (options.namespace) return options.namespace;
  const isElsewhere = options.url !== undefined && options.kubeconfig === undefined;
  if (isElsewhere) return "default";
  return (await connect(options)).namespace || "default";
}

/** Gangs as they are named on a command line: `namespace/name`, or a name in the namespace that is meant. */
export async function gangsNamed(
  texts: readonly string[],
  options: AccessOptions,
): Promise<{ namespace: string; name: string }[]> {
  const gangs = texts.map((text) => {
    const [name = "", namespace, ...rest] = text.split("/").reverse();
    if (name !== "" && namespace !== "" && rest.length === 0) return { namespace, name };
    throw new Failure(`"${text}" is not a gang's name, or namespace/name`, exitCodes.usage);
  });
  const isShort = gangs.some(({ namespace }) => namespace === undefined);
  const meant = isShort ? await oneNamespaceOf(options) : "";
  return gangs.map(({ namespace = meant, name }) => ({ namespace, name }));
}

async function connect({ kubeconfig, context }: AccessOptions): Promise<Connection> {
  try {
    return await loadConnection(kubeconfig, context);
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

async function tokenIn(path: string): Promise<string> {
  const token = await Deno.readTextFile(path).catch((error) => {
    throw new Failure(`Cannot read the token: ${error.message}`);
  });
  return token.trim();
}
