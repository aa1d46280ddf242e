/**
 * The verdict that `filter` answers with: when prefilter is asked, and who is told.
 *
 * @module
 */
import type { GangGroup, Snapshot } from "./gang_group.ts";
import { makesWhole, type Plan } from "./plan.ts";
import { told } from "./sentence.ts";
import { surplusReason } from "./surplus.ts";
import type { World } from "./world.ts";

/** A refused member learns another reason this much later, in ms. */
const retellAfterMs = 1000;
/** What changed only in number is reported this much later, in ms, and twice as much each time while it keeps changing. */
const reportAfterMs = { least: 1000, most: 300_000 };
/** Members that were let in and are still not held are reported after this time, in ms, once. */
const idleAfterMs = 10_000;
/** A store that hears nothing of a gang forgets it in the end. */
const reportAgainMs = 24 * 3600 * 1000;
/** A refused member learns another sentence of the same reason after this time, and so much more per refused member. */
const retellSameReasonMs = { least: 5000, perMember: 250 };

/** Asks prefilter. */
export class Admissions {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether the verdict may have changed; when nobody waits for it, whether there is something new to report. */
  isDue(group: GangGroup, snapshot: Snapshot): boolean {
    const { admission, admissionBasis: basis } = group;
    const now = Date.now();
    // A plan that does not know the members as they are now would be taken for a lack of room.
    if (snapshot.pending > 0 && !group.plan) return false;
    if (!admission && now < group.gatheredAt && !isComplete(snapshot)) return false;
    if (!admission || !basis || now >= group.retryAt) return true;
    if (basis.specs !== snapshot.specs) return true;
    const isLater = now >= basis.at + basis.reportAfterMs;
    if (isLater && isCountNew(group, snapshot)) return true;
    if (now >= basis.at + (isIdle(group, snapshot) ? idleAfterMs : reportAgainMs)) return true;
    if (snapshot.pending === 0) return false;
    if (group.isInDoubt || snapshot.present < basis.present) return true;
    const fits = fitsNow(group, snapshot);
    if (fits !== undefined && fits !== basis.fits) return true;
    if (admission.verdict === "allow") return false;
    return snapshot.present >= basis.present + (admission.need ?? 1) ||
      (isLater && textOf(group.plan) !== basis.plan);
  }

  /** Whether anything is due by the group's plan that was not by the one before, now or later. */
  isNews({ plan, admissionBasis: basis }: GangGroup, before: Plan | undefined): boolean {
    if (!plan || !before || !basis) return true;
    return makesWhole(plan) !== makesWhole(before) || !plan.taken !== !before.taken ||
      textOf(before) === basis.plan;
  }

  /** Asks, and wakes the members that `filter` refused when they may be tried now. Gives a group to ask about anew. */
  async ask(group: GangGroup, snapshot: Snapshot): Promise<string | undefined> {
    const { policy, metrics } = this.#world;
    const fits = fitsNow(group, snapshot);
    const { fit, ahead } = fits === undefined ? {} : group.plan!;
    const { specs, counts, present } = snapshot;
    const before = group.admissionBasis;
    const now = Date.now();
    const basis = {
      specs,
      counts,
      present,
      fits,
      plan: textOf(group.plan),
      at: now,
      reportAfterMs: before ? nextReportAfter(before, now) : reportAfterMs.least,
      isNewlyLetIn: false,
    };
    const wasLetIn = group.isLetIn;
    group.admissionBasis = basis;
    group.retryAt = Infinity;
    // Already while the answer is on its way: another plan may see another order.
    if (fits) group.reserve();
    const admission = await metrics.timed(
      "prefilter",
      () => policy.prefilter({ ...snapshot.group, ...(fit && { fit }), ...(ahead && { ahead }) }),
    );
    metrics.decided(group.id, { stage: "prefilter", answer: admission });
    if (group.admission?.verdict !== admission.verdict) basis.reportAfterMs = reportAfterMs.least;
    basis.isNewlyLetIn = !wasLetIn && admission.verdict === "allow";
    group.admission = admission;
    group.whole = admission.whole;
    group.judgedAt = snapshot.weakened;
    group.quotas.set(snapshot.group, admission.needs ?? {});
    group.rejectedSince = admission.verdict === "reject"
      ? group.rejectedSince ?? Date.now()
      : undefined;
    if (admission.retryAfterSeconds !== undefined) {
      group.retryAt = Date.now() + admission.retryAfterSeconds * 1000;
    }
    if (admission.verdict === "reject") {
      group.failed.clear();
      group.reservedUntil = 0;
    } else if (!wasLetIn) this.#letIn(group);
    return admission.askAgain;
  }

  /** Wakes members that were surplus and are not any more. */
  wakeSurplus(group: GangGroup): void {
    if (!group.isLetIn) return;
    const { cluster, holds } = this.#world;
    const surplus = [...group.refused].filter(([, { reason }]) => reason === surplusReason);
    const byGang = Map.groupBy(surplus, ([uid]) => cluster.pods.get(uid)?.gang);
    for (const [gang, refused] of byGang) {
      const uids = refused.map(([uid]) => uid);
      const waitsFor = group.quotas.waitsFor({ uid: uids[0]!, gang }, { ...group, holds });
      if (waitsFor === undefined) this.#poke(group, uids);
    }
  }

  /** Wakes members whom the scheduler was told something that is not so any more. */
  retell(group: GangGroup): void {
    const now = Date.now();
    this.#poke(group, [...retellTimes(group)].filter(([, at]) => at <= now).map(([uid]) => uid));
  }

  /** When something has to be said or reported again, in ms since the epoch; Infinity: nothing has. */
  dueAt(group: GangGroup, snapshot: Snapshot): number {
    const { admission, admissionBasis: basis, plan, retryAt } = group;
    if (!basis) return Math.min(retryAt, ...retellTimes(group).values());
    const hasSurplus = [...group.refused.values()].some(({ reason }) => reason === surplusReason);
    const isPlanNew = snapshot.pending > 0 && admission?.verdict === "reject" &&
      plan !== undefined && textOf(plan) !== basis.plan;
    const isReportDue = isPlanNew || isCountNew(group, snapshot);
    return Math.min(
      isReportDue ? basis.at + basis.reportAfterMs : Infinity,
      basis.at + (isIdle(group, snapshot) ? idleAfterMs : reportAgainMs),
      hasSurplus ? group.quotas.dueAt : Infinity,
      retryAt,
      ...retellTimes(group).values(),
    );
  }

  /** The scheduler may try the members now: nothing else wakes those that it was told to leave. */
  #letIn(group: GangGroup): void {
    group.reserve();
    group.letInAt = Date.now();
    group.doubtedAt = Infinity;
    group.failed.clear();
    this.#poke(group, [...group.refused.keys()]);
  }

  #poke(group: GangGroup, uids: readonly string[]): void {
    for (const uid of uids) {
      const refusal = group.refused.get(uid);
      group.refused.delete(uid);
      if (refusal && !this.#world.holds.get(uid)) this.#world.poke(refusal.pod);
    }
  }
}

/** Whether the members still needed may have room; unknown while some are held, because then the scheduler decides. */
function fitsNow({ plan }: GangGroup, snapshot: Snapshot): boolean | undefined {
  return plan && snapshot.holds.size === 0 ? makesWhole(plan) : undefined;
}

/** Whether every gang of the group has as many members as it needs. */
function isComplete({ group }: Snapshot): boolean {
  return group.gangs.every(({ gang, census, held }) =>
    held.length + census.pending + census.bound + census.succeeded >= gang.minMember
  );
}

/** What of its plan a group is told. */
function textOf(plan: Plan | undefined): string {
  return JSON.stringify([plan?.fit, plan?.ahead]);
}

/** Whether the members have changed in number; while some are held permit reports them. */
function isCountNew({ admissionBasis: basis }: GangGroup, snapshot: Snapshot): boolean {
  return snapshot.holds.size === 0 && basis?.counts !== snapshot.counts;
}

/** Whether members were let in and none of them has been held: the scheduler may be down. */
function isIdle({ admissionBasis: basis }: GangGroup, { holds, pending }: Snapshot): boolean {
  return basis?.isNewlyLetIn === true && holds.size === 0 && pending > 0;
}

/** A gang that takes long to start, or a large one, must not cost more calls than another. */
function nextReportAfter(last: { at: number; reportAfterMs: number }, now: number): number {
  return now < last.at + 2 * last.reportAfterMs
    ? Math.min(reportAfterMs.most, 2 * last.reportAfterMs)
    : reportAfterMs.least;
}

/** When each refused member is to learn that what the scheduler was told is not so any more, in ms since the epoch. */
function retellTimes(
  { admission, admissionBasis: basis, refused }: GangGroup,
): Map<string, number> {
  const times = new Map<string, number>();
  if (admission?.verdict !== "reject") return times;
  const sentence = told(admission.message);
  const sameReasonMs = retellSameReasonMs.least + retellSameReasonMs.perMember * refused.size;
  for (const [uid, refusal] of refused) {
    if (refusal.sentence.includes(sentence)) continue;
    // In an outage there is no basis.
    const at = refusal.reason === admission.reason
      ? refusal.at + sameReasonMs
      : (basis ?? refusal).at + retellAfterMs;
    times.set(uid, at);
  }
  return times;
}
