/**
 * A way to the relay for whoever has a kubeconfig: it listens on its Pod's loopback only, where `kubectl port-forward` ends.
 *
 * @module
 */
import type { KubeApi } from "../../shared/client/kube_api.ts";
import { exitCodes, Failure } from "./failure.ts";
import type { Unreachable } from "./gang_client.ts";

const namespace = "muster-system";
const lease = { namespace, name: "muster-scheduler" };
const relayPort = 8080;

/** An open way, which ends with this process. */
export interface Tunnel {
  readonly url: string;
  /** Closes it, by which nobody could be reached, and tells why. */
  lost(error: Unreachable): Promise<Failure>;
  close(): Promise<void>;
}

/** Opens one to the relay that acts: the one in the Pod whose scheduler leads. `flags` choose the cluster. */
export async function openTunnel(api: KubeApi, flags: readonly string[]): Promise<Tunnel> {
  const pod = await leader(api);
  const args = [...flags, "port-forward", "--namespace", namespace, `pod/${pod}`, `:${relayPort}`];
  let child: Deno.ChildProcess;
  try {
    child = kubectl(args);
  } catch (error) {
    throw new Failure(
      `Cannot run kubectl, which leads to the relay: ${
        (error as Error).message
      }; install it, or give --url`,
    );
  }
  const complaint = new Response(child.stderr).text().then((text) => text.trim());
  const unreachable = `Cannot reach the relay in pod "${namespace}/${pod}" by kubectl port-forward`;
  const port = await forwardedPort(child.stdout);
  if (port === undefined) {
    await child.status;
    throw new Failure(
      `${unreachable}: ${
        await complaint || "it ended"
      }: you need the right to create pods/portforward there, or give --url`,
    );
  }
  async function close(): Promise<void> {
    try {
      child.kill();
    } catch {
      // It has ended by itself.
    }
    await Promise.all([child.status, complaint]);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    close,
    async lost({ cause }) {
      await close();
      return new Failure(`${unreachable}: ${await complaint || cause.message}: try again`);
    },
  };
}

/** The Pod of the scheduler that holds the lease. */
async function leader(api: KubeApi): Promise<string> {
  const holder = await api.leaseHolder(lease).catch((error) => {
    throw new Failure(
      `Cannot read lease "${lease.namespace}/${lease.name}", which tells where Muster runs: ${error.message}`,
    );
  });
  if (holder) return holder.replace(/_[^_]*$/, "");
  throw new Failure(
    `No scheduler of Muster leads in this cluster: there is no lease "${lease.namespace}/${lease.name}"; ` +
      "install Muster (docs/install.md), or give --url where it runs outside",
    exitCodes.notFound,
  );
}

/** The kernel kills it when this process dies, where there is a way to ask for that. */
function kubectl(args: readonly string[]): Deno.ChildProcess {
  const own = Deno.build.os === "linux"
    ? ["setpriv", "--pdeathsig", "KILL", "--", "kubectl", ...args]
    : ["kubectl", ...args];
  return new Deno.Command(own[0]!, {
    args: own.slice(1),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** kubectl says `Forwarding from 127.0.0.1:40123 -> 8080`; undefined: it ended before. What it says later is not read. */
async function forwardedPort(output: ReadableStream<Uint8Array>): Promise<number | undefined> {
  const reader = output.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    const port = /^Forwarding from 127\.0\.0\.1:(\d+) /m.exec(text)?.[1];
    if (port === undefined) continue;
    void drain(reader);
    return Number(port);
  }
  return undefined;
}

async function drain(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}
