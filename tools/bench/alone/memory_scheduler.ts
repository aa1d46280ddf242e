import type { Pod } from "../../sandbox/objects.ts";

/** `minFeasibleNodesToFind` of kube-scheduler, and percentageOfNodesToScore of deploy/base. */
const leastSample = 100;
const sampledShare = 0.01;

/** What the scheduler calls. */
export interface SchedulerHooks {
  /** Asks the extender; resolves to its parsed answer. */
  readonly ask: (verb: "filter" | "bind", body: object) => Promise<Record<string, unknown>>;
  /** Writes that no node takes a pod. */
  readonly unschedulable: (pod: Pod, message: string) => void;
}

/**
 * kube-scheduler as the relay sees it: one pod after another goes through `filter` with the names of a sample of the nodes that
 * have room, its nominated node first and alone, and binds beside. A refused pod is tried again when it is written.
 */
export class MemoryScheduler {
  readonly #hooks: SchedulerHooks;
  readonly #free: Map<string, number>;
  readonly #names: readonly string[];
  readonly #queue = new Set<string>();
  readonly #pods = new Map<string, Pod>();
  readonly #said = new Map<string, string>();
  readonly #assumed = new Map<string, string>();
  #next = 0;
  #isRunning = false;

  /** `gpus` are those that are free, by node. */
  constructor(gpus: ReadonlyMap<string, number>, hooks: SchedulerHooks) {
    this.#free = new Map(gpus);
    this.#names = [...gpus.keys()];
    this.#hooks = hooks;
  }

  /** A pod came or changed. */
  heard(pod: Pod): void {
    const { uid } = pod.metadata;
    this.#pods.set(uid, pod);
    const { conditions } = pod.status ?? {};
    const message = conditions?.find(({ type }) => type === "PodScheduled")?.message;
    // Its own condition wakes nobody.
    const isOwn = message !== undefined && message === this.#said.get(uid);
    if (pod.spec.nodeName || this.#assumed.has(uid)) return;
    if (isOwn && !this.#isPoked(pod)) return;
    this.#queue.add(uid);
    if (!this.#isRunning) void this.#run();
  }

  readonly #poked = new Map<string, string>();

  #isPoked({ metadata: { uid, annotations = {} } }: Pod): boolean {
    const text = JSON.stringify(annotations);
    const isNew = this.#poked.get(uid) !== text;
    this.#poked.set(uid, text);
    return isNew;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const uid of this.#queue) {
      this.#queue.delete(uid);
      await this.#try(this.#pods.get(uid)!);
    }
    this.#isRunning = false;
  }

  async #try(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    const nominated = (pod.status as { nominatedNodeName?: string } | undefined)?.nominatedNodeName;
    this.#poked.set(uid, JSON.stringify(pod.metadata.annotations ?? {}));
    const own = nominated !== undefined && (this.#free.get(nominated) ?? 0) > 0
      ? await this.#filter(pod, [nominated])
      : undefined;
    const { nodes, message } = own?.nodes.length ? own : await this.#filter(pod, this.#sample());
    const node = nodes.find((name) => (this.#free.get(name) ?? 0) > 0);
    if (node === undefined) {
      this.#said.set(uid, message);
      return this.#hooks.unschedulable(pod, message);
    }
    this.#free.set(node, this.#free.get(node)! - 1);
    this.#assumed.set(uid, node);
    void this.#bind(pod, node);
  }

  async #filter(pod: Pod, nodes: readonly string[]): Promise<{ nodes: string[]; message: string }> {
    const { ask } = this.#hooks;
    const answer = await ask("filter", { Pod: pod, Nodes: null, NodeNames: nodes });
    const [message = ""] = Object.values(answer["FailedAndUnresolvableNodes"] ?? {});
    return { nodes: answer["NodeNames"] as string[], message: String(message) };
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const body = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node };
    const { Error } = await this.#hooks.ask("bind", body);
    if (Error === undefined) return;
    this.#assumed.delete(uid);
    this.#free.set(node, this.#free.get(node)! + 1);
    this.heard(this.#pods.get(uid)!);
  }

  /** Nodes with room, beginning behind the last ones: `numFeasibleNodesToFind` of kube-scheduler. */
  #sample(): string[] {
    const all = this.#names.length;
    const wanted = Math.max(leastSample, Math.floor(all * sampledShare));
    const found: string[] = [];
    for (let looked = 0; looked < all && found.length < wanted; looked++) {
      const name = this.#names[this.#next++ % all]!;
      if (this.#free.get(name)! > 0) found.push(name);
    }
    return found;
  }
}
