/**
 * Muster under more than it is meant for: many nodes, gangs that queue, pods that fit nowhere, one large gang, and gangs that come
 * and go while watches are cut.
 *
 * @module
 */
import { join } from "node:path";
import { Link } from "../link.ts";
import type { LoadFigures } from "./load_figures.ts";
import { type Declaration, encodeMembers } from "./load_client.ts";
import type { LoopGap } from "./loop_watch.ts";
import { slopeOf } from "./slope.ts";
import { spreadOf } from "./spread.ts";
import { RunningSystem, systems } from "./systems.ts";
import { type Gang, GPUS_PER_NODE } from "./work.ts";

/** How much there is. */
export interface LoadOptions {
  nodes: number;
  /** Gangs that queue, of five members that fit nowhere. */
  gangs: number;
  /** Members of the large gang. */
  members: number;
  /** How long gangs come and go. */
  minutes: number;
  onProgress: (line: string) => void;
}

const queuedSize = 5;
const regularPods = 500;
/** How often the regular pods are bound, without and with what queues. */
const repetitions = 3;
const cutEveryMs = 20_000;
const sampleMs = 1000;
const creators = 24;
const loopWatch = new URL("loop_watch.ts", import.meta.url).pathname;

/** Memory and descriptors of a process at a time of `performance.now()`. */
interface Sample {
  at: number;
  mebibytes: number;
  descriptors: number;
}

/** Lives through it all, on one control plane. */
export async function runLoad(options: LoadOptions): Promise<LoadFigures> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-load-" });
  const loopFile = join(dir, "loop");
  await Deno.writeTextFile(loopFile, "");
  await using closing = new AsyncDisposableStack();
  closing.defer(() => Deno.remove(dir, { recursive: true }));
  let link: Link | undefined;
  const running = closing.use(
    await RunningSystem.start(systems["adaptive"]!, {
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
  return await new Load(options, { running, link: link!, loopFile }).run();
}

class Load {
  readonly #options: LoadOptions;
  readonly #running: RunningSystem;
  readonly #link: Link;
  readonly #loopFile: string;
  /** When each part began, in milliseconds since the epoch. */
  readonly #parts: { name: string; from: number }[] = [];
  #count = 0;

  constructor(
    options: LoadOptions,
    { running, link, loopFile }: { running: RunningSystem; link: Link; loopFile: string },
  ) {
    this.#options = options;
    this.#running = running;
    this.#link = link;
    this.#loopFile = loopFile;
  }

  async run(): Promise<LoadFigures> {
    const { nodes, gangs, members, minutes } = this.#options;
    this.#begin("nodes", `creating ${nodes} nodes`);
    await this.#running.growTo(nodes);
    await this.#speed();
    this.#begin("regular pods", `binding ${regularPods} regular pods, ${repetitions} times`);
    const alone = await this.#speeds();
    this.#begin("large gang", `a gang of ${members}`);
    const large = await this.#large();
    this.#begin("queue", `queueing ${gangs} gangs of ${queuedSize} that fit nowhere`);
    await this.#queue();
    this.#begin("beside the queue", `binding ${regularPods} regular pods, ${repetitions} times`);
    const beside = await this.#speeds();
    this.#begin("churn", `gangs come and go for ${minutes} minutes`);
    const churn = await this.#churn();
    const late = churn.samples.slice(Math.floor(churn.samples.length / 2));
    const perHour = (of: (sample: Sample) => number) =>
      slopeOf(late.map((sample) => ({ x: sample.at / 3_600_000, y: of(sample) })));
    return {
      alone,
      beside,
      ...large,
      churned: churn.gangs,
      cuts: churn.cuts,
      memory: perHour(({ mebibytes }) => mebibytes),
      descriptors: perHour(({ descriptors }) => descriptors),
      mebibytes: churn.samples.at(-1)?.mebibytes ?? NaN,
      ...await this.#gaps(),
      load: Deno.loadavg(),
    };
  }

  #begin(name: string, told: string): void {
    this.#parts.push({ name, from: Date.now() });
    this.#options.onProgress(told);
  }

  async #speeds(): Promise<number> {
    const found: number[] = [];
    for (let run = 0; run < repetitions; run++) found.push(await this.#speed());
    return spreadOf(found)!.median;
  }

  /** Regular pods bound per second, which are deleted again. */
  async #speed(): Promise<number> {
    const name = `regular-${++this.#count}`;
    const pods = { name, size: regularPods, gpus: 1 };
    const seconds = await this.#bind(pods, { isNone: true });
    await this.#delete(pods);
    return regularPods / seconds;
  }

  /** Creates the pods of a gang; resolves with the seconds until all are bound. */
  async #bind(gang: Gang, declaration: Declaration): Promise<number> {
    const { client } = this.#running;
    const bodies = encodeMembers(gang, declaration);
    const watching = new AbortController();
    const all = Promise.withResolvers<void>();
    let left = gang.size;
    const watch = client.watchBound((name) => {
      if (name.startsWith(`${gang.name}-`) && --left === 0) all.resolve();
    }, watching.signal);
    const from = performance.now();
    await this.#each(bodies, (body) => client.createPod(body));
    await Promise.race([all.promise, watch]);
    const seconds = (performance.now() - from) / 1000;
    watching.abort();
    await watch;
    return seconds;
  }

  async #delete({ name, size }: Gang): Promise<void> {
    const names = Array.from({ length: size }, (_, index) => `${name}-${index}`);
    await this.#each(names, (pod) => this.#running.client.deletePod(pod));
  }

  async #each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
    let next = 0;
    await Promise.all(Array.from({ length: creators }, async () => {
      while (next < items.length) await work(items[next++]!);
    }));
  }

  async #large(): Promise<Pick<LoadFigures, "held" | "largeSeconds">> {
    const url = `${this.#running.muster!.url}/metrics`;
    let held = 0;
    const looking = new AbortController();
    const looks = (async () => {
      while (!looking.signal.aborted) {
        const text = await (await fetch(url)).text();
        held = Math.max(held, Number(/^muster_relay_held_calls(?:\{.*\})? (.*)$/m.exec(text)?.[1]));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const gang = { name: "large", size: this.#options.members, gpus: 1 };
    const largeSeconds = await this.#bind(gang, {});
    looking.abort();
    await looks;
    await this.#delete(gang);
    return { held, largeSeconds };
  }

  async #queue(): Promise<void> {
    const bodies = Array.from({ length: this.#options.gangs }, (_, index) =>
      encodeMembers({
        name: `queued-${index}`,
        size: queuedSize,
        gpus: GPUS_PER_NODE * 2,
      }, {})).flat();
    await this.#each(bodies, (body) => this.#running.client.createPod(body));
  }

  async #churn(): Promise<{ gangs: number; cuts: number; samples: Sample[] }> {
    const { pid } = this.#running.muster!.process;
    const until = performance.now() + this.#options.minutes * 60_000;
    const samples: Sample[] = [];
    let gangs = 0;
    let cuts = 0;
    const sampling = setInterval(() => samples.push(sampleOf(pid)), sampleMs);
    const cutting = setInterval(() => {
      this.#link.cut();
      cuts++;
    }, cutEveryMs);
    const come = async (lane: number) => {
      while (performance.now() < until) {
        const gang = { name: `churn-${lane}-${gangs++}`, size: 8, gpus: 1 };
        await this.#bind(gang, {});
        await this.#delete(gang);
      }
    };
    try {
      await Promise.all(Array.from({ length: 4 }, (_, lane) => come(lane)));
    } finally {
      clearInterval(sampling);
      clearInterval(cutting);
    }
    return { gangs, cuts, samples };
  }

  async #gaps(): Promise<Pick<LoadFigures, "longestMs" | "over50">> {
    const text = await Deno.readTextFile(this.#loopFile);
    const gaps = text.trim().split("\n").filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LoopGap);
    const longestMs: Record<string, number> = {};
    const over50: Record<string, number> = {};
    for (const [index, { name, from }] of this.#parts.entries()) {
      const to = this.#parts[index + 1]?.from ?? Infinity;
      const own = gaps.filter(({ at }) => at >= from && at < to).map(({ cpuMs }) => cpuMs);
      longestMs[name] = Math.max(0, ...own);
      over50[name] = own.filter((ms) => ms > 50).length;
    }
    return { longestMs, over50 };
  }
}

function sampleOf(pid: number): Sample {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return {
    at: performance.now(),
    mebibytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024,
    descriptors: [...Deno.readDirSync(`/proc/${pid}/fd`)].length,
  };
}
