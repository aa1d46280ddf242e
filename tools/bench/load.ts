/**
 * Muster under more than it is meant for: many nodes, gangs that queue, pods that fit nowhere, one large gang, and gangs that come
 * and go while watches are cut.
 *
 * @module
 */
import { join } from "node:path";
import { Link } from "../link.ts";
import { churn } from "./load_churn.ts";
import type { Declaration } from "./load_client.ts";
import type { LoadFigures } from "./load_figures.ts";
import { floorOf } from "./load_floor.ts";
import { memoryBeside } from "./load_memory.ts";
import { bindPods, deletePods, queue, queuedSize } from "./load_pods.ts";
import { compareSpeeds } from "./load_speeds.ts";
import { blocksOf, type Part, readLoopWatch } from "./loop_blocks.ts";
import { RunningSystem, systems } from "./systems.ts";
import { sleep } from "../sleep.ts";

/** What can be done alone: regular pods beside the queue and without it, also without Muster, a large gang, and gangs that come and go. */
export const loadParts = {
  floor: { description: "regular pods on a cluster without Muster beside as many others" },
  speed: { description: "regular pods on a cluster with the queue and on one without, in turn" },
  memory: { description: "what the relay's process takes beside pods that run" },
  large: { description: "one large gang" },
  churn: { description: "gangs that come and go beside the queue" },
};

/** Which of the systems it is, by what is done about the scheduling gate. */
export const loadGates = ["adaptive", "gated", "ungated"];

/** How much there is. */
export interface LoadOptions {
  parts: string[];
  gate: string;
  nodes: number;
  /** Gangs that queue, of five members that fit nowhere. */
  gangs: number;
  /** Pods that run. */
  pods: number;
  /** Members of the large gang. */
  members: number;
  /** How often the regular pods are bound on either cluster. */
  rounds: number;
  /** How long gangs come and go. */
  minutes: number;
  onProgress: (line: string) => void;
}

const loopWatch = new URL("loop_watch.ts", import.meta.url).pathname;

/** A cluster whose relay's loop is watched, and whose relay's connections to the API server can be cut. */
interface LoadCluster {
  running: RunningSystem;
  link: Link;
  loopFile: string;
}

/** Lives through it all, on one control plane and, for the part `speed`, on a second one without the queue. */
export async function runLoad(options: LoadOptions): Promise<LoadFigures> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-load-" });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => Deno.remove(dir, { recursive: true }));
  const floor = options.parts.includes("floor")
    ? await floorOf(options, join(dir, "plain"))
    : undefined;
  if (options.parts.every((part) => part === "floor")) {
    return { floor, blocks: {}, load: Deno.loadavg() };
  }
  const cluster = await startCluster(options, { dir: join(dir, "with"), closing });
  return { floor, ...await new Load(options, { dir, cluster }).run() };
}

async function startCluster(
  { gate }: LoadOptions,
  { dir, closing }: { dir: string; closing: AsyncDisposableStack },
): Promise<LoadCluster> {
  await Deno.mkdir(dir);
  const loopFile = join(dir, "loop");
  await Deno.writeTextFile(loopFile, "");
  let link: Link | undefined;
  const running = closing.use(
    await RunningSystem.start(systems[gate]!, {
      dir: join(dir, "cluster"),
      isRecorded: false,
      isProfiled: false,
      muster: async ({ server, kubeconfigs }) => {
        link = closing.use(new Link(Number(new URL(server).port)));
        const kubeconfig = join(dir, "relay.kubeconfig");
        const text = await Deno.readTextFile(kubeconfigs.relay);
        await Deno.writeTextFile(
          kubeconfig,
          text.replace(server, `https://127.0.0.1:${link.port}`),
          { mode: 0o600 },
        );
        return {
          kubeconfig,
          denoArgs: [`--preload=${loopWatch}`],
          env: { MUSTER_BENCH_LOOP: loopFile },
        };
      },
    }),
  );
  return { running, link: link!, loopFile };
}

class Load {
  readonly #options: LoadOptions;
  readonly #dir: string;
  readonly #cluster: LoadCluster;
  readonly #parts: Part[] = [];

  constructor(options: LoadOptions, { dir, cluster }: { dir: string; cluster: LoadCluster }) {
    this.#options = options;
    this.#dir = dir;
    this.#cluster = cluster;
  }

  async run(): Promise<LoadFigures> {
    const { nodes, pods, gangs, members, minutes, parts, onProgress } = this.#options;
    const { running, link } = this.#cluster;
    const declaration = this.#declaration;
    const figures: Omit<LoadFigures, "blocks" | "load"> = {};
    this.#begin("nodes", `creating ${nodes} nodes`);
    await running.growTo(nodes);
    if (parts.includes("memory")) {
      this.#begin("pods that run", `creating ${pods} pods that run`);
      figures.memory = await memoryBeside(running, { pods, nodes });
      await running.client.deleteAll();
    }
    if (parts.includes("large")) {
      this.#begin("large gang", `a gang of ${members}`);
      figures.large = await this.#large();
    }
    if (parts.includes("speed") || parts.includes("churn")) {
      this.#begin("queue", `queueing ${gangs} gangs of ${queuedSize} that fit nowhere`);
      await queue(running.client, { gangs, declaration });
      figures.ungated = gangs * queuedSize - await running.client.countGated();
    }
    if (parts.includes("speed")) figures.speed = await this.#speed();
    if (parts.includes("churn")) {
      this.#begin("churn", `gangs come and go for ${minutes} minutes`);
      const heaps = async () => (await this.#watched()).heaps;
      figures.churn = await churn(running, { link, minutes, declaration, onProgress, heaps });
    }
    const blocks = blocksOf((await this.#watched()).gaps, this.#parts);
    return { ...figures, blocks, load: Deno.loadavg() };
  }

  get #declaration(): Declaration {
    return systems[this.#options.gate]!.declaration;
  }

  #begin(name: string, told: string): void {
    this.#parts.push({ name, from: Date.now() });
    this.#options.onProgress(told);
  }

  async #watched() {
    return readLoopWatch(await Deno.readTextFile(this.#cluster.loopFile));
  }

  async #speed(): Promise<LoadFigures["speed"]> {
    const { nodes, rounds, onProgress } = this.#options;
    this.#begin("second cluster", `creating ${nodes} nodes on a cluster without the queue`);
    await using closing = new AsyncDisposableStack();
    const { running } = await startCluster(this.#options, {
      dir: join(this.#dir, "without"),
      closing,
    });
    await running.growTo(nodes);
    this.#begin("regular pods", `binding regular pods on either cluster, ${rounds} times`);
    const clusters = { alone: running, beside: this.#cluster.running };
    return await compareSpeeds(clusters, { rounds, onProgress });
  }

  async #large(): Promise<LoadFigures["large"]> {
    const { client, muster } = this.#cluster.running;
    let held = 0;
    const looking = new AbortController();
    const looks = (async () => {
      while (!looking.signal.aborted) {
        const text = await (await fetch(`${muster!.url}/metrics`)).text();
        held = Math.max(held, Number(/^muster_relay_held_calls(?:\{.*\})? (.*)$/m.exec(text)?.[1]));
        await sleep(100);
      }
    })();
    const gang = { name: "large", size: this.#options.members, gpus: 1 };
    const seconds = await bindPods(client, gang, this.#declaration);
    looking.abort();
    await looks;
    await deletePods(client, gang);
    return { held, seconds };
  }
}
