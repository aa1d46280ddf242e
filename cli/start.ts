/**
 * `deno task start`: the relay and the functions against the current cluster.
 *
 * @module
 */
import { hostname } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import { addLogLevel, addPolicy, addPort, variablesOf } from "../functions/command_line.ts";
import { openPolicy, orExit, type PolicyHost, serveUntilSignal } from "../functions/serve.ts";
import { loadConnection } from "../relay/kube/connection.ts";
import type { LeaseOptions } from "../relay/kube/leadership.ts";
import { stagesOverHttp } from "../relay/policy/http_stages.ts";
import { KubeApi } from "../relay/kube/kube_api.ts";
import { Relay } from "../relay/relay.ts";
import { tokenFile, type TokenSource } from "../relay/policy/token_file.ts";
import { decisions } from "../shared/core/attend/decisions.ts";
import { log, setLogLevel } from "../shared/http/log.ts";
import { isLoopbackName } from "../shared/http/loopback.ts";
import { shutDown } from "../shared/http/shut_down.ts";
import { KeptFetch, separateFetch, trustPublicCas } from "./http_client.ts";
import { addRuntime, openPolicyOnWorkerd } from "./policy_on_workerd.ts";
import { RecordingFile } from "./recording_file.ts";

const command = new Command("start")
  .description(
    "Run the relay, and the policy functions in the same process, for the scheduler of a cluster",
  )
  .addOption(
    new Option(
      "--kubeconfig <file>",
      "how to reach the cluster; absent: KUBECONFIG, ~/.kube/config, or the Pod's own",
    )
      .env("MUSTER_KUBECONFIG"),
  )
  .addOption(
    new Option(
      "--functions-url <url>",
      "policy functions that run elsewhere; absent: in this process",
    )
      .env("MUSTER_FUNCTIONS_URL").argParser(parseUrl),
  )
  .addOption(
    new Option(
      "--functions-token-file <file>",
      "bearer token for the functions at --functions-url, read for every call",
    )
      .env("MUSTER_FUNCTIONS_TOKEN_FILE"),
  )
  .addOption(
    new Option(
      "--scheduler-name <names>",
      "names that the scheduler answers to, separated by commas",
    )
      .env("MUSTER_SCHEDULER_NAME").default("muster"),
  )
  .addOption(
    new Option(
      "--longest-hold <seconds>",
      "longest time that a bind call is held: less than the extender's httpTimeout",
    )
      .env("MUSTER_LONGEST_HOLD").default(3500).argParser(parseSeconds),
  )
  .addOption(
    new Option(
      "--lease <namespace/name>",
      "the schedulers' lease, where several elect a leader: only the relay beside the leader acts; absent: there is one scheduler",
    )
      .env("MUSTER_LEASE").argParser(parseLease),
  )
  .addOption(
    new Option(
      "--health-address <address:port>",
      "where /healthz, /readyz and /metrics are served too, and nothing else, for kubelet and Prometheus; absent: nowhere",
    )
      .env("MUSTER_HEALTH_ADDRESS").argParser(parseAddress),
  )
  .addOption(
    new Option(
      "--backfill <seconds>",
      "how long smaller gangs may pass one that waits for room, before what becomes free is kept for it; 0: they never pass",
    )
      .env("MUSTER_BACKFILL").default(60).argParser(parseSecondsOrNone),
  )
  .addOption(
    new Option(
      "--record <file>",
      "record what is decided about gangs, for deno task replay; absent: nothing is recorded",
    )
      .env("MUSTER_RECORD"),
  )
  .addOption(
    new Option("--record-hashed", "record names as what stands for them").env(
      "MUSTER_RECORD_HASHED",
    ),
  );
const options = addRuntime(addPolicy(addLogLevel(addPort(command)))).parse().opts();
setLogLevel(options.logLevel);
trustPublicCas();

const functionsToken = await orExit(() => tokenOf(options));
const connection = await orExit(() => loadConnection(options.kubeconfig));
const recording = await orExit(() => openRecording(options.record));
const kept = new KeptFetch(connection);
const host = options.functionsUrl ? undefined : await orExit(openHost);
const functionsUrl: string = options.functionsUrl ?? "http://in-process";
const relay = await Relay.start({
  connection,
  fetch: kept.fetch,
  // A watch may be silent because nothing happens; or because the network has forgotten all connections.
  watchFetch: separateFetch(connection, () => kept.renew()),
  functionsUrl,
  stages: (cluster) =>
    host?.stages(cluster) ??
      stagesOverHttp(functionsUrl, {
        cluster,
        fetch: new KeptFetch({ tls: {} }).fetch,
        token: functionsToken,
      }),
  log,
  decisions: (cluster) =>
    recording?.begin({ cluster, isHashed: options.recordHashed === true }) ?? decisions,
  schedulerNames: options.schedulerName.split(","),
  longestHoldSeconds: options.longestHold,
  backfillSeconds: options.backfill,
  lease: options.lease,
});

const isHealth = (pathname: string) => ["/healthz", "/readyz", "/metrics"].includes(pathname);
const health = options.healthAddress &&
  Deno.serve(
    { ...options.healthAddress, onListen() {} },
    (request) =>
      isHealth(URL.parse(request.url)?.pathname ?? "")
        ? relay.app.fetch(request)
        : new Response("Not Found", { status: 404 }),
  );
await serveUntilSignal({
  port: options.port,
  fetch: (request, info) => {
    const { pathname } = new URL(request.url);
    const isRelay = pathname.startsWith("/extender/") || isHealth(pathname);
    return isRelay || !host ? relay.app.fetch(request) : host.serve(asOurCluster(request), info);
  },
  beforeEnd: async () => {
    await Promise.all([relay.stop(), health && shutDown(health)]);
  },
});
await recording?.close();
await host?.close();
kept[Symbol.dispose]();
Deno.exit(0);

/** The functions in this process, or on a workerd of its own. */
async function openHost(): Promise<PolicyHost> {
  const vars = variablesOf(options);
  if (options.runtime === "deno") return openPolicy({ store: options.store, vars });
  const api = new KubeApi(connection.config, kept.fetch);
  const { uid } = await api.namespace("kube-system");
  return await openPolicyOnWorkerd({ store: options.store, vars, cluster: uid });
}

async function openRecording(path: string | undefined): Promise<RecordingFile | undefined> {
  if (path === undefined) return undefined;
  try {
    return await RecordingFile.open({ path });
  } catch (error) {
    throw new Error(`Cannot record to "${path}": ${(error as Error).message}`);
  }
}

/** Who asks this process about gangs and names no cluster means the one that it serves. */
function asOurCluster(request: Request): Request {
  if (request.headers.has("x-muster-cluster")) return request;
  const headers = new Headers(request.headers);
  headers.set("x-muster-cluster", relay.cluster);
  return new Request(request, { headers });
}

/** The token that the functions are called with; read once, so that a wrong file stops the start. */
async function tokenOf(
  { functionsUrl, functionsTokenFile }: { functionsUrl?: string; functionsTokenFile?: string },
): Promise<TokenSource | undefined> {
  if (functionsTokenFile === undefined) return undefined;
  if (functionsUrl === undefined) {
    throw new Error("--functions-token-file is of use with --functions-url only: give both");
  }
  const { protocol, hostname } = new URL(functionsUrl);
  if (protocol === "http:" && !isLoopbackName(hostname)) {
    log("warn", `The token for the functions crosses the network unencrypted: use an https URL`);
  }
  const token = tokenFile(functionsTokenFile);
  await token();
  return token;
}

function parseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/$/, "");
  throw new InvalidArgumentError(`"${text}" is not an http or https URL`);
}

function parseLease(text: string): LeaseOptions {
  const [namespace, name, ...rest] = text.split("/");
  if (namespace && name && rest.length === 0) return { namespace, name, hostname: hostname() };
  throw new InvalidArgumentError(
    `"${text}" is not a namespace and a name, as "muster-system/muster-scheduler"`,
  );
}

function parseAddress(text: string): { hostname: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const hostname = bracketed ?? plain;
  if (hostname && Number(port) <= 65535) return { hostname, port: Number(port) };
  throw new InvalidArgumentError(`"${text}" is not an address and a port, as "0.0.0.0:8081"`);
}

function parseSecondsOrNone(text: string): number {
  return text === "0" ? 0 : parseSeconds(text);
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError(`"${text}" is not a number of seconds above 0`);
}
