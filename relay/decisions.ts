/**
 * Held members: when the functions are asked about them, and how their decisions are carried out.
 *
 * @module
 */
import type { Decision } from "../shared/core/decision.ts";
import { limits } from "../shared/core/limits.ts";
import type { PodRecord } from "./pod_record.ts";
import { type GangGroup, gatheredAt, type Snapshot } from "./gang_group.ts";
import type { Hold } from "./holds.ts";
import type { Asked } from "./policy_client.ts";
import { told } from "./sentence.ts";
import { inTrace } from "./trace.ts";
import type { World } from "./world.ts";

/** What becomes of calls that were granted. */
export interface GrantListener {
  readonly bound: (hold: Hold) => void;
  readonly failed: (hold: Hold, error: string) => void;
}

/** Asks permit, postfilter and unreserve. */
export class Decisions {
  readonly #world: World;
  readonly #listener: GrantListener;

  constructor(world: World, listener: GrantListener) {
    this.#world = world;
    this.#listener = listener;
  }

  /** Whether something happened that the last decision did not know, or its time is over. */
  isDue(group: GangGroup, snapshot: Snapshot): boolean {
    if (group.lost.length > 0 || group.hasNewFailure) return true;
    if (Date.now() < this.gatheredAt(snapshot)) return false;
    const { decision, decisionBasis: basis } = group;
    if (decision?.verdict !== "wait" || !basis || Date.now() >= group.askAgainAt) return true;
    // The wait begins with the first held member, and its end is not known from an answer without any.
    if (basis.held === 0) return true;
    // Members that come are told of when enough of them are held.
    const isSame = basis.specs === snapshot.specs && snapshot.present >= basis.present;
    return !isSame || snapshot.holds.size >= basis.held + (decision.need ?? 1);
  }

  /** From when on it is worth asking about the open calls, in ms since the epoch: siblings follow at once. Infinity: none is open. */
  gatheredAt({ holds, pending }: Snapshot): number {
    const open = [...holds.values()].filter((hold) => !hold.isGranted);
    const opened = open.map(({ openedAt }) => openedAt);
    const first = Math.min(...opened);
    return pending > 0 ? gatheredAt({ first, last: Math.max(first, ...opened) }) : first;
  }

  /** Asks the stage that what happened calls for. */
  async ask(group: GangGroup, snapshot: Snapshot): Promise<undefined> {
    const { policy } = this.#world;
    const facts = snapshot.group;
    if (group.lost.length > 0) {
      const lost = group.lost;
      group.lost = [];
      await this.#ask("unreserve", { group, snapshot }, () => policy.unreserve({ ...facts, lost }))
        .catch((error) => {
          group.lost = [...lost, ...group.lost];
          throw error;
        });
    } else if (group.hasNewFailure) {
      group.hasNewFailure = false;
      const failed = [...group.failed.values()].slice(0, limits.members);
      await this.#ask(
        "postfilter",
        { group, snapshot },
        () => policy.postfilter({ ...facts, failed }),
      )
        .catch((error) => {
          group.hasNewFailure = true;
          throw error;
        });
    } else {
      await this.#ask("permit", { group, snapshot }, () => policy.permit(facts));
    }
  }

  /** Lets calls go that have been held as long as one call may last; their pods come back into the same round. True: there were any. */
  renew(snapshot: Snapshot): boolean {
    let isAnyLetGo = false;
    for (const hold of snapshot.holds.values()) {
      if (hold.isGranted || Date.now() < this.renewAt(hold)) continue;
      isAnyLetGo = true;
      const seconds = Math.round(this.#world.longestHoldMs / 1000);
      this.release(
        hold,
        told(`held for ${seconds} s, as long as one call may last: the pod is tried again`),
      );
    }
    return isAnyLetGo;
  }

  /** When a call has been held as long as one call may last, in ms since the epoch. */
  renewAt(hold: Hold): number {
    return hold.openedAt + this.#world.longestHoldMs;
  }

  /** Answers a held call with an error: the scheduler forgets the pod's place. */
  release(hold: Hold, error: string): void {
    this.#world.holds.close(hold, error);
    this.#world.cluster.vacate(hold.record);
  }

  /** A pod that got its node by an earlier call waits no longer: its open call is answered as that node is. True: it was. */
  answerPlaced({ pod, node }: PodRecord): boolean {
    const { holds } = this.#world;
    const hold = holds.get(pod.metadata.uid);
    if (!hold || hold.isGranted || node === undefined) return false;
    const isThere = node === hold.pod.node;
    holds.close(hold, isThere ? undefined : told(`the pod is already bound to ${node}`));
    return true;
  }

  async #ask(
    stage: string,
    about: { group: GangGroup; snapshot: Snapshot },
    call: () => Promise<Asked<Decision>>,
  ): Promise<void> {
    const { group, snapshot } = about;
    const { specs, present, holds } = snapshot;
    const open = [...holds.values()].filter((hold) => !hold.isGranted);
    const decision = await inTrace(
      open.at(-1)?.trace,
      () => this.#world.metrics.timed(stage, call),
    );
    const now = Date.now();
    group.decision = decision;
    group.failedAt = decision.failedAt;
    group.whole = decision.whole;
    group.decisionBasis = { specs, present, held: holds.size };
    group.askAgainAt = now + (decision.askAgainSeconds ?? 0) * 1000;
    this.#world.metrics.decided(group.id, { stage, answer: decision });
    if (decision.verdict !== "wait" && open.length > 0) {
      const opened = open.map(({ openedAt }) => openedAt);
      this.#world.metrics.roundEnded(decision, now - Math.min(...opened));
    }
    this.#carryOut(decision, about);
  }

  #carryOut(
    decision: Decision,
    { group, snapshot }: { group: GangGroup; snapshot: Snapshot },
  ): void {
    const open = (uid: string): Hold | undefined => {
      const hold = snapshot.holds.get(uid);
      return hold && this.#world.holds.has(hold) && !hold.isGranted ? hold : undefined;
    };
    // What was lost or declared meanwhile may forbid what was allowed: then only facts that know it can allow.
    const { specs } = group.take(this.#world.holds, snapshot.group.relay);
    const isCurrent = group.weakened === snapshot.weakened && specs === snapshot.specs;
    if (!isCurrent) group.decision = undefined;
    for (const uid of isCurrent ? decision.allow : []) {
      const hold = open(uid);
      if (hold) void this.#grant(hold);
    }
    for (const uid of decision.reject) {
      const hold = open(uid);
      if (hold) this.release(hold, told(decision.message));
    }
    if (decision.park) {
      for (const record of group.gangs.flatMap((gang) => [...gang.members.values()])) {
        if (!record.node && !record.foreign) this.#world.park(record);
      }
    }
    if (decision.verdict === "reject") {
      // Who is let in before prefilter has been asked again would be held, and only the scheduler knows what fits then.
      const { reason, message } = decision;
      group.admission = { verdict: "reject", reason, message };
      group.failed.clear();
      group.admissionBasis = undefined;
      group.reservedUntil = 0;
    }
  }

  async #grant(hold: Hold): Promise<void> {
    const { bind, cluster, holds, metrics } = this.#world;
    hold.isGranted = true;
    try {
      await inTrace(hold.trace, () => bind(hold.pod));
    } catch (error) {
      this.#listener.failed(
        hold,
        told(`binding to ${hold.pod.node} failed: ${(error as Error).message}`),
      );
      return;
    }
    cluster.podBound(hold.record, hold.pod.node);
    metrics.bound(Date.now() - hold.openedAt);
    holds.close(hold);
    this.answerPlaced(hold.record);
    this.#listener.bound(hold);
  }
}
