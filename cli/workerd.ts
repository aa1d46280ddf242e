/**
 * Runs bundles on workerd, the runtime of Cloudflare Workers.
 *
 * @module
 */
import { join } from "node:path";
import workerd from "workerd";
import { type ManagedProcess, startProcess } from "./process.ts";

/** One Worker, as an environment of wrangler.toml describes it. */
export interface WorkerOptions {
  /** The module to run, as `cli/worker_bundle.ts` writes it. */
  bundle: string;
  /** Port on 127.0.0.1. Default 0: a free one. */
  port?: number;
  /** Text bindings. */
  vars?: Readonly<Record<string, string>>;
  /** Its classes of durable objects, each over SQLite. */
  classes?: readonly string[];
  /** Bindings to classes of durable objects; `script` names the Worker that has the class, if it is another one. */
  objects?: readonly { name: string; class: string; script?: string | undefined }[];
}

/** Options of {@linkcode startWorkerd}. */
export interface WorkerdOptions {
  /** Folder for the objects, the configuration and the log; made when absent. One process at a time may use it. */
  dir: string;
  /** The Workers, by name. */
  workers: Readonly<Record<string, WorkerOptions>>;
  /** Called with each line of what the Workers print. */
  onErrorLine?: (line: string) => void;
}

/** A workerd that answers. */
export interface Workerd {
  /** The address of a Worker, without a slash at its end. */
  urlOf(worker: string): string;
  /** The folder of the objects: in it one for each class. */
  objects: string;
  pid: number;
  /** Rejects if the process ends unasked; never resolves. */
  failure(): Promise<never>;
  /** Sends a signal and waits for the end. */
  kill(signal: Deno.Signal): Promise<void>;
  /** Ends it after the requests that it is answering, or without them after 5 s. */
  stop(): Promise<void>;
}

/** Behaviour of the runtime is that of this date: the release's own, as in wrangler.toml. */
export const compatibilityDate = "2026-10-23";

/** What Muster's whole Worker has beside its bundle, as in wrangler.toml. */
export const musterWorker = {
  classes: ["GangObject", "IndexObject"],
  objects: [{ name: "GANGS", class: "GangObject" }, { name: "INDEX", class: "IndexObject" }],
} as const;

/** Starts workerd on 127.0.0.1 and resolves when every Worker can be reached. It never outlives this process. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const { dir, workers, onErrorLine } = options;
  const objects = join(dir, "objects");
  await Deno.mkdir(objects, { recursive: true, mode: 0o700 });
  for (const [name, { bundle }] of Object.entries(workers)) {
    // The configuration may embed only what lies beside it.
    await Deno.copyFile(bundle, join(dir, `${name}.js`));
  }
  const config = join(dir, "workerd.capnp");
  // Variables may be secrets.
  await Deno.writeTextFile(config, configText({ objects, workers }), { mode: 0o600 });

  const ports = new Map<string, number>();
  const listening = Promise.withResolvers<void>();
  const logFile = join(dir, "workerd.log");
  await Deno.writeTextFile(logFile, "");
  const child = startProcess({
    name: "workerd",
    command: workerd.default,
    args: ["serve", config, "--control-fd=1"],
    logFile,
    ...(onErrorLine && { onErrorLine }),
    onLine: (line) => {
      const event = listenEvent(line);
      if (event) ports.set(event.socket, event.port);
      if (ports.size === Object.keys(workers).length) listening.resolve();
    },
  });
  await child.orFailure(() => listening.promise);
  return running(child, { ports, objects });
}

function running(
  child: ManagedProcess,
  { ports, objects }: { ports: ReadonlyMap<string, number>; objects: string },
): Workerd {
  return {
    urlOf: (worker) => `http://127.0.0.1:${ports.get(worker)}`,
    objects,
    pid: child.pid,
    failure: () => child.failure(),
    kill: (signal) => child.kill(signal),
    stop: () => child.stop(),
  };
}

/** workerd tells on its control stream which port each socket got. */
function listenEvent(line: string): { socket: string; port: number } | undefined {
  if (!line.startsWith("{")) return undefined;
  const event = JSON.parse(line) as { event: string; socket: string; port: number };
  return event.event === "listen" ? event : undefined;
}

/** Issuers of tokens may be in the cluster or on this machine; workerd's own "internet" is public addresses only. */
const network = `network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))`;

function configText(
  { objects, workers }: Pick<WorkerdOptions, "workers"> & Pick<Workerd, "objects">,
): string {
  const names = Object.keys(workers);
  const services = names.map((name, index) => `(name = ${text(name)}, worker = .worker${index})`);
  const sockets = Object.entries(workers).map(([name, { port = 0 }]) =>
    `(name = ${text(name)}, address = "127.0.0.1:${port}", http = (), service = ${text(name)})`
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    ${services.join(",\n    ")},
    (name = "internet", ${network}),
    (name = "disk", disk = (path = ${text(objects)}, writable = true)),
  ],
  sockets = [
    ${sockets.join(",\n    ")},
  ],
);
${names.map((name, index) => workerText(name, { ...workers[name]!, index })).join("")}`;
}

function workerText(name: string, worker: WorkerOptions & { index: number }): string {
  const { index, classes = [], objects = [], vars = {} } = worker;
  const namespaces = classes.map((of) =>
    `(className = ${text(of)}, uniqueKey = ${text(`${name}.${of}`)}, enableSql = true)`
  );
  const bindings = [
    ...objects.map((object) => {
      const service = object.script === undefined ? "" : `, serviceName = ${text(object.script)}`;
      const namespace = `(className = ${text(object.class)}${service})`;
      return `(name = ${text(object.name)}, durableObjectNamespace = ${namespace})`;
    }),
    // A Worker does not learn who calls it; here only this machine can.
    ...Object.entries({ MUSTER_LOOPBACK: "true", ...vars }).map(([variable, value]) =>
      `(name = ${text(variable)}, text = ${text(value)})`
    ),
  ];
  return `
const worker${index} :Workerd.Worker = (
  modules = [(name = ${text(`${name}.js`)}, esModule = embed ${text(`${name}.js`)})],
  compatibilityDate = ${text(compatibilityDate)},
  durableObjectNamespaces = [${namespaces.join(", ")}],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [${bindings.join(", ")}],
);
`;
}

/** A Cap'n Proto string: JSON's, but for control characters, which it writes otherwise. */
function text(value: string): string {
  return JSON.stringify(value).replace(/\\u00([0-9a-f]{2})/g, "\\x$1");
}
