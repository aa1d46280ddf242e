/**
 * Where the API server is, and who the relay is to it.
 *
 * @module
 */
import { KubeConfig } from "@kubernetes/client-node";

/** A loaded kubeconfig, and its TLS settings as PEM texts. */
export interface Connection {
  readonly config: KubeConfig;
  readonly server: string;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/**
 * Loads a kubeconfig file, or the default one: KUBECONFIG, the user's, or the Pod's service account; and its current
 * context, or the one that is named.
 *
 * @throws {Error} if there is none, or it names no cluster.
 */
export async function loadConnection(file?: string, context?: string): Promise<Connection> {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  if (context !== undefined) config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (!cluster) {
    throw new Error(
      `Kubeconfig "${file ?? "default"}" names no current cluster: set its current-context`,
    );
  }
  const options: { ca?: unknown; cert?: unknown; key?: unknown } = {};
  await config.applyToHTTPSOptions(options as never);
  const pem = (name: "ca" | "cert" | "key") =>
    options[name] === undefined ? {} : { [name]: String(options[name]) };
  return { config, server: cluster.server, tls: { ...pem("ca"), ...pem("cert"), ...pem("key") } };
}
