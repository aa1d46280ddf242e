import { mark } from "../../../shared/core/words/mark.ts";
import { gangId, type Group, groupName, type PodRef } from "../../../shared/core/gang/facts.ts";
import type { Decision } from "../../../shared/core/stage/decision.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { ownGate } from "../../../shared/kubernetes/counting/census.ts";
import type { PodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import {
  gangOf,
  type GangState,
  gangStates,
  groupOf,
  type Known,
  memberClasses,
  stillNeeded,
} from "./gang_state.ts";
import { faultOfAdmission, faultOfDecision, faultOfRefused, faultOfTree } from "./answers.ts";
import { faultOfOrder } from "./queue_order.ts";
import { faultOfPreemption } from "./preemptions.ts";
import { gangsOf, startedIn } from "../sound/trees.ts";
import type { QueueKey, QueueUnit } from "../../../shared/core/queue/order.ts";
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
} from "../../../shared/kubernetes/extender.ts";
import type { Change } from "../../../tools/sandbox/object_store.ts";
import type { BindCall } from "../../../tools/sandbox/scheduler_options.ts";
import { conditionOf } from "../../../tools/sandbox/objects.ts";
import { type ModelApi, nativePodGroups, podGroups } from "./model_api.ts";
import type { ModelRelay } from "./model_relay.ts";

/** Errors of a connection, not of a relay. */
const broken = /connection|deadline/;

/** What must hold at every moment of a history. The first violation is kept. */
export class Checks {
  violation: string | undefined;
  /** Pods that the scheduler was left to evict, by uid. */
  readonly told = new Set<string>();
  readonly #api: ModelApi;
  readonly #settings: Settings;
  readonly #isCalm: boolean;
  readonly #calls: () => ReadonlyMap<string, BindCall>;
  /** UIDs of the pods whose bindings are being written. */
  readonly #granted = new Map<string, string>();
  /** Long after the last event whoever waits behind Muster's gate says why. */
  saysWhy(): void {
    for (const pod of this.#api.pods.values()) {
      const { metadata, spec } = pod;
      if (gangOf(pod) === undefined || !hasGate(pod) || spec.nodeName) continue;
      const why = conditionOf(pod, "PodScheduled")?.message;
      if (!why?.startsWith(mark)) {
        this.fail(`member ${metadata.name} waits behind its gate, and says ${why}`);
      }
    }
  }

  /** Why a gang may be bound in part although it was whole when it was allowed to bind, by gang. */
  readonly #setbacks = new Map<string, Set<string>>();
  /** The lowest quorum with which a member of the gang was allowed to bind, since none was bound. */
  readonly #grantedMin = new Map<string, number>();
  /** UIDs of the members of each gang that were held when a decision was asked for. */
  readonly #asked = new Map<string, ReadonlySet<string>>();
  /** Gangs that prefilter has let in since their group's first member came, by the gangs of their group. */
  readonly #letIn = new Map<string, readonly string[]>();
  readonly #lastServed = new Map<
    string,
    { body: string; answer: string; relay: string; epoch: number }
  >();

  constructor(
    api: ModelApi,
    { settings, isCalm, calls }: {
      settings: Settings;
      isCalm: boolean;
      calls: () => ReadonlyMap<string, BindCall>;
    },
  ) {
    this.#api = api;
    this.#isCalm = isCalm;
    this.#settings = settings;
    this.#calls = calls;
    api.watch((change) => this.#changed(change));
  }

  /** A rule is broken. */
  fail(rule: string): void {
    this.violation ??= rule;
  }

  /** Every member is told once and in its class, and every gang of a group that exists is told. */
  asks(stage: string, group: Group, relay: ModelRelay): void {
    const { gangs } = group;
    const untrue = faultOfRefused(group);
    if (untrue) this.fail(`${stage} is told ${untrue}`);
    const wanted = new Set(gangs.flatMap(({ gang }) => [gangId(gang), ...gang.groups ?? []]));
    const states = gangStates(knownTo(relay), wanted);
    for (const { gang, census, held, preempted } of gangs) {
      const id = gangId(gang);
      const isEvicted = [...this.#api.evicted].some((pod) => pod.startsWith(`${id}-`));
      if (preempted && !isEvicted) {
        this.fail(`${stage} is told that members of ${id} had to leave for ${preempted.by}`);
      }
      if (stage !== "prefilter") this.#asked.set(id, new Set(held.map(({ uid }) => uid)));
      const state = states.get(id);
      const told: Record<string, number | undefined> = { ...census, held: held.length };
      for (const memberClass of memberClasses) {
        const expected = state?.members[memberClass].length ?? 0;
        if ((told[memberClass] ?? 0) === expected) continue;
        this.fail(
          `${stage} is told ${
            told[memberClass]
          } ${memberClass} members of gang ${id}, but there are ${expected}`,
        );
      }
      if (new Set(held.map(({ uid }) => uid)).size < held.length) {
        this.fail(`${stage} is told a held member of gang ${id} twice`);
      }
      if (state && state.spec.minMember !== gang.minMember) {
        this.fail(
          `${stage} is told minMember ${gang.minMember} of gang ${id}: it is ${state.spec.minMember}`,
        );
      }
      const missing = (state ? groupOf(state, states).gangs : [])
        .find((other) => !gangs.some(({ gang }) => gangId(gang) === other.id));
      if (missing) {
        this.fail(`${stage} is told nothing of gang ${missing.id} of the group of ${id}`);
      }
      const fault = state && faultOfTree(group, state.tree);
      if (fault) this.fail(`of gang ${id} ${stage} is told ${fault}`);
    }
  }

  /** A binding is written only for an open call, and of a gang only when its whole group is satisfied by the facts. */
  binds(pod: PodRef & { node: string }, relay: ModelRelay): void {
    const call = this.#calls().get(pod.uid);
    if (call?.node !== pod.node) {
      this.fail(`pod ${pod.uid} is bound to ${pod.node}, but no call for that is open`);
      return;
    }
    const id = gangOf(call.pod as unknown as Pod);
    if (id === undefined) return;
    const states = gangStates(knownTo(relay));
    const gang = states.get(id);
    if (!gang) {
      return this.fail(`pod ${pod.uid} of gang ${id} is bound, but the relay does not know it`);
    }
    const group = groupOf(gang, states);
    const mayBind = (id: string) => {
      const gang = states.get(id);
      return gang !== undefined && this.#needed(gang) <= 0 && !gang.isUnusable;
    };
    const starts = startedIn(group.tree, mayBind);
    if (!starts.includes(id)) {
      const gangs = gangsOf(group.tree).map((id) => {
        const gang = states.get(id);
        return gang
          ? `${id} (lacks ${this.#needed(gang)}${gang.isUnusable ? ", unusable" : ""})`
          : `${id} (absent)`;
      });
      this.fail(
        `member ${pod.name} of ${id} is bound, but of its group too few are whole: ${gangs.join()}`,
      );
    }
    for (const other of group.gangs.filter((each) => starts.includes(each.id))) {
      const { bound, succeeded } = other.members;
      const isAnew = bound.length === 0 && succeeded.length === 0 && !this.isBinding(other.id);
      const before = isAnew ? Infinity : this.#grantedMin.get(other.id) ?? Infinity;
      this.#grantedMin.set(other.id, Math.min(before, other.spec.minMember));
      if (isAnew) this.#setbacks.delete(other.id);
    }
    const uidOf = ({ podGroups }: Pick<Known, "podGroups">) => podGroups.get(id)?.metadata.uid;
    if (uidOf(relay) !== uidOf(this.#api)) {
      this.#setback(id, `member ${pod.name} was bound for a PodGroup that is gone`);
    }
    this.#granted.set(pod.uid, id);
  }

  /** Members that were held when they were allowed to bind may be bound when a sibling is, which only-waiting does not count. */
  #needed(gang: GangState): number {
    const { matchPolicy = this.#settings.matchPolicy } = gang.spec;
    const needed = stillNeeded(gang, this.#settings);
    if (matchPolicy !== "only-waiting") return needed;
    const asked = this.#asked.get(gang.id);
    return needed - gang.members.bound.filter(({ metadata }) => asked?.has(metadata.uid)).length;
  }

  /** A binding is written. */
  bound(uid: string): void {
    this.#granted.delete(uid);
  }

  /** A relay gave a binding up. */
  notBound(uid: string, error: string): void {
    const gang = this.#granted.get(uid);
    if (gang !== undefined) this.#setback(gang, `a binding failed: ${error}`);
    this.#granted.delete(uid);
  }

  /** A relay was killed: nobody knows what becomes of the bindings that it was writing. */
  relayKilled(): void {
    for (const gang of this.#granted.values()) {
      this.#setback(gang, "the relay was killed while it wrote bindings");
    }
    this.#granted.clear();
  }

  /** An answer without an error means that the pod is bound where the call says, and an error that it is not. */
  answered(
    { pod, node }: BindCall,
    error: string | undefined,
    relay: ModelRelay | undefined,
  ): void {
    const { uid } = pod.metadata;
    const now = this.#api.pods.get(uid);
    if (!now) return;
    const { nodeName } = now.spec;
    if (error === undefined && nodeName !== node) {
      this.fail(`the bind call for pod ${uid} to ${node} succeeded, but the pod is on ${nodeName}`);
    }
    if (error !== undefined && !broken.test(error) && nodeName === node && relay?.bound.has(uid)) {
      this.fail(`the bind call for pod ${uid} failed (${error}), but the relay bound it`);
    }
  }

  /** Whom the scheduler is left to evict for a regular pod, or for any where nobody else evicts. */
  preempts(
    args: ExtenderPreemptionArgs,
    { result, relay, evicts }: {
      result: ExtenderPreemptionResult;
      relay: ModelRelay;
      evicts: boolean;
    },
  ): void {
    if (evicts && gangOf(args.Pod) !== undefined) return;
    const told = new Set(this.told);
    for (const { Pods } of Object.values(result.NodeNameToMetaVictims)) {
      for (const { UID } of Pods ?? []) this.told.add(UID);
    }
    // It counts whom it has bound, and who is to leave, before its watch shows that.
    if (this.#isBehind(relay)) return;
    const gangs = gangStates(knownTo(relay));
    const fault = faultOfPreemption(args, result, { pods: relay.pods, gangs, told });
    if (fault) this.fail(`for ${args.Pod.metadata.uid}: ${fault}`);
  }

  /** Whether a relay's watch has something still to show. */
  #isBehind({ pods }: ModelRelay): boolean {
    const versionOf = (pod: Pod | undefined) => pod?.metadata.resourceVersion;
    return pods.size !== this.#api.pods.size ||
      [...this.#api.pods].some(([uid, pod]) => versionOf(pods.get(uid)) !== versionOf(pod));
  }

  /** A held member is never deleted for a preemptor. */
  evicts({ uid, namespace, name }: { uid: string; namespace: string; name: string }): void {
    this.#api.evicted.add(`${namespace}/${name}`);
    const pod = this.#api.pods.get(uid);
    if (pod && gangOf(pod) !== undefined && !pod.spec.nodeName) {
      this.fail(`held member ${uid} is deleted for a preemptor`);
    }
  }

  /** The same call gets the same answer, and nobody lets NonStrict members go for a sibling. */
  served({ stage, body, answer }: { stage: string; body: string; answer: string }): void {
    if (stage === "queue-sort") return this.#sorted(body, answer);
    const { relay, gangs, lost } = JSON.parse(body) as Group & { lost?: { cause: string }[] };
    const name = groupName({ relay, gangs });
    const last = this.#lastServed.get(name);
    if (last?.body === stage + body && last.answer !== answer) {
      this.fail(`${stage} answered ${last.answer}, and to the same call again ${answer}`);
    }
    const isStale = last?.relay === relay.id && relay.epoch < last.epoch;
    if (lost?.some(({ cause }) => cause === "gone")) this.#lastServed.delete(name);
    else if (!isStale) {
      this.#lastServed.set(name, {
        body: stage + body,
        answer,
        relay: relay.id,
        epoch: relay.epoch,
      });
    }
    const fault = stage === "prefilter"
      ? faultOfAdmission(JSON.parse(body), JSON.parse(answer), this.#settings)
      : faultOfDecision(JSON.parse(body), JSON.parse(answer), {
        settings: this.#settings,
        now: Date.now(),
      });
    if (fault) this.fail(`${stage}: ${fault}`);
    const { verdict, reason, reject } = JSON.parse(answer) as Decision;
    if (stage === "prefilter" && verdict === "allow") {
      for (const { gang: { groups, ...gang } } of gangs) {
        const group = groups ?? [gangId(gang)];
        for (const each of group) this.#letIn.set(each, group);
      }
    }
    const isLetGo = reason === "MemberUnschedulable" || reason === "TimedOut";
    if (this.#isCalm && isLetGo && reject?.length > 0) {
      this.fail(`${stage} lets members go that were let in: ${answer}`);
    }
    const isForSibling = reason === "MemberUnschedulable" || reason === "MemberLost";
    if (isForSibling && gangs.every(({ gang }) => gang.mode === "NonStrict")) {
      this.fail(`${stage} lets NonStrict members go: ${answer}`);
    }
  }

  #sorted(body: string, answer: string): void {
    const { units } = JSON.parse(body) as { units: QueueUnit[] };
    const { keys } = JSON.parse(answer) as { keys: QueueKey[] };
    const fault = faultOfOrder(units, keys, this.#settings);
    if (fault) this.fail(fault);
  }

  /** The store was wiped. */
  wiped(): void {
    this.#lastServed.clear();
  }

  /** Why a gang may be bound in part although Muster only binds whole ones; empty: nothing excuses it. */
  setbacksOf(gang: GangState): string[] {
    const reasons = [...this.#setbacks.get(gang.id) ?? []];
    const before = this.#grantedMin.get(gang.id);
    if (before !== undefined && gang.spec.minMember > before) {
      reasons.push(`minMember was ${before} when it was allowed to bind`);
    }
    return reasons;
  }

  /** Whether bindings of the gang are being written. */
  isBinding(gang: string): boolean {
    return [...this.#granted.values()].includes(gang);
  }

  #setback(gang: string, reason: string): void {
    const reasons = this.#setbacks.get(gang) ?? new Set();
    this.#setbacks.set(gang, reasons.add(reason));
  }

  /** Times are whole seconds: nobody can tell for which PodGroup a pod was bound in the one in which it was created. */
  #created({ metadata: { namespace, name, creationTimestamp } }: PodGroup): void {
    const id = `${namespace}/${name}`;
    for (const { metadata, spec, status } of this.#api.pods.values()) {
      const boundAt = conditionOf({ status }, "PodScheduled")?.lastTransitionTime;
      if (!spec.nodeName || boundAt !== creationTimestamp) continue;
      if (metadata.namespace === namespace && metadata.name.startsWith(`${name}-`)) {
        this.#setback(
          id,
          `member ${metadata.name} was bound in the second of its PodGroup's creation`,
        );
      }
    }
  }

  /** After Gang: a gang that was whole when it bound may lose members later, and is not torn down for it (S3). */
  #changed({ storage, type, object, previous }: Change): void {
    const isGone = type === "DELETED";
    const isPodGroup = storage === podGroups.storage || storage === nativePodGroups.storage;
    if (isPodGroup && !isGone) this.#created(object as unknown as PodGroup);
    if (storage !== "pods") return;
    const pod = object as unknown as Pod;
    const gang = gangOf(pod);
    if (gang === undefined) return;
    const isUngated = !isGone && hasGate(previous as Pod | undefined) && !hasGate(pod);
    if (isUngated && !this.#letIn.has(gang)) {
      this.fail(`member ${pod.metadata.name} loses its gate, but ${gang} was not let in`);
    }
    const group = this.#letIn.get(gang) ?? [gang];
    const isOfGroup = (pod: Pod) => group.includes(gangOf(pod) ?? "");
    const isLast = isGone && ![...this.#api.pods.values()].some(isOfGroup);
    if (isLast) { for (const each of group) this.#letIn.delete(each); }
    const isGranted = this.#granted.has(pod.metadata.uid);
    if (!pod.spec.nodeName && !isGranted) return;
    const { phase } = pod.status ?? {};
    const hasEnded = isGone || pod.metadata.deletionTimestamp || phase === "Succeeded" ||
      phase === "Failed";
    if (hasEnded) {
      this.#setback(gang, `member ${pod.metadata.name} ended after it was bound or granted`);
    }
  }
}

function hasGate(pod: Pod | undefined): boolean {
  return pod?.spec.schedulingGates?.some(({ name }) => name === ownGate) ?? false;
}

function knownTo(relay: ModelRelay): Known {
  return {
    pods: relay.pods,
    podGroups: relay.podGroups,
    composites: relay.composites,
    isPast: (gang, uid) => relay.isOfEarlierRun(gang, uid),
    placeOf: (uid) => relay.knowsBound(uid) ? "bound" : relay.holds.get(uid) ? "held" : undefined,
  };
}
