/**
 * Runs a bundle on workerd, the runtime of Cloudflare Workers.
 *
 * @module
 */
import { basename, join } from "node:path";
import workerd from "workerd";
import { type ManagedProcess, startProcess } from "./process.ts";

/** Options of {@linkcode startWorkerd}. */
export interface WorkerdOptions {
  /** The module to run, as `tools/build.ts` writes it. */
  bundle: string;
  /** Folder for the objects, the configuration and the log; made when absent. */
  dir: string;
  /** Default 0: a free one. */
  port?: number;
  /** Text bindings. */
  vars?: Record<string, string>;
  /** Binding → class of durable objects. Default: Muster's own, as in wrangler.toml. */
  objects?: Record<string, string>;
}

/** A workerd that answers. */
export interface Workerd {
  /** Without a slash at its end. */
  url: string;
  pid: number;
  /** The end of this promise is the end of the process. */
  exited: Promise<Deno.CommandStatus>;
  /** Sends a signal and waits for the end. */
  kill(signal: Deno.Signal): Promise<void>;
  /** Ends it after the requests that it is answering, or without them after 5 s. */
  stop(): Promise<void>;
}

/** Behaviour of the runtime is that of this date: the release's own, as in wrangler.toml. */
const COMPATIBILITY_DATE = "2026-10-23";
const MUSTER_OBJECTS = { GANGS: "GangObject", INDEX: "IndexObject" };

/** Starts workerd on 127.0.0.1 and resolves when it answers. It never outlives this process. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const { dir } = options;
  await Deno.mkdir(join(dir, "objects"), { recursive: true });
  const module = basename(options.bundle);
  // The configuration may embed only what lies beside it.
  await Deno.copyFile(options.bundle, join(dir, module));
  const config = join(dir, "workerd.capnp");
  await Deno.writeTextFile(config, configText(module, options));

  const listening = Promise.withResolvers<number>();
  const child = startProcess({
    name: "workerd",
    command: workerd.default,
    args: ["serve", config, "--control-fd=1"],
    logFile: join(dir, "workerd.log"),
    onLine: (line) => {
      const port = listeningPort(line);
      if (port !== undefined) listening.resolve(port);
    },
  });
  return running(child, await child.orFailure(() => listening.promise));
}

function running(child: ManagedProcess, port: number): Workerd {
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    stop: () => child.stop(),
  };
}

/** workerd tells on its control stream which port it got. */
function listeningPort(line: string): number | undefined {
  if (!line.startsWith("{")) return undefined;
  const event = JSON.parse(line) as { event: string; port?: number };
  return event.event === "listen" ? event.port : undefined;
}

function configText(module: string, options: WorkerdOptions): string {
  const objects = Object.entries(options.objects ?? MUSTER_OBJECTS);
  const classes = objects.map(([, name]) =>
    `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`
  );
  const bindings = [
    ...objects.map(([binding, name]) =>
      `(name = ${text(binding)}, durableObjectNamespace = ${text(name)})`
    ),
    // A Worker does not learn who calls it; here only this machine can.
    ...Object.entries({ MUSTER_LOOPBACK: "true", ...options.vars }).map(([name, value]) =>
      `(name = ${text(name)}, text = ${text(value)})`
    ),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "muster", worker = .muster),
    (name = "objects", disk = (path = ${text(join(options.dir, "objects"))}, writable = true)),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:${options.port ?? 0}", http = (), service = "muster"),
  ],
);

const muster :Workerd.Worker = (
  modules = [(name = ${text(module)}, esModule = embed ${text(module)})],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  durableObjectNamespaces = [${classes.join(", ")}],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${bindings.join(", ")}],
);
`;
}

/** A Cap'n Proto string: JSON's, but for control characters, which it writes otherwise. */
function text(value: string): string {
  return JSON.stringify(value).replace(/\\u00([0-9a-f]{2})/g, "\\x$1");
}
