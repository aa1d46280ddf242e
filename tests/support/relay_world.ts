import { backfillOf } from "../../shared/core/gang/backfill.ts";
import { assertEquals } from "@std/assert";
import { policy } from "../../functions/policy.ts";
import { type Decisions, decisions } from "../../shared/core/attend/decisions.ts";
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import type { GangSpec } from "../../shared/core/gang/facts.ts";
import { embeddedBindings } from "../../shared/store/embedded/bindings.ts";
import { callApi, STRATEGIC_MERGE } from "../../tools/sandbox/api_client.ts";
import { describePod } from "../../tools/sandbox/describe_pod.ts";
import type { Pod } from "../../tools/sandbox/objects.ts";
import type { Resource } from "../../tools/sandbox/resources.ts";
import { type Sandbox, startSandbox } from "../../tools/sandbox/sandbox.ts";
import { Changes } from "./changes.ts";
import { countedBindings, type ObjectCall } from "./counted_bindings.ts";
import { membersOf, podOf, type PodOptions } from "./gang_pods.ts";
import { Invariant } from "./invariant.ts";
import { PolicyCalls, type PolicyFunctions } from "./policy_calls.ts";
import { idleScheduler, type LogLine, RelayProcess } from "./relay_process.ts";

const loopback = { hostname: "127.0.0.1" };

/** Of the scheduler: quick, so that tests are. */
const backoff = { podInitialBackoffSeconds: 0.02, podMaxBackoffSeconds: 0.08 };

/** What a world is started with. */
export interface RelayWorldOptions {
  /** GPUs by node. */
  nodes?: Record<string, number>;
  /** How long a gang is closed after a failed round, default 0. */
  closedSeconds?: number;
  /** False: the test starts the scheduler itself. */
  scheduler?: boolean;
  longestHoldSeconds?: number;
  /** How long smaller gangs may pass one that waits for room, default 60. */
  backfill?: string;
  /** Whether it evicts for whole gangs, default true. */
  evicts?: boolean;
  /** Whether admission is for namespaces that opt in, default false. */
  isOptIn?: boolean;
  /** Stages that a policy of one's own answers, without which gangs wait: `policy.intercept` may answer for it. */
  ownStages?: readonly StageName[];
  /** What the relay decides by, where it is something else than the core. */
  decisions?: Decisions;
  /** Served beside pods, nodes, namespaces and events. */
  resources?: Resource[];
}

/** A sandbox, the functions over a store in a folder of its own, a relay, and a scheduler that calls it. */
export class RelayWorld {
  readonly sandbox: Sandbox;
  readonly policy: PolicyCalls;
  readonly invariant: Invariant;
  /** Every call of a durable object. */
  readonly objectCalls: ObjectCall[] = [];
  /** Everything that a relay logged. */
  readonly logged: LogLine[] = [];
  readonly #changes = new Changes();
  readonly #store: string;
  readonly #host: PolicyFunctions & { close(): Promise<void> };
  readonly #options: RelayWorldOptions;
  #relay: RelayProcess | undefined;
  #port = 0;

  private constructor(sandbox: Sandbox, store: string, options: RelayWorldOptions) {
    this.sandbox = sandbox;
    this.#store = store;
    this.#options = options;
    const closed = String(options.closedSeconds ?? 0);
    const bindings = embeddedBindings({ dir: store, vars: { MUSTER_CLOSED_SECONDS: closed } });
    const counted = countedBindings(bindings, this.objectCalls);
    this.#host = {
      fetch: async (request) => await policy.fetch(request, { ...counted, remoteAddr: loopback }),
      close: () => bindings.close(),
    };
    this.policy = new PolicyCalls(this.#host, this.#changes);
    this.invariant = new Invariant(sandbox.server);
    sandbox.server.store.subscribe(() => this.#changes.happened());
  }

  /** Starts everything. */
  static async start(options: RelayWorldOptions = {}): Promise<RelayWorld> {
    const sandbox = await startSandbox({ ...backoff, resources: options.resources ?? [] });
    const store = await Deno.makeTempDir({ prefix: "muster-store-" });
    const world = new RelayWorld(sandbox, store, options);
    for (const [name, gpus] of Object.entries(options.nodes ?? {})) {
      await sandbox.addNode({ name, gpus });
    }
    await world.startRelay();
    if (options.scheduler !== false) await world.startScheduler();
    return world;
  }

  /** The messages of what a relay logged as more than detail. */
  get log(): string[] {
    return this.logged.filter(({ level }) => level !== "debug").map(({ message }) => message);
  }

  /** Forgets what was logged, called, written and changed so far, and the events of it, as a world of thousands of gangs must. */
  forget(): void {
    const { store, audit } = this.sandbox.server;
    for (const event of store.list("events")) store.remove("events", event);
    store.compact();
    for (
      const kept of [this.logged, this.objectCalls, this.policy.made, this.relay.written, audit]
    ) kept.length = 0;
  }

  /** The running relay. */
  get relay(): RelayProcess {
    if (!this.#relay) throw new Error("No relay runs: start one");
    return this.#relay;
  }

  /** Starts a relay, where the last one listened. */
  async startRelay(): Promise<void> {
    this.#relay = await RelayProcess.start({
      kubeconfig: this.sandbox.kubeconfigPath,
      policy: this.policy,
      changes: this.#changes,
      port: this.#port,
      longestHoldSeconds: this.#options.longestHoldSeconds ?? 50,
      backfill: backfillOf(this.#options.backfill ?? "timed")!,
      evicts: this.#options.evicts ?? true,
      isOptIn: this.#options.isOptIn ?? false,
      ownStages: this.#options.ownStages ?? [],
      decisions: this.#options.decisions ?? decisions,
      logged: (line) => this.logged.push(line),
    });
    this.#port = this.#relay.port;
  }

  /** Ends the relay as SIGTERM does. */
  async stopRelay(): Promise<void> {
    await this.#relay?.stop();
    this.#relay = undefined;
  }

  /** Ends the relay as a kill does. */
  async killRelay(): Promise<void> {
    await this.#relay?.kill();
    this.#relay = undefined;
  }

  /** Starts a scheduler in place of the one that may be running. */
  async startScheduler(): Promise<void> {
    await this.sandbox.startScheduler({ extenderUrl: `${this.relay.url}/extender` });
  }

  /** Deletes the store's folder under the running functions. */
  async wipeStore(): Promise<void> {
    await Deno.remove(this.#store, { recursive: true });
  }

  /** Creates a pod and returns it as stored. */
  create(name: string, options: PodOptions = {}): Promise<Pod> {
    return this.sandbox.createPod(podOf(name, options));
  }

  /** Creates the members `<name>-0` and so on at once; the quorum is all of them by default. Returns their names. */
  async createGang(
    name: string,
    options: Omit<PodOptions, "gang"> & {
      size: number;
      minAvailable?: number | string;
      groups?: string[];
    },
  ): Promise<string[]> {
    const { size, minAvailable = size, groups, ...rest } = options;
    const members = membersOf(name, size);
    const gang = { name, minAvailable, ...(groups && { groups }) };
    await Promise.all(members.map((member) => this.create(member, { ...rest, gang })));
    return members;
  }

  /**
   * Creates a gang whose last member no scheduler tries, and waits until the bind calls of all others are held.
   * Returns the names of all.
   */
  async createHeldGang(
    name: string,
    options: Omit<PodOptions, "gang"> & { size: number },
  ): Promise<string[]> {
    const { size, ...rest } = options;
    const members = membersOf(name, size);
    const gang = { name, minAvailable: size };
    for (const member of members.slice(0, -1)) await this.create(member, { ...rest, gang });
    const spec = { schedulerName: idleScheduler };
    await this.create(members.at(-1)!, { ...rest, gang, spec });
    await this.until(
      `all members of "${name}" but the last are held`,
      () => members.slice(0, -1).every((member) => this.relay.binding.includes(member)),
    );
    return members;
  }

  /** Creates the last member of a gang anew, for the scheduler that runs. */
  async replaceLast(
    gang: string,
    options: Omit<PodOptions, "gang"> & { size: number },
  ): Promise<void> {
    const { size, ...rest } = options;
    const last = `${gang}-${size - 1}`;
    await this.delete(last);
    await this.create(last, { ...rest, gang: { name: gang, minAvailable: size } });
  }

  /** Sets labels of a pod, or takes them away by null. */
  async label(name: string, labels: Record<string, string | null>): Promise<void> {
    const response = await fetch(`${this.sandbox.url}/api/v1/namespaces/default/pods/${name}`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ metadata: { labels } }),
    });
    assertEquals(response.status, 200, await response.text());
  }

  /** Says of a pod what a scheduler says whose plugins find no node for it. */
  async sayUnschedulable(name: string, message: string): Promise<void> {
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    await callApi(`${this.sandbox.url}/api/v1/namespaces/default/pods/${name}/status`, {
      method: "PATCH",
      contentType: STRATEGIC_MERGE,
      body: { status: { conditions: [condition] } },
    });
  }

  /** Deletes pods. */
  async delete(...names: string[]): Promise<void> {
    for (const name of names) await this.sandbox.deletePod(name);
  }

  /** A pod as it is now. */
  pod(name: string): Pod {
    const pod = this.sandbox.pods().find(({ metadata }) => metadata.name === name);
    if (!pod) throw new Error(`There is no pod "${name}"`);
    return pod;
  }

  /** What `GET /v1/gangs` says of a gang. */
  async gang(
    name: string,
  ): Promise<{ reason: string; message: string; minMember: number; spec: GangSpec }> {
    return await this.#ask(`/v1/gangs/default/${name}`) as never;
  }

  /** Names of the gangs that `GET /v1/gangs` lists. */
  async gangs(): Promise<string[]> {
    const { gangs } = await this.#ask("/v1/gangs") as { gangs: { name: string }[] };
    return gangs.map(({ name }) => name);
  }

  /** Binds a pod as another scheduler would. */
  async bind(name: string, node: string): Promise<void> {
    await callApi(`${this.sandbox.url}/api/v1/namespaces/default/pods/${name}/binding`, {
      method: "POST",
      body: { target: { kind: "Node", name: node } },
    });
  }

  /** Sends the relay a call as the scheduler would, and returns its status and parsed answer. */
  async call(path: string, body: unknown): Promise<{ status: number; answer: unknown }> {
    const response = await fetch(`${this.relay.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, answer: await response.json() };
  }

  /** Names of the pods that have a node. */
  bound(): string[] {
    return this.sandbox.pods().filter(({ spec }) => spec.nodeName).map(({ metadata }) =>
      metadata.name
    );
  }

  /** Waits until something is true of the pods, looked at after every change of anything. Returns the pods. */
  async until(what: string, predicate: (pods: Pod[]) => boolean): Promise<Pod[]> {
    await this.#changes.until(() => predicate(this.sandbox.pods()), () => {
      const calls = this.policy.made.map(({ stage, answer }) =>
        `  ${stage}: ${answer?.reason} ${answer?.message ?? ""}`
      );
      const held = this.#relay?.binding.join(", ");
      const pods = this.sandbox.pods().map(describePod);
      return [`Waited in vain until ${what}; open bind calls: ${held}; the pods:`, ...pods]
        .concat("the calls of the functions:", calls, "the relay's log:", this.log).join("\n");
    });
    return this.sandbox.pods();
  }

  /** Waits until all of these pods have a node. */
  async untilBound(names: readonly string[]): Promise<void> {
    await this.until(
      `"${names.join('", "')}" are bound`,
      (pods) =>
        names.every((name) =>
          pods.some(({ metadata, spec }) => metadata.name === name && spec.nodeName)
        ),
    );
  }

  /** Waits until exactly so many bind calls are open at the relay. */
  async untilBinding(count: number): Promise<void> {
    await this.until(`${count} bind calls are open`, () => this.#relay?.binding.length === count);
  }

  /** Ends everything gently, and checks what must be true in the end of every test. */
  async finish(): Promise<void> {
    await this.sandbox.stopScheduler();
    await this.stopRelay();
    this.invariant.check();
    assertEquals(this.policy.refused, [], "the functions refused what the relay sent");
  }

  async #ask(path: string): Promise<unknown> {
    const cluster = this.sandbox.server.store.get("namespaces", "kube-system")!.metadata.uid;
    const headers = { "x-muster-cluster": cluster };
    const response = await this.#host.fetch(new Request(`http://localhost${path}`, { headers }));
    return await response.json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.policy.intercept = undefined;
    this.sandbox.server.intercept = undefined;
    await this.sandbox.stopScheduler();
    await this.killRelay();
    await this.policy.settled();
    await this.#host.close();
    this.invariant.end();
    await this.sandbox.stop();
    await Deno.remove(this.#store, { recursive: true });
  }
}

/** A test in a world of its own. */
export function relayTest(
  name: string,
  { ignore = false, ...options }: RelayWorldOptions & { ignore?: boolean },
  body: (world: RelayWorld) => Promise<void>,
): void {
  // The Kubernetes client's HTTP library keeps a timer of its own that outlives its connections.
  Deno.test(name, { ignore, sanitizeOps: false, sanitizeResources: false }, async () => {
    await using world = await RelayWorld.start(options);
    await body(world);
    await world.finish();
  });
}
