import type { Decisions } from "../../../shared/core/attend/decisions.ts";
import { type ProfileName, profiles } from "../../../shared/core/gang/settings.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { Chance } from "../../../tools/chance.ts";
import { conditionOf } from "../../../tools/sandbox/objects.ts";
import { Scheduler } from "../../../tools/sandbox/scheduler.ts";
import { soundDecisions } from "../sound/sound_decisions.ts";
import { Checks } from "./checks.ts";
import { debts } from "./debts.ts";
import { Declarations } from "./declarations.ts";
import { foreignGate, memberOf, namespaceOf, nodeOf, podGroupOf, regularPod } from "./gangs.ts";
import { gangOf, gangStates } from "./gang_state.ts";
import { type Happening, type History, keptRoomOf } from "./history.ts";
import { ModelApi } from "./model_api.ts";
import { ModelRelay } from "./model_relay.ts";
import { Network, noFaults } from "./network.ts";
import type { PolicyHost } from "./policy_host.ts";
import { Promptness } from "./promptness.ts";
import { VirtualClock } from "./virtual_clock.ts";

const start = Date.parse("2026-01-01T12:00:00Z");
/** Longer than a scheduler lets a pod sleep, and several rounds that fail at once. */
const settlesWithinMs = 20 * 60_000;

/** A bind call that is open for longer is held, and no part of a round that is about to fail. */
const heldMs = 30_000;
/** What members say behind their gates is written within it. */
const toldWithinMs = 60_000;
/** Gangs that can not be placed may be tried again and again; after so long nothing else is going on. */
const quietMs = 180_000;

/** A rule that does not hold, and what the world looked like. */
export class Violation extends Error {
  override name = "Violation";
}

/**
 * Lets a history happen to a relay, the functions and a scheduler; leaves them alone; and waits until all is done.
 *
 * @throws {Violation} where a rule does not hold.
 */
export async function live(
  history: History,
  { policyOf, decisions }: {
    policyOf: (profile: ProfileName) => PolicyHost;
    decisions: Decisions;
  },
): Promise<void> {
  using clock = new VirtualClock(start);
  await using host = policyOf(history.profile);
  const simulation = new Simulation(history, { clock, host, decisions });
  await simulation.run();
}

class Simulation {
  readonly #history: History;
  readonly #clock: VirtualClock;
  readonly #host: PolicyHost;
  readonly #decisions: Decisions;
  readonly #chance: Chance;
  readonly #api: ModelApi;
  readonly #network: Network;
  readonly #checks: Checks;
  readonly #promptness: Promptness;
  readonly #refused = new Set<string>();
  readonly #declarations: Declarations;
  #relay: ModelRelay | undefined;
  #scheduler: Scheduler | undefined;
  #relays = 0;
  #nodes = 0;
  #lagMs = 0;
  #schedulerLagMs = 0;
  #preBindMs = 0;

  constructor(
    history: History,
    { clock, host, decisions }: { clock: VirtualClock; host: PolicyHost; decisions: Decisions },
  ) {
    this.#decisions = soundDecisions(decisions, (rule) => this.#checks.fail(rule));
    this.#history = history;
    this.#clock = clock;
    this.#host = host;
    this.#chance = new Chance(history.seed);
    this.#api = new ModelApi(clock, this.#chance);
    this.#declarations = new Declarations(this.#api, history);
    this.#api.kept = history.isPrompt ? 0 : 20;
    this.#checks = new Checks(this.#api, {
      settings: profiles[history.profile],
      isCalm: history.isCalm,
      calls: () => this.#scheduler?.calls ?? new Map(),
    });
    this.#promptness = new Promptness(this.#api, clock);
    this.#network = new Network(host, {
      clock,
      chance: this.#chance,
      listener: {
        served: (call) => this.#checks.served(call),
        failed: (stage, error) => this.#checks.fail(`${stage} fails: ${error.stack}`),
      },
    });
  }

  async run(): Promise<void> {
    const { nodes, happenings } = this.#history;
    for (const node of nodes) this.#addNode(node);
    this.#startRelay();
    this.#startScheduler();
    for (const [index, happening] of happenings.entries()) {
      await this.#happen(happening);
      await this.#clock.rest();
      if (this.#checks.violation) throw await this.#violation(`at event ${index + 1}`);
    }
    await this.#settle();
    await this.#clock.pass(toldWithinMs);
    this.#checks.saysWhy();
    if (this.#checks.violation) throw await this.#violation("when nothing happens any more");
    void this.#scheduler?.stop();
    this.#relay?.kill();
  }

  async #happen(happening: Happening): Promise<void> {
    const api = this.#api;
    switch (happening.do) {
      case "pods":
        return this.#createMembers(happening);
      case "foreign gates open":
        for (const { metadata } of [...api.pods.values()]) {
          if (!metadata.name.startsWith(`g${happening.gang}-`)) continue;
          api.removeGates(metadata.uid, (name) => name === foreignGate);
        }
        return;
      case "regular pod":
        return this.#create(regularPod(happening), "a");
      case "delete pod": {
        const pod = this.#pick(api.pods, happening.which);
        return pod && api.deletePod(pod.metadata.uid);
      }
      case "delete gang": {
        const prefix = `g${happening.gang}-`;
        for (const { metadata } of [...api.pods.values()]) {
          if (!metadata.name.startsWith(prefix)) continue;
          // The scheduler would wait for an end that has come before (kubernetes #141694): nothing of it is Muster's.
          const isVictim = this.#history.isPrompt && this.#checks.told.has(metadata.uid);
          if (!isVictim) api.deletePod(metadata.uid);
        }
        return;
      }
      case "finish pod": {
        const bound = new Map([...api.pods].filter(([, { spec }]) => spec.nodeName));
        const pod = this.#pick(bound, happening.which);
        return pod && api.setPhase(pod.metadata.uid, happening.phase);
      }
      case "add node":
        return this.#addNode(happening);
      case "delete node": {
        const node = this.#pick(api.nodes, happening.which);
        return node && api.deleteNode(node.metadata.name);
      }
      case "cordon": {
        const node = this.#pick(api.nodes, happening.which);
        return node &&
          api.putNode({
            ...node,
            spec: { ...node.spec, unschedulable: !node.spec?.unschedulable },
          });
      }
      case "scheduler refuses pod": {
        const pod = this.#pick(api.pods, happening.which);
        if (pod && !this.#refused.delete(pod.metadata.uid)) this.#refused.add(pod.metadata.uid);
        else this.#scheduler?.pluginsChanged();
        return;
      }
      case "change minMember":
        return this.#declarations.changeMinMember(happening.gang, happening.minMember);
      case "delete PodGroup":
        return api.revoke(podGroupOf(1));
      case "change needs":
        return this.#declarations.changeNeeds(happening);
      case "delete native group":
        return this.#declarations.revokeOfTree(happening.which);
      case "wait":
        for (const pod of api.pods.values()) {
          const isStarting = pod.spec.nodeName && pod.status?.phase === "Pending";
          if (isStarting) api.setPhase(pod.metadata.uid, "Running");
        }
        return await this.#pass(happening.ms);
      case "network":
        this.#network.faults = happening;
        return;
      case "network works":
        this.#network.faults = noFaults;
        return;
      case "API writes":
        api.fault = happening.fault;
        return;
      case "watch lags":
        this.#lagMs = happening.ms;
        return;
      case "scheduler lags":
        this.#schedulerLagMs = happening.ms;
        return;
      case "binding takes":
        this.#preBindMs = happening.ms;
        return;
      case "wipe":
        return await this.#wipe();
      case "relay restarts":
        return this.#restartRelay(happening);
      case "clock is set":
        this.#clock.setBy(happening.ms);
        return;
      case "scheduler restarts":
        void this.#scheduler?.stop();
        this.#scheduler = undefined;
        this.#clock.set(() => this.#startScheduler(), happening.downMs);
    }
  }

  /** Faults end, and nothing happens any more but by itself. */
  async #settle(): Promise<void> {
    this.#network.faults = noFaults;
    this.#api.fault = "none";
    this.#lagMs = this.#schedulerLagMs = this.#preBindMs = 0;
    this.#refused.clear();
    this.#scheduler?.pluginsChanged();
    if (this.#history.isPrompt) await this.#pass(30_000);
    const waitMs = profiles[this.#history.profile].waitSeconds * 1000;
    const until = this.#clock.now + 2 * waitMs + settlesWithinMs;
    let quietSince: number | undefined;
    let owed: string[] = [];
    for (let stepMs = 4000; this.#clock.now < until; stepMs = Math.min(60_000, stepMs * 2)) {
      await this.#clock.pass(stepMs);
      if (this.#checks.violation) throw await this.#violation("after the last event");
      const { now } = this.#clock;
      if (this.#debts(now).length === 0) return;
      // A round may last as long as its wait; one that does is no sign that nothing else will happen.
      owed = this.#debts(now - waitMs - heldMs);
      if (this.#debts(now - heldMs).length > 0) quietSince = undefined;
      else quietSince ??= now;
      if (quietSince !== undefined && now >= quietSince + quietMs) return;
    }
    if (owed.length === 0) return;
    this.#checks.fail(owed.join("; "));
    throw await this.#violation("long after the last event");
  }

  async #pass(ms: number): Promise<void> {
    if (!this.#history.isPrompt) return await this.#clock.pass(ms);
    const owed = await this.#promptness.pass(ms, (heldSince) => this.#debts(heldSince));
    if (owed.length > 0) this.#checks.fail(`nothing happens, though ${owed.join("; ")}`);
  }

  #debts(heldSince: number): string[] {
    if (!this.#scheduler) return ["there is no scheduler"];
    return debts({
      api: this.#api,
      scheduler: this.#scheduler,
      settings: profiles[this.#history.profile],
      checks: this.#checks,
      isPast: this.#isPast,
      isKept: this.#history.backfill !== undefined,
      heldSince,
    });
  }

  readonly #isPast = (gang: string, uid: string) => this.#relay?.isOfEarlierRun(gang, uid) ?? false;

  #createMembers({ gang, count, gate }: Happening & { do: "pods" }): void {
    const declared = this.#declarations.planOf(gang);
    const { isCalm, isPrompt } = this.#history;
    if (isCalm || isPrompt) {
      if ([...this.#api.pods.values()].some((pod) => gangOf(pod)?.endsWith(`/g${gang}`))) return;
      count = declared.minMember;
    }
    this.#declarations.gangComes(gang);
    for (let index = 0; index < count; index++) {
      this.#create(memberOf(gang, declared, { gate, index }), namespaceOf(gang), `g${gang}`);
    }
  }

  /** Names are used again, as those of a StatefulSet are. */
  #create(
    pod: Omit<Pod, "metadata"> & { metadata: object },
    namespace: string,
    prefix = "pod",
  ): void {
    for (let index = 0; index < 8; index++) {
      const name = `${prefix}-${index}`;
      if (this.#api.has(namespace, name)) continue;
      return this.#api.createPod({ ...pod, metadata: { ...pod.metadata, namespace, name } });
    }
  }

  #pick<T>(items: ReadonlyMap<string, T>, which: number): T | undefined {
    return items.size === 0 ? undefined : [...items.values()][which % items.size];
  }

  #addNode(has: { gpus: number; cpus: number }): void {
    if (this.#api.nodes.size < 6) this.#api.putNode(nodeOf(this.#nodes++, has));
  }

  async #wipe(): Promise<void> {
    await this.#clock.during(this.#host.wipe());
    this.#checks.wiped();
  }

  #startRelay(): void {
    this.#relay = new ModelRelay({
      id: `relay-${++this.#relays}`,
      decisions: this.#decisions,
      api: this.#api,
      network: this.#network,
      longestHoldMs: this.#history.longestHoldMs,
      evicts: this.#history.evicts,
      backfill: keptRoomOf(this.#history),
      lag: () => this.#lagMs,
      listener: {
        asks: (stage, group, relay) => this.#checks.asks(stage, group, relay),
        binds: (pod, relay) => this.#checks.binds(pod, relay),
        bound: (uid) => this.#checks.bound(uid),
        notBound: (uid, error) => this.#checks.notBound(uid, error),
        preempts: (args, answer) =>
          this.#checks.preempts(args, { ...answer, evicts: this.#history.evicts }),
        failed: (what) => this.#checks.fail(`the relay fails at ${what}`),
      },
    });
  }

  #restartRelay({ isKilled, downMs }: { isKilled: boolean; downMs: number }): void {
    const relay = this.#relay;
    if (!relay) return;
    this.#relay = undefined;
    if (isKilled) {
      relay.kill();
      this.#checks.relayKilled();
    } else relay.stop();
    this.#clock.set(() => this.#startRelay(), downMs);
  }

  #startScheduler(): void {
    if (this.#scheduler) return;
    this.#scheduler = new Scheduler({
      api: this.#api.api,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 3,
      bindTimeoutSeconds: this.#history.longestHoldMs / 1000 + 10,
      refuses: this.#refused,
      lagMs: () => this.#schedulerLagMs,
      preBindMs: () => this.#preBindMs,
      pauseMs: (below) => this.#chance.below(below),
      pick: (nodes) => this.#chance.pick(nodes)!,
      // Nobody may rely on it.
      statusWakes: false,
      call: (verb, args, signal) =>
        this.#relay?.call(verb, args, signal) ?? Promise.reject(new Error("connection refused")),
      answered: (call, error) => {
        if (error?.includes(" was let go for ")) this.#promptness.happened();
        this.#checks.answered(call, error, this.#relay);
      },
      evicts: (victim) => this.#checks.evicts(victim.metadata),
    });
  }

  async #violation(when: string): Promise<Violation> {
    return new Violation(`${this.#checks.violation}\n${when}\n\n${await this.#describe()}`);
  }

  async #describe(): Promise<string> {
    const lines = [`time ${new Date(this.#clock.now).toISOString()}`];
    for (const pod of this.#api.pods.values()) {
      const { uid } = pod.metadata;
      const place = pod.spec.nodeName ?? this.#scheduler?.placeOf(uid);
      const message = pod.spec.nodeName ? "" : conditionOf(pod, "PodScheduled")?.message ?? "";
      const nominated = (pod as { status?: { nominatedNodeName?: string } }).status
        ?.nominatedNodeName;
      lines.push(
        `pod ${uid}: ${pod.status?.phase} ${place} ${
          nominated ? `nominated to ${nominated} ` : ""
        }${message}`,
      );
    }
    for (const node of this.#api.nodes.values()) {
      lines.push(
        `${node.metadata.name}: ${JSON.stringify(node.status?.allocatable)} ${
          node.spec?.unschedulable ? "cordoned" : ""
        }`,
      );
    }
    const known = { ...this.#api, isPast: this.#isPast, placeOf: () => undefined };
    for (const gang of gangStates(known).values()) {
      const group = gang.spec.groups?.join(",") ?? gang.id;
      lines.push(`gang ${gang.id}: ${JSON.stringify(gang.spec)}`);
      lines.push(`setbacks: ${this.#checks.setbacksOf(gang).join(", ") || "none"}`);
      lines.push(`relay: ${Deno.inspect(this.#relay?.describe(gang.id), { depth: 4 })}`);
      const story = await this.#clock.during(this.#host.describe(gang.id, group));
      lines.push(`functions: ${Deno.inspect(story, { depth: 4 })}`);
    }
    return lines.join("\n");
  }
}
