import { AbortError } from "p-retry";
import { Binder } from "../../../shared/client/binder.ts";
import { patiently } from "../../../shared/client/patiently.ts";
import { Circuit } from "../../../shared/client/circuit.ts";
import { Cluster } from "../../../shared/cluster/cluster.ts";
import { extenderApp } from "../../../relay/scheduler/extender.ts";
import type { Question } from "../../../shared/core/attend/question.ts";
import type { Decisions } from "../../../shared/core/attend/decisions.ts";
import { Holds } from "../../../relay/run/holds.ts";
import { KubeApi } from "../../../shared/client/kube_api.ts";
import { stagesOverHttp } from "../../../shared/client/http_stages.ts";
import { PolicyClient } from "../../../relay/policy/policy_client.ts";
import { Reconciler } from "../../../relay/run/reconciler.ts";
import type { Backfill } from "../../../shared/core/gang/backfill.ts";
import type { Group, PodRef } from "../../../shared/core/gang/facts.ts";
import type { CompositePodGroup } from "../../../shared/kubernetes/declaring/composite_pod_group.ts";
import {
  nativePodGroup,
  type PodGroup,
  xPodGroup,
} from "../../../shared/kubernetes/declaring/pod_group.ts";
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
} from "../../../shared/kubernetes/extender.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import { silentMetrics } from "../../support/silent_metrics.ts";
import { lagging } from "../../../tools/sandbox/lagging.ts";
import { objectKey } from "../../../tools/sandbox/objects.ts";
import type { Change } from "../../../tools/sandbox/object_store.ts";
import {
  compositePodGroups,
  connection,
  type ModelApi,
  nativePodGroups,
  podGroups,
} from "./model_api.ts";
import type { Network } from "./network.ts";

/** What a relay does, as it does it. */
export interface RelayListener {
  /** It asks a stage about a group. */
  readonly asks: (stage: string, group: Group, relay: ModelRelay) => void;
  /** It begins to write a binding. */
  readonly binds: (pod: PodRef & { node: string }, relay: ModelRelay) => void;
  /** It wrote a binding. */
  readonly bound: (uid: string) => void;
  /** It gave a binding up. */
  readonly notBound: (uid: string, error: string) => void;
  /** It leaves it to the scheduler to evict. */
  readonly preempts: (
    args: ExtenderPreemptionArgs,
    answer: { result: ExtenderPreemptionResult; relay: ModelRelay },
  ) => void;
  /** It fails at what it should be able to do. */
  readonly failed: (what: string) => void;
}

/** What a relay runs with. */
export interface ModelRelayOptions {
  readonly id: string;
  readonly decisions: Decisions;
  readonly api: ModelApi;
  readonly network: Network;
  readonly longestHoldMs: number;
  readonly evicts: boolean;
  readonly backfill: Backfill;
  /** How late its watches are, in ms. */
  readonly lag: () => number;
  readonly listener: RelayListener;
}

/** What its watches begin with. */
const shown = [
  "nodes",
  podGroups.storage,
  nativePodGroups.storage,
  compositePodGroups.storage,
  "pods",
];

/** Counting is no part of what is tested, and expensive to set up. */
const metrics = silentMetrics();

/** The relay's own parts, put together as relay.ts does, but on a model of everything around them. */
export class ModelRelay {
  readonly id: string;
  readonly holds: Holds;
  /** What its watches have shown so far, by UID and by `namespace/name`. */
  readonly pods = new Map<string, Pod>();
  readonly podGroups = new Map<string, PodGroup>();
  readonly composites = new Map<string, CompositePodGroup>();
  /** UIDs of the pods that it bound. */
  readonly bound = new Set<string>();
  readonly #cluster: Cluster;
  readonly #reconciler: Reconciler;
  readonly #app: ReturnType<typeof extenderApp>;
  readonly #listener: RelayListener;
  readonly #breaks = new Set<(error: Error) => void>();
  readonly #unwatch: () => void;
  #isDead = false;

  constructor(options: ModelRelayOptions) {
    this.id = options.id;
    const { api: model, network, longestHoldMs, listener } = options;
    this.#listener = listener;
    const cluster = this.#cluster = new Cluster({
      podChanged: (change) => this.#reconciler.podChanged(change),
      podGroupChanged: (gang) => this.#reconciler.podGroupChanged(gang),
      roomChanged: () => this.#reconciler.attendant.planLoop.soon(),
    });
    this.holds = new Holds(cluster);
    const api = new KubeApi(connection, (url, init) => this.#out(() => model.fetch(url, init)));
    const binder = new Binder(api);
    const bind = async (pod: PodRef & { node: string }) => {
      listener.binds(pod, this);
      try {
        await binder.bind(pod);
      } catch (error) {
        listener.notBound(pod.uid, (error as Error).message);
        throw error;
      }
      this.bound.add(pod.uid);
      listener.bound(pod.uid);
    };
    this.#reconciler = new Reconciler({
      relayId: this.id,
      decisions: options.decisions,
      cluster,
      holds: this.holds,
      metrics,
      bind,
      circuit: new Circuit({ failures: metrics.functionFailures, log: () => {} }),
      policy: new ToldPolicy(network, {
        isDead: () => this.#isDead,
        asks: (stage, group) => listener.asks(stage, group, this),
        failed: (what) => listener.failed(what),
      }),
      longestHoldMs,
      backfill: options.backfill,
      write: (write) => patiently(() => api.write(write)),
      evicts: options.evicts,
      say: () => {},
      looked: () => {},
    });
    this.#app = extenderApp({
      api,
      cluster,
      holds: this.holds,
      reconciler: this.#reconciler,
      metrics,
      bind,
      schedulerNames: ["default-scheduler"],
      called: () => {},
    });
    for (const storage of shown) {
      for (const object of model.list(storage)) this.#show({ storage, type: "ADDED", object });
    }
    const show = (change: Change) => this.#isDead || this.#show(change);
    this.#unwatch = model.watch(lagging(show, options.lag));
  }

  /** Why its functions can not be asked, or what it thinks of a group, for messages. */
  describe(gang: string): unknown {
    const group = this.#reconciler.groupOf(gang);
    if (!group) return undefined;
    const { standing, plan, round, lost, refused, asking } = group.attended;
    return {
      standing,
      plan,
      round,
      lost,
      refused: [...refused.keys()],
      asks: asking?.question.stage,
    };
  }

  /** Whether it knows that a pod has a node: from the watch, or because it bound it. */
  knowsBound(uid: string): boolean {
    return this.#cluster.pods.get(uid)?.node !== undefined;
  }

  /** Whether it takes a pod for a member of an earlier run of its gang. */
  isOfEarlierRun(gang: string, uid: string): boolean {
    return this.#cluster.gangs.get(gang)?.lists.beside.earlier.has(uid) ?? false;
  }

  /** Answers the scheduler; rejects where the connection breaks. */
  call(verb: string, args: object, signal = new AbortController().signal): Promise<unknown> {
    if (this.#isDead) return Promise.reject(new Error("connection refused"));
    return new Promise((resolve, reject) => {
      this.#breaks.add(reject);
      const done = () => this.#breaks.delete(reject);
      signal.addEventListener("abort", () => reject(new Error("context deadline exceeded")));
      const request = {
        url: `http://127.0.0.1/extender/${verb}`,
        method: "POST",
        headers: new Headers({ "content-type": "application/json" }),
        body: null,
        signal,
        json: () => Promise.resolve(args),
        text: () => Promise.resolve(JSON.stringify(args)),
      };
      Promise.resolve(this.#app.fetch(request as unknown as Request))
        .then(async (response) => {
          const answer = await response.json();
          if (response.status !== 200) this.#listener.failed(`${verb}: ${answer.Error}`);
          else if (verb === "preempt") {
            this.#listener.preempts(args as ExtenderPreemptionArgs, {
              result: answer,
              relay: this,
            });
          }
          return answer;
        })
        .then(resolve, reject)
        .finally(done);
    });
  }

  /** Ends as SIGTERM ends it: what is granted is finished, every other call is let go. */
  stop(): void {
    this.#unwatch();
    this.#reconciler.attendant.stop();
  }

  /** Ends as a kill does. */
  kill(): void {
    this.#isDead = true;
    for (const reject of this.#breaks) reject(new Error("connection reset by peer"));
    this.#breaks.clear();
    this.stop();
  }

  /** The dead send nothing more, and hear no answer. */
  async #out(send: () => Promise<Response>): Promise<Response> {
    if (this.#isDead) throw new AbortError("killed");
    const response = await send();
    if (this.#isDead) throw new AbortError("killed");
    return response;
  }

  #show({ storage, type, object }: Omit<Change, "version">): void {
    const isGone = type === "DELETED";
    switch (storage) {
      case "nodes": {
        const node = object as unknown as Node;
        if (isGone) this.#cluster.room.nodeDeleted(node);
        else this.#cluster.room.nodeChanged(node);
        return;
      }
      case podGroups.storage:
      case nativePodGroups.storage: {
        const podGroup = object as unknown as PodGroup;
        const kind = storage === podGroups.storage ? xPodGroup : nativePodGroup;
        if (isGone) this.podGroups.delete(objectKey(object));
        else this.podGroups.set(objectKey(object), podGroup);
        if (isGone) this.#cluster.podGroupDeleted(kind, podGroup);
        else this.#cluster.podGroupChanged(kind, podGroup);
        return;
      }
      case compositePodGroups.storage: {
        const composite = object as unknown as CompositePodGroup;
        if (isGone) this.composites.delete(objectKey(object));
        else this.composites.set(objectKey(object), composite);
        if (isGone) this.#cluster.compositeDeleted(composite);
        else this.#cluster.compositeChanged(composite);
        return;
      }
      case "pods": {
        const pod = object as unknown as Pod;
        if (isGone) this.pods.delete(pod.metadata.uid);
        else this.pods.set(pod.metadata.uid, pod);
        if (isGone) this.#cluster.podDeleted(pod);
        else this.#cluster.podChanged(pod);
      }
    }
  }
}

/** The relay's client of the functions, which says what it is asked. */
class ToldPolicy extends PolicyClient {
  readonly #asks: (stage: string, group: Group) => void;
  readonly #failed: (what: string) => void;

  constructor(
    network: Network,
    { isDead, asks, failed }: {
      isDead: () => boolean;
      asks: (stage: string, group: Group) => void;
      failed: (what: string) => void;
    },
  ) {
    const url = "http://functions";
    const stages = stagesOverHttp(url, { cluster: "history", fetch: network.fetchFor(isDead) });
    super({ url, stages, shown: () => ({}), learnt: () => {} });
    this.#asks = asks;
    this.#failed = failed;
  }

  override async ask(question: Question) {
    this.#asks(question.stage, question.request);
    try {
      return await super.ask(question);
    } catch (error) {
      const { message } = error as Error;
      if (message.includes("can not be taken")) this.#failed(`${question.stage}: ${message}`);
      throw error;
    }
  }
}
