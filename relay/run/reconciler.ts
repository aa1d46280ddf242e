/**
 * Tells what happens to pods, PodGroups and calls of the scheduler as events of gang groups.
 *
 * @module
 */
import { whyElsewhere } from "../../shared/core/attend/arrival.ts";
import { isJudged, type Preemptor } from "../../shared/core/attend/attended.ts";
import type { Snapshot } from "../../shared/core/attend/snapshot.ts";
import { offeredAgain } from "../../shared/core/attend/refused_nodes.ts";
import { moverOf, offeredMember } from "../../shared/cluster/offered_member.ts";
import { gangId } from "../../shared/core/gang/facts.ts";
import { marked } from "../../shared/core/words/mark.ts";
import { whyPending } from "../../shared/core/words/why_pending.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { restOf } from "../../shared/cluster/running.ts";
import { Attendant } from "./attendant.ts";
import { Awaited } from "./awaited.ts";
import type { PodChange } from "../../shared/cluster/cluster.ts";
import { newRefusal } from "../../shared/cluster/refusals.ts";
import { EarlyRefusals } from "../../shared/core/attend/early_refusals.ts";
import { cameUngated, isLeaving, podEvents } from "../../shared/cluster/pod_events.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import type { Hold } from "./holds.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import type { World } from "./world.ts";

/** A member's gang, and the nodes on which the scheduler's own plugins take it. */
type Offer = { readonly gang: string; readonly nodes: readonly string[] };

/** The loop of the relay. */
export class Reconciler {
  readonly #world: World;
  /** Performs what is decided. */
  readonly attendant: Attendant;
  readonly #earlyRefusals = new EarlyRefusals();
  readonly #seen = new Awaited<string, PodRecord>();

  constructor(world: World) {
    this.#world = world;
    this.attendant = new Attendant(world);
  }

  /** The group of a gang, by its `namespace/name`; undefined for a gang not seen yet. */
  groupOf(gang: string | undefined): GangGroup | undefined {
    return this.attendant.groups.of(gang);
  }

  /** Resolves when the verdict on a gang's group is of the facts as they are now, or the time is over. */
  async whenJudged(gang: string, withinMs: number): Promise<void> {
    const group = this.groupOf(gang);
    if (group && !isJudged(group.attended)) await this.attendant.judged.wait(group, withinMs);
  }

  /** The gang groups, for whoever counts them; none while another relay acts. */
  get groups(): readonly GangGroup[] {
    return this.attendant.isLeading ? [...this.attendant.groups] : [];
  }

  /** Something happened to a pod. */
  podChanged(change: PodChange): void {
    const { record, isGone } = change;
    const { uid } = record.pod.metadata;
    const { gang } = record;
    const group = gang === undefined ? undefined : this.attendant.groups.find(gang);
    if (group) this.#memberChanged(group, change);
    if (!isGone) this.#seen.came(uid, record);
  }

  #memberChanged(group: GangGroup, change: PodChange): void {
    const { record, isGone } = change;
    const { uid } = record.pod.metadata;
    const gang = record.gang!;
    const earlyRefusal = change.before ? undefined : this.#earlyRefusals.take(uid);
    const { cluster, evicts } = this.#world;
    const situation = {
      lacksMembers: this.attendant.lacksMembers(gang),
      earlyRefusal,
      rest: () => evicts ? restOf(cluster.gangs.get(gang)) : undefined,
    };
    for (const event of podEvents(change, situation, Date.now())) {
      this.attendant.happened(group, event);
    }
    const hold = this.#world.holds.get(uid);
    if (isGone || isLeaving(record)) {
      if (hold && !hold.call.isGranted) {
        this.attendant.lose(hold, "deleted", "the pod was deleted");
      }
    } else this.attendant.answerPlaced(record);
    if (cameUngated(change)) this.#noticeGateless(record);
    for (const other of this.attendant.groups.naming(gang)) {
      this.attendant.happened(other, { is: "declared" });
    }
  }

  #noticeGateless(record: PodRecord): void {
    const { gateSwitch } = this.attendant.planLoop;
    if (!gateSwitch.isOn) return;
    this.#world.metrics.gateless(gangId(record.pod.metadata));
    gateSwitch.happened({ is: "missed" });
  }

  /** A pod as soon as the watch has shown it; undefined: it has not within this time. */
  async whenSeen(uid: string, withinMs: number): Promise<PodRecord | undefined> {
    return this.#world.cluster.pods.get(uid) ?? await this.#seen.wait(uid, withinMs);
  }

  /** The PodGroup of a gang came, changed or went. */
  podGroupChanged(gang: string): void {
    this.attendant.happened(this.attendant.groups.find(gang), { is: "declared" });
    for (const other of this.attendant.groups.naming(gang)) {
      this.attendant.happened(other, { is: "declared" });
    }
  }

  /** A bind call was opened. */
  opened(hold: Hold): void {
    if (this.attendant.answerPlaced(hold.record)) return;
    const { gang, pod: { uid, node } } = hold.call;
    const group = this.attendant.groups.find(gang);
    if (group) this.attendant.planLoop.spare.arrived(moverOf(hold.record, group), node);
    this.attendant.happened(group, { is: "call opened", uid });
  }

  /** The scheduler dropped a call: it has died, or it does not wait any longer. */
  dropped(hold: Hold): void {
    if (!hold.call.isGranted) {
      this.attendant.lose(hold, "aborted", "the scheduler dropped the call");
    }
  }

  /** Why the scheduler may not try a pod now; noted, so that the pod is woken when it may. Undefined: it may. */
  refuse(pod: Pod, { gang, nodes }: Offer): string | undefined {
    const { uid } = pod.metadata;
    const group = this.groupOf(gang);
    const placed: Snapshot["placed"] = (id, comes) => group?.placed(id, comes) ?? 0;
    const { refusalOf } = this.#world.decisions;
    const why = refusalOf(group?.attended, { uid, gang, placed }, Date.now());
    if (!why) return undefined;
    const { kind } = this.#world.cluster.pods.get(uid) ?? {};
    const refusal = newRefusal(pod, { ...why, gang, kind }, Date.now());
    if (group) {
      const takenOn = offeredAgain(group.attended.refusedNodes, { kind, nodes });
      if (takenOn.length > 0) this.attendant.planLoop.soon();
      this.attendant.advance(group, { is: "refused", uid, refusal, takenOn });
    } else this.#earlyRefusals.add(uid, refusal);
    return refusal.sentence;
  }

  /** `filter` would let a member through. Gives the nodes that it may take, or why it has no place now. */
  offer(pod: Pod, asked: Offer): { nodes: readonly string[]; sentence?: string } {
    const { uid } = pod.metadata;
    const group = this.groupOf(asked.gang);
    if (!group) return asked;
    const { cluster, decisions } = this.#world;
    const { spare } = this.attendant.planLoop;
    const member = offeredMember(pod, { ...asked, group, cluster, spare });
    const { attended, nodes, refusal } = decisions.offer(group.attended, member, Date.now());
    this.attendant.set(group, attended);
    const record = cluster.pods.get(uid);
    if (record) spare.moves(moverOf(record, group), { nodes, now: Date.now() });
    if (!refusal) return { nodes };
    const why = { ...refusal, gang: asked.gang, kind: member.kind };
    const noted = newRefusal(pod, why, Date.now());
    if (!refusal.isAskedAgain) {
      this.attendant.happened(group, { is: "refused", uid, refusal: noted });
    }
    return { nodes, sentence: noted.sentence };
  }

  /**
   * Why a member's bind call is not held now: the relay is stopping, its gang has been let go for a preemptor, or has been
   * planned elsewhere.
   */
  refusesBind(record: PodRecord, node: string): string | undefined {
    const { namespace, name, uid } = record.pod.metadata;
    const { ending } = this.attendant;
    if (ending !== undefined) return marked(ending);
    if (!this.#world.cluster.pods.has(uid)) return marked("the pod was deleted");
    const group = this.groupOf(record.gang);
    if (!group || record.node) return undefined;
    const { yields } = group.attended;
    if (!yields || !this.#isStillNeeded(yields)) return this.#refusesPlace(record, group, node);
    const to = yields.to.title;
    const pod = { namespace, name, uid };
    const loss = { pod, cause: "aborted", gang: record.gang, by: to } as const;
    this.attendant.happened(group, { is: "call lost", loss });
    return marked(whyPending({ reason: "LetGo", title: group.title, to }).message);
  }

  #refusesPlace(record: PodRecord, group: GangGroup, node: string): string | undefined {
    const { pod, kind } = record;
    const { uid } = pod.metadata;
    const gang = record.gang!;
    const why = whyElsewhere(group.attended, { uid, kind, gang, node });
    if (!why) return undefined;
    const refusal = newRefusal(pod, { ...why, gang, kind }, Date.now());
    this.attendant.happened(group, { is: "refused", uid, refusal, takenOn: [node] });
    return refusal.sentence;
  }

  /** Whether a preemptor still needs the room that a gang was let go for. */
  #isStillNeeded({ to, until }: { to: Preemptor; until: number }): boolean {
    const { node, call } = this.#world.cluster.pods.get(to.uid) ?? {};
    return Date.now() < until && !node && !call;
  }
}
