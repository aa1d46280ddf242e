/**
 * `deno task start`: the relay and the functions against the current cluster.
 *
 * @module
 */
import { parsed, variablesOf } from "../functions/command_line.ts";
import {
  endAsked,
  listenOrExit,
  openPolicy,
  orExit,
  type PolicyHost,
  serveUntilSignal,
} from "../functions/serve.ts";
import type { Stages } from "../functions/stages.ts";
import { loadConnection } from "../shared/client/connection.ts";
import { stagesOverHttp, type TokenSource } from "../shared/client/http_stages.ts";
import { KubeApi } from "../shared/client/kube_api.ts";
import { type Relay, type RelayOptions, startRelay } from "../relay/relay.ts";
import { untilAnswered } from "../shared/client/until_answered.ts";
import { whyOf } from "../shared/client/why_of.ts";
import { settingsFrom } from "../shared/contract/settings.ts";
import { decisions } from "../shared/core/attend/decisions.ts";
import { backfillOf } from "../shared/core/gang/backfill.ts";
import { accessFrom } from "../shared/http/access.ts";
import { log, setLogLevel } from "../shared/http/log.ts";
import { isLoopbackName } from "../shared/http/loopback.ts";
import { shutDown } from "../shared/http/shut_down.ts";
import { KeptFetch, separateFetch, trustPublicCas } from "./http_client.ts";
import { ApiServerAway } from "./api_server_away.ts";
import { refusalBeyondLoopback } from "./loopback_only.ts";
import { FunctionsReached } from "./functions_reached.ts";
import { type HealthServer, isHealth, serveHealth } from "./health_server.ts";
import { openPolicyOnWorkerd, startNothing } from "./policy_on_workerd.ts";
import { OwnStage } from "./policy/own_stage.ts";
import { OwnStages } from "./policy/own_stages.ts";
import { Shadows } from "./policy/shadows.ts";
import { askerOf, namedStages, type StageFlags } from "./policy/stage_flags.ts";
import type { StageAddress } from "./policy/stage_call.ts";
import { StageReport } from "./policy/stage_report.ts";
import { tokenFile } from "./policy/token_file.ts";
import { RecordingFile } from "./recording_file.ts";
import { startCommand } from "./start_flags.ts";
import { keepTimeSteady } from "./steady_time.ts";

const options = parsed(startCommand());
keepTimeSteady();
setLogLevel(options.logLevel);
trustPublicCas();

const settings = await orExit(() => settingsFrom(variablesOf(options)));
const functionsToken = await orExit(() => tokenOf(options));
const named = await orExit(() => namedStages(options as StageFlags, log));
const healthAddress = options.healthAddress &&
  { ...options.healthAddress, flag: "--health-address" };
await refuseUsedPorts();
let report: StageReport | undefined;
const connection = await orExit(() => loadConnection(options.kubeconfig));
if (options.runtime === "deno" && !connection.runsProgram) await startNothing();
const recording = await orExit(() => openRecording(options.record));
const kept = new KeptFetch(connection);
const functionsUrl: string = options.functionsUrl ?? "http://in-process";
const reached = options.functionsUrl ? new FunctionsReached(functionsUrl) : undefined;
let host: PolicyHost | undefined;
let health: HealthServer | undefined;
const away = new ApiServerAway(connection.server, { log, began: waiting });
const kubelet = { request: (path: string) => away.answer(path) as Response | Promise<Response> };
if (!options.functionsUrl) host = await orExit(openHost);
const access = host && accessFrom(variablesOf(options));
const relay = await orExit(openRelay);
away.over();
if (access && !access.isLoopbackOnly && !access.clusters.has(relay.cluster)) {
  const remedy = `name it "${relay.cluster}" in MUSTER_TOKENS or MUSTER_ISSUERS`;
  log("warn", `No credential speaks for this cluster, so nobody sees its gangs: ${remedy}`);
}

kubelet.request = (path) => askRelay(new Request(new URL(path, "http://127.0.0.1")));
await openHealth();
await serveUntilSignal({
  port: options.port,
  fetch: (request, { info, pathname }) => {
    if (pathname === "/stages" && report) return tellStages(request, info);
    const isRelay = pathname.startsWith("/extender/") || isHealth(pathname);
    return isRelay || !host ? askRelay(request) : host.serve(asOurCluster(request), info);
  },
  beforeEnd: async () => {
    await Promise.all([relay.stop(), health && shutDown(health)]);
  },
});
kept[Symbol.dispose]();
await end();

/** Before anything is opened: a relay that acts and cannot be called would do harm. */
async function refuseUsedPorts(): Promise<void> {
  const served = { hostname: "127.0.0.1", port: options.port, flag: "--port" };
  for (const address of [served, ...(healthAddress ? [healthAddress] : [])]) {
    await listenOrExit(() => Deno.listen(address).close(), address);
  }
}

/** For as long as the API server is away. */
async function waiting(): Promise<void> {
  void endAsked().then(() => away.isOver || end());
  await openHealth();
}

/** For kubelet and Prometheus, once. */
async function openHealth(): Promise<void> {
  if (!healthAddress) return;
  health ??= await listenOrExit(() => serveHealth(healthAddress, kubelet), healthAddress);
}

async function end(): Promise<never> {
  await recording?.close();
  await host?.close();
  Deno.exit(0);
}

/** The relay, once it knows the cluster; the error says which API server it needs for that. */
async function openRelay(): Promise<Relay> {
  try {
    return await startRelay({
      connection,
      fetch: kept.fetch,
      // A watch may be silent because nothing happens; or because the network has forgotten all connections.
      watchFetch: separateFetch(connection, () => kept.renew()),
      away: away.noted,
      functionsUrl,
      stages,
      log,
      decisions: (cluster) =>
        recording?.begin({ cluster, isHashed: options.recordHashed }) ?? decisions,
      schedulerNames: options.schedulerName,
      longestHoldSeconds: options.longestHold,
      backfill: backfillOf(settings.backfill)!,
      levels: options.topologyLevels,
      expectedSeconds: options.expectedDuration,
      isOptIn: options.admissionOptIn,
      evicts: options.evict,
      lease: options.lease,
    });
  } catch (error) {
    throw new Error(
      `Cannot learn the cluster from "${connection.server}": ${whyOf(error as Error)}`,
    );
  }
}

/** What answers for a cluster: the functions, and stages of one's own before them. */
function stages(...[cluster, about]: Parameters<RelayOptions["stages"]>): Stages {
  const { fetch } = new KeptFetch({ tls: {} });
  const builtIn = host?.stages(cluster) ??
    stagesOverHttp(functionsUrl, { cluster, fetch, token: functionsToken });
  void reached?.by(() => builtIn.queueSort({ units: [] }, crypto.randomUUID()), { log });
  if (named.own.length === 0 && named.shadows.length === 0) return builtIn;
  const stageReport = report = new StageReport({ registry: about.registry, log });
  const asked = <Stage extends StageAddress>(stage: Stage) => ({
    ...stage,
    ask: askerOf(stage, { cluster, fetch }),
  });
  return new OwnStages(builtIn, {
    facts: about.facts,
    own: named.own.map((stage) => new OwnStage(asked(stage), stageReport)),
    shadows: new Shadows(named.shadows.map(asked), stageReport),
  });
}

/** The relay's answer; to `/readyz` functions elsewhere and stages of one's own add theirs. */
async function askRelay(request: Request): Promise<Response> {
  const response = await relay.app.fetch(request);
  if (URL.parse(request.url)?.pathname !== "/readyz") return response;
  const unreached = reached?.why;
  const { lines = [], isReady = true } = report?.readiness ?? {};
  const said = unreached === undefined ? lines : [unreached, ...lines];
  if (said.length === 0) return response;
  const status = isReady && unreached === undefined ? response.status : 503;
  // The relay's "ok" is not the whole answer where others are not ready.
  if (response.ok && status === 503) return new Response(said.join("\n"), { status });
  return new Response([await response.text(), ...said].join("\n"), { status });
}

/** How stages of one's own do, for callers on this machine alone, because it asks for no credential. */
function tellStages(request: Request, info: Deno.ServeHandlerInfo): Response {
  const refusal = refusalBeyondLoopback(request, info);
  if (!refusal) return Response.json(report);
  const { title, status } = refusal;
  return new Response(`${title}: only callers on this machine are told of stages`, { status });
}

/** The functions in this process, or on a workerd of its own. */
async function openHost(): Promise<PolicyHost> {
  const vars = variablesOf(options);
  if (options.runtime === "deno") return openPolicy({ store: options.store, vars });
  const api = new KubeApi(connection, kept.fetch);
  const { uid } = await untilAnswered(() => api.namespace("kube-system"), away.noted);
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

/** Who asks this process about gangs and names no cluster, nor has a credential that does, means the one that it serves. */
function asOurCluster(request: Request): Request {
  if (!access?.isLoopbackOnly || request.headers.has("x-muster-cluster")) return request;
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
