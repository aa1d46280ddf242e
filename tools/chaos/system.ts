import { join } from "node:path";
import type { ManagedProcess } from "../../cli/process.ts";
import { Chance } from "../chance.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { allowElection, leaseFlag } from "../control_plane/election.ts";
import { Functions } from "../control_plane/functions.ts";
import { applyKustomization, deployAdmission } from "../control_plane/manifests.ts";
import { Muster } from "../control_plane/muster.ts";
import { untilReady } from "../control_plane/readiness.ts";
import { Scheduler } from "../control_plane/scheduler.ts";
import { startControlPlane } from "../control_plane/start_control_plane.ts";
import { Link } from "../link.ts";
import type { ClockOwner, LinkName, PartName } from "./actions.ts";
import { gpusPerNode, namespace, nodeCount, nodesPerRack, priorities } from "./gangs.ts";
import { Part } from "./part.ts";
import { type SettableClock, settableClock } from "./settable_clock.ts";
import { SmallDisk } from "./small_disk.ts";

/** Short, so that others take over within a run. */
const leaseSeconds = 3;
/** Room for what both hosts of the store keep of a thousand gangs, each of which has a file and its log. */
const diskMebibytes = 256;

/** A part that is a process of its own. */
export type ProcessName = Exclude<PartName, "store">;

/** A scheduler and the relay beside it. */
interface Pair {
  readonly muster: Muster;
  readonly scheduler: Scheduler;
}

/**
 * A control plane, two schedulers of which one leads, each with its relay, and functions of both, which change between Deno and
 * workerd; connections between them pass through links. What ends is started again.
 */
export class System implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly parts: Readonly<Record<ProcessName, Part>>;
  readonly links: Readonly<Record<LinkName, Link>>;
  readonly pairs: readonly Pair[];
  /** Where the store is; undefined where this user may not mount one. */
  readonly disk: SmallDisk | undefined;
  readonly #functions: Functions;
  readonly #closing = new AsyncDisposableStack();

  private constructor(
    parts: Pick<System, "controlPlane" | "parts" | "links" | "pairs" | "disk"> & {
      functions: Functions;
    },
  ) {
    this.controlPlane = parts.controlPlane;
    this.parts = parts.parts;
    this.links = parts.links;
    this.pairs = parts.pairs;
    this.disk = parts.disk;
    this.#functions = parts.functions;
  }

  /** Starts everything in a folder; the seed draws how soon a part is started again, and on which runtime the functions are. */
  static async start(
    { dir, seed, onProgress }: { dir: string; seed: number; onProgress: (line: string) => void },
  ): Promise<System> {
    await using closing = new AsyncDisposableStack();
    const wiring = new Wiring(dir, closing);
    const controlPlane = closing.use(
      await startControlPlane({
        dir: join(dir, "cluster"),
        auditLog: true,
        onProgress,
        etcdThrough: (url) => wiring.link("kube-apiserver to etcd", url),
      }),
    );
    await prepare(controlPlane);
    const functions = new Functions(join(dir, "functions"));
    const disk = await SmallDisk.mount(functions.store, diskMebibytes);
    if (disk) closing.use(disk);
    const pairs = [
      await pairOf("a", { controlPlane, functions, wiring }),
      await pairOf("b", { controlPlane, functions, wiring }),
    ] as const;
    const clock = await wiring.clock("functions");
    const parts = superviseAll({ controlPlane, functions, pairs, clock }, {
      closing,
      chance: new Chance(seed + 1),
    });
    const links = wiring.links as Record<LinkName, Link>;
    const system = new System({
      controlPlane,
      parts,
      links,
      pairs,
      disk,
      functions,
    });
    await system.untilReady();
    system.#closing.use(closing.move());
    return system;
  }

  /** Resolves when everything that runs says that it is ready. */
  async untilReady(): Promise<void> {
    const { signal } = new AbortController();
    const timeoutMs = 120_000;
    await this.controlPlane.untilServing(signal);
    await untilReady(() => answers(`${this.#functions.url}/healthz`), {
      what: "functions",
      signal,
      timeoutMs,
    });
    for (const { muster, scheduler } of this.pairs) {
      await untilReady(() => answers(`${muster.url}/readyz`), { what: "relay", signal, timeoutMs });
      await untilReady(() => scheduler.isReady(), { what: "kube-scheduler", signal, timeoutMs });
    }
  }

  /** The process that has the store: workerd, where the functions run on it; undefined where it is that of the functions. */
  get workerd(): number | undefined {
    const pid = this.parts.functions.process?.pid;
    return pid === undefined ? undefined : childrenOf(pid)[0];
  }

  /** Sets how far a clock is from the machine's. */
  async setClock(owner: ClockOwner, byMs: number): Promise<void> {
    await Deno.writeTextFile(join(this.controlPlane.dir, "..", `${owner}.clock`), String(byMs));
  }

  /** Removes whatever the store keeps, while its process runs. */
  async loseStore(): Promise<void> {
    const { store } = this.#functions;
    for await (const { name } of Deno.readDir(store)) {
      await Deno.remove(join(store, name), { recursive: true }).catch(() => {/* gone meanwhile */});
    }
  }

  /** Creates a node; resolves when it is ready. */
  async addNode(index: number): Promise<void> {
    await addNode(this.controlPlane, index);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing.disposeAsync();
  }
}

/** Links between the parts and files beside them, in the folder of a run. */
class Wiring {
  readonly links: Partial<Record<LinkName, Link>> = {};
  readonly #dir: string;
  readonly #closing: AsyncDisposableStack;

  constructor(dir: string, closing: AsyncDisposableStack) {
    this.#dir = dir;
    this.#closing = closing;
  }

  /** Puts a link before a server of this machine; gives the URL that leads there through it. */
  link(name: LinkName, target: string): string {
    const { protocol, port } = new URL(target);
    const link = this.#closing.use(new Link(Number(port)));
    this.links[name] = link;
    return `${protocol}//127.0.0.1:${link.port}`;
  }

  /** Path of a kubeconfig with the identity, that leads to the API server through a link. */
  async kubeconfig(
    name: LinkName,
    { controlPlane, identity }: {
      controlPlane: ControlPlane;
      identity: "relay" | "scheduler";
    },
  ): Promise<string> {
    const { kubeconfigs, server } = controlPlane;
    const text = await Deno.readTextFile(kubeconfigs[identity]);
    const path = join(this.#dir, `${name.split(" ")[0]}.kubeconfig`);
    await Deno.writeTextFile(path, text.replace(server, this.link(name, server)), { mode: 0o600 });
    return path;
  }

  /** What a program of Deno is started with, so that its clock can be set. */
  clock(owner: ClockOwner): Promise<SettableClock> {
    return settableClock(join(this.#dir, `${owner}.clock`));
  }
}

async function pairOf(
  side: "a" | "b",
  { controlPlane, functions, wiring }: {
    controlPlane: ControlPlane;
    functions: Functions;
    wiring: Wiring;
  },
): Promise<Pair> {
  const hostname = `chaos-${side}`;
  const functionsUrl = wiring.link(`relay-${side} to functions`, functions.url);
  const muster = new Muster(controlPlane, {
    hostname,
    kubeconfig: await wiring.kubeconfig(`relay-${side} to kube-apiserver`, {
      controlPlane,
      identity: "relay",
    }),
    extraArgs: [leaseFlag, `--functions-url=${functionsUrl}`],
    ...await wiring.clock(`relay-${side}`),
  });
  const ownRelay = ({ a: "scheduler-a to relay-a", b: "scheduler-b to relay-b" } as const)[side];
  const toApiServer = `scheduler-${side} to kube-apiserver` as const;
  const scheduler = new Scheduler(controlPlane, {
    electedAs: { hostname, leaseSeconds },
    extenderUrl: wiring.link(ownRelay, muster.url),
    kubeconfig: await wiring.kubeconfig(toApiServer, { controlPlane, identity: "scheduler" }),
  });
  return { muster, scheduler };
}

/** Starts what does not run yet, and whatever ends. */
function superviseAll(
  { controlPlane, functions, pairs: [a, b], clock }: {
    controlPlane: ControlPlane;
    functions: Functions;
    pairs: readonly [Pair, Pair];
    clock: SettableClock;
  },
  { closing, chance }: { closing: AsyncDisposableStack; chance: Chance },
): Record<ProcessName, Part> {
  const part = (name: string, launch: () => ManagedProcess | Promise<ManagedProcess>) =>
    closing.use(new Part(name, { launch, restartMs: () => 50 + chance.below(1000) }));
  const running = (program: "etcd" | "kube-apiserver") => {
    let first = controlPlane.processes.find(({ name }) => name === program);
    return part(program, () => {
      const process = first ?? controlPlane.launch(program);
      first = undefined;
      return process;
    });
  };
  return {
    etcd: running("etcd"),
    "kube-apiserver": running("kube-apiserver"),
    functions: part("functions", () => {
      const runtime = chance.percent(50) ? "deno" : "workerd";
      return functions.launch({ ...clock, runtime }).process;
    }),
    "relay-a": part("relay-a", () => a.muster.launch().process),
    "relay-b": part("relay-b", () => b.muster.launch().process),
    "scheduler-a": part("scheduler-a", () => a.scheduler.launch()),
    "scheduler-b": part("scheduler-b", () => b.scheduler.launch()),
  };
}

/** The pids of a process's children. */
export function childrenOf(pid: number): number[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].flatMap(({ name }) =>
      Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`).split(" ")
        .filter((child) => child !== "").map(Number)
    );
  } catch (error) {
    // It has ended meanwhile.
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function prepare(controlPlane: ControlPlane): Promise<void> {
  const { api } = controlPlane;
  await api.create("/api/v1/namespaces", { metadata: { name: namespace } });
  for (const [name, value] of Object.entries(priorities)) {
    await api.create("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name }, value });
  }
  await Promise.all(
    Array.from({ length: nodeCount }, (_, index) => addNode(controlPlane, index)),
  );
  await applyKustomization(api, deployAdmission);
  await allowElection(controlPlane);
}

async function addNode(controlPlane: ControlPlane, index: number): Promise<void> {
  await controlPlane.addNode(`node-${index}`, {
    gpus: gpusPerNode,
    cpus: 32,
    memory: "64Gi",
    labels: { rack: `rack-${Math.floor(index / nodesPerRack)}` },
  });
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
  await response.body?.cancel();
  return response.ok;
}
