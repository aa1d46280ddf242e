/**
 * Where the API server is, and who the relay is to it.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import process from "node:process";

/** The API server, TLS settings for it as PEM texts, and who calls. */
export interface Connection {
  readonly server: string;
  /** Of a Pod they are as the file is now, because CAs rotate: ask again for each connection. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Headers that say who calls; they change, because tokens rotate. */
  readonly credentials: () => Promise<Record<string, string>>;
  /** Whether a program is run that tells them. */
  readonly runsProgram: boolean;
  /** The namespace that is meant; undefined: none is named. */
  readonly namespace?: string | undefined;
}

/** Where kubelet puts the ServiceAccount of a Pod. */
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Loads a kubeconfig file, or the default one: KUBECONFIG, the user's, or the Pod's service account; and its current
 * context, or the one that is named.
 *
 * @throws {Error} if there is none, it can not be read, it has no such context, or it names no cluster.
 */
export async function loadConnection(file?: string, context?: string): Promise<Connection> {
  const own = join(process.env["HOME"] ?? "", ".kube", "config");
  const path = file ?? (process.env["KUBECONFIG"] || (isThere(own) ? own : undefined));
  if (path !== undefined) return await kubeconfigConnection(path, { file, context });
  if (context === undefined && isThere(join(serviceAccount, "token"))) return await podConnection();
  throw new Error(
    `There is no kubeconfig: KUBECONFIG is not set and there is no "${own}": name one by --kubeconfig`,
  );
}

/** Whether there is such a file that may be read: of others Deno does not even tell whether they are there, as in the image. */
function isThere(path: string): boolean {
  try {
    return existsSync(path);
  } catch {
    return false;
  }
}

/** The connection of a Pod, without the client library, which takes 60 MB and half a second of CPU time. */
export async function podConnection(folder = serviceAccount): Promise<Connection> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port } = process.env;
  const textOf = (name: string) => readFile(join(folder, name), "utf8");
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    get tls() {
      return { ca: readFileSync(join(folder, "ca.crt"), "utf8") };
    },
    credentials: async () => ({ authorization: `Bearer ${(await textOf("token")).trim()}` }),
    runsProgram: false,
    namespace: await textOf("namespace").catch(() => undefined),
  };
}

/** Of a kubeconfig at `path`, which is `file`, or one of the default files. */
async function kubeconfigConnection(
  path: string,
  { file, context }: { file: string | undefined; context: string | undefined },
): Promise<Connection> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (error) {
    throw new Error(`Cannot read kubeconfig "${path}": ${(error as Error).message}`);
  }
  if (context) {
    if (!config.getContextObject(context)) {
      throw new Error(`Kubeconfig "${path}" has no context "${context}"`);
    }
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (!cluster) {
    throw new Error(`Kubeconfig "${path}" names no current cluster: set its current-context`);
  }
  if (cluster.server.startsWith("http:") && !cluster.skipTLSVerify) {
    throw new Error(
      `Kubeconfig "${path}" names API server "${cluster.server}" without TLS: name it by https, or set insecure-skip-tls-verify`,
    );
  }
  const asked = async () => {
    const options: {
      headers?: Record<string, string>;
      ca?: unknown;
      cert?: unknown;
      key?: unknown;
    } = {};
    await config.applyToHTTPSOptions(options as never);
    return options;
  };
  const options = await asked();
  const pem = (name: "ca" | "cert" | "key") =>
    options[name] === undefined ? {} : { [name]: String(options[name]) };
  const { exec, authProvider } = config.getCurrentUser() ?? {};
  return {
    server: cluster.server,
    tls: { ...pem("ca"), ...pem("cert"), ...pem("key") },
    credentials: async () => (await asked()).headers ?? {},
    runsProgram: Boolean(exec || authProvider),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
  };
}
