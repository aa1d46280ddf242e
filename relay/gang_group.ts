/**
 * What the relay keeps of one gang group between events: verdicts that answer `filter`, and what is still to be reported.
 *
 * @module
 */
import type { Admission, Decision } from "../shared/core/decision.ts";
import {
  type GangFacts,
  type Group,
  type Loss,
  type MemberFailure,
  type Problem,
  someWait,
} from "../shared/core/facts.ts";
import type { LeftAlone } from "../shared/core/left_alone.ts";
import { listed, named } from "../shared/core/text.ts";
import { titleOf } from "../shared/core/why_pending.ts";
import { memberClassOf, takeCensus } from "../shared/kubernetes/census.ts";
import { koordinator } from "../shared/kubernetes/pod_group.ts";
import type { Gang } from "./gang.ts";
import type { Hold, Holds } from "./holds.ts";
import { Placement } from "./placement.ts";
import { makesWhole, type Plan } from "./plan.ts";
import { PreemptedMembers } from "./preempted_members.ts";
import { Quotas } from "./surplus.ts";

/** Set to "true" on the members of a gang that timed out and is not scheduled any more (S3). */
export const parkedAnnotation = `${koordinator}timeout`;

/** An allow is a reservation for so long without one of the members being held. */
const reservedMs = 10_000;

/** The facts of a group at one moment, and the calls they speak of. */
export interface Snapshot {
  readonly group: Group;
  /** In ms since the epoch. */
  readonly takenAt: number;
  readonly holds: ReadonlyMap<string, Hold>;
  /** Losses that happened before. */
  readonly weakened: number;
  /** What the specs ask for, as a text. */
  readonly specs: string;
  readonly counts: string;
  /** Members with a node, held, or waiting for one. */
  readonly present: number;
  readonly pending: number;
}

/** The verdict that `filter` answers with: the functions', or that they can not be reached. */
export interface Verdict extends Omit<Admission, "reason"> {
  readonly reason: Admission["reason"] | "FunctionsUnreachable" | "FactsRefused";
}

/** A member that `filter` refused, and what the scheduler was told. */
export interface Refusal {
  readonly pod: { readonly namespace: string; readonly name: string };
  readonly reason: string;
  readonly sentence: string;
  readonly at: number;
}

/** A pod for which others make room; `title` is for messages. */
export interface Preemptor {
  readonly uid: string;
  readonly title: string;
}

/** What prefilter was last told. */
interface AdmissionBasis {
  readonly specs: string;
  readonly counts: string;
  readonly present: number;
  readonly fits: boolean | undefined;
  readonly plan: string;
  readonly at: number;
  /** What changed only in number is reported so long after this, in ms. */
  readonly reportAfterMs: number;
  /** It was rejected before. */
  readonly isNewlyLetIn: boolean;
}

/** Members come one after another, to be created and to be held: nobody is asked about some of them until they pause, in ms. */
const gather = { pauseMs: 50, mostMs: 500 };

/** When members of which the first and the last came then are not likely to be followed at once by more. */
export function gatheredAt({ first, last }: { first: number; last: number }): number {
  return Math.min(last + gather.pauseMs, first + gather.mostMs);
}

/** A gang group as the relay sees it. */
export class GangGroup {
  readonly id: string;
  readonly gangs: Gang[] = [];
  /** Undefined until the functions have been asked. */
  admission: Verdict | undefined;
  /** Since when it is not let in, in ms since the epoch. */
  rejectedSince: number | undefined;
  /** Until then its members that are not held keep their room from the groups behind, in ms since the epoch. */
  reservedUntil = 0;
  admissionBasis: AdmissionBasis | undefined;
  retryAt = Infinity;
  /** The functions do not take its facts. */
  leftAlone: LeftAlone | undefined;
  /** The last decision about held members, and what it was told. */
  decision: Decision | undefined;
  decisionBasis: { specs: string; present: number; held: number } | undefined;
  /** When its last round failed (S0 LastFailureTimestamp), ISO 8601. */
  failedAt: string | undefined;
  askAgainAt = Infinity;
  lost: Loss[] = [];
  readonly failed = new Map<string, MemberFailure>();
  /** As the functions said last. */
  whole: Admission["whole"];
  /** When it was let in last, in ms since the epoch. */
  letInAt = -Infinity;
  /** Since when a member is refused by a cycle that may have begun before that, in ms since the epoch. */
  doubtedAt = Infinity;
  hasNewFailure = false;
  /** Counts events after which an older decision must not be carried out. */
  weakened = 0;
  /** The count at which too few members were left, and at which its verdict was asked for. */
  brokenAt = 0;
  judgedAt = 0;
  plan: Plan | undefined;
  readonly placement = new Placement();
  /** Since when it is whole but for room, in ms since the epoch. */
  shortSince: number | undefined;
  /** Since when all members that it needs have had room, in ms since the epoch. */
  fitsSince: number | undefined;
  /** Until then, in ms since the epoch, bind calls are refused, because this preemptor was promised the room. */
  yieldsUntil = 0;
  yieldsTo: Preemptor | undefined;
  /** By uid. */
  readonly refused = new Map<string, Refusal>();
  readonly quotas = new Quotas();
  readonly preempted = new PreemptedMembers();
  isBusy = false;
  timer: ReturnType<typeof setTimeout> | undefined;

  readonly #firstAt = Date.now();
  #lastAt = this.#firstAt;
  #judged: PromiseWithResolvers<void> | undefined;

  readonly #findGang: (id: string) => Gang | undefined;

  constructor(id: string, findGang: (id: string) => Gang | undefined) {
    this.id = id;
    this.#findGang = findGang;
  }

  /** A gang leaves for another group: what is still to be said and reported of its members goes with it. */
  handOver(gang: Gang, to: GangGroup): void {
    this.gangs.splice(this.gangs.findIndex(({ id }) => id === gang.id), 1);
    for (const uid of gang.members.keys()) {
      const refusal = this.refused.get(uid);
      if (refusal) to.refused.set(uid, refusal);
      this.refused.delete(uid);
      this.failed.delete(uid);
    }
    to.lost.push(...this.lost.filter((loss) => loss.gang === gang.id));
    this.lost = this.lost.filter((loss) => loss.gang !== gang.id);
    this.preempted.handOver(gang.id, to.preempted);
    // An answer on its way speaks of members that are not its own any more.
    this.weakened++;
  }

  /** What the functions said is not known any more. */
  forgetAnswers(): void {
    clearTimeout(this.timer);
    this.admission = undefined;
    this.admissionBasis = undefined;
    this.decision = undefined;
    this.plan = undefined;
    this.reservedUntil = 0;
    this.retryAt = Infinity;
    this.leftAlone = undefined;
    this.weakened++;
  }

  /** Whether the functions have heard of it. */
  get isKnown(): boolean {
    return this.admission !== undefined || this.decision !== undefined;
  }

  /** A member was seen for the first time. */
  arrived(): void {
    this.#lastAt = Date.now();
  }

  /** Until then more members are likely to come at once, in ms since the epoch. */
  get gatheredAt(): number {
    return gatheredAt({ first: this.#firstAt, last: this.#lastAt });
  }

  /** Whether its verdict is of the facts as they are now. */
  get #isJudged(): boolean {
    return !this.isBusy && this.plan !== undefined && this.admission !== undefined;
  }

  /** Resolves when its verdict is of the facts as they are now, or the time is over. */
  async whenJudged(withinMs: number): Promise<void> {
    if (this.#isJudged) return;
    const { promise, resolve } = this.#judged ??= Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    await promise;
    clearTimeout(timer);
    if (this.#judged?.promise === promise) this.#judged = undefined;
  }

  /** Whether it was let in before it lost members that it needs: new ones wait for another verdict. */
  get isInDoubt(): boolean {
    return this.brokenAt > this.judgedAt;
  }

  /** Whether its members may be tried now. */
  get isLetIn(): boolean {
    return this.admission?.verdict === "allow" && !this.isInDoubt;
  }

  /** Nothing is being asked of the functions any more. */
  settled(): void {
    if (this.#isJudged) this.#judged?.resolve();
  }

  /** Whether nothing but the pause after a failed round keeps it out, and it would be whole once victims have left. */
  get onlyPauses(): boolean {
    const { admission, plan, retryAt, leftAlone } = this;
    if (!plan || retryAt === Infinity || leftAlone) return false;
    return admission?.reason !== "FunctionsUnreachable" && makesWhole(plan);
  }

  /** Keeps the room of its members from others. */
  reserve(): void {
    this.reservedUntil = Date.now() + reservedMs;
  }

  /** Whether nothing is left of its gangs. */
  get isGone(): boolean {
    return this.gangs.every((gang) => gang.isGone);
  }

  /** `gang ns/a`, or `gang group ns/a, ns/b`. */
  get title(): string {
    return titleOf(this.gangs.length === 1 ? [this.gangs[0]!.id] : this.id.split(","));
  }

  /** Whether none of its pods is Muster's to place. */
  get isForeign(): boolean {
    let hasMembers = false;
    for (const { members } of this.gangs) {
      for (const { foreign } of members.values()) {
        if (!foreign) return false;
        hasMembers = true;
      }
    }
    return hasMembers;
  }

  /** The facts now. */
  take(holds: Holds, relay: Group["relay"]): Snapshot {
    const takenAt = Date.now();
    const held = new Map<string, Hold>();
    const gangs = this.gangs.map((gang) => {
      const facts = factsOf(gang, holds, held);
      const problem = someWait(facts) ? gang.read().problem ?? this.#conflict(gang) : undefined;
      const preempted = this.preempted.of(gang.id);
      return { ...facts, ...(problem && { problem }), ...(preempted && { preempted }) };
    });
    const sum = (count: (facts: GangFacts) => number) =>
      gangs.reduce((total, facts) => total + count(facts), 0);
    return {
      group: { relay, gangs },
      takenAt,
      holds: held,
      weakened: this.weakened,
      specs: gangs.map(specTextOf).join(),
      counts: gangs.map(({ census, held }) => [...Object.values(census), held.length]).join(";"),
      present: sum(({ census, held }) =>
        held.length + census.bound + census.pending + census.succeeded
      ),
      pending: sum(({ census }) => census.pending),
    };
  }

  /** A gang group must be declared alike by every gang in it (DESIGN section 4). */
  #conflict(gang: Gang): Problem | undefined {
    for (const id of gang.read().spec.groups ?? []) {
      const other = this.#findGang(id);
      if (!other || this.gangs.includes(other)) continue;
      return {
        reason: "GroupConflict",
        message:
          `gang ${named(gang.id)} names the gang group ${groupText(gang)}, but gang ${
            named(id)
          } names ${groupText(other)}: ` +
          "declare the same gang group on both",
      };
    }
    return undefined;
  }
}

/** A gang's spec stays the same object until what its members declare changes. */
const specTexts = new WeakMap<GangFacts["gang"], string>();

function specTextOf({ gang, problem, parked, foreign, preempted }: GangFacts): string {
  const text = specTexts.get(gang) ?? JSON.stringify(gang);
  specTexts.set(gang, text);
  const { reason, message } = problem ?? {};
  const { members, by } = preempted ?? {};
  return `${text} ${reason} ${message} ${parked} ${foreign?.pod} ${members} ${by}`;
}

/** How a gang names its group, for messages. */
function groupText(gang: Gang): string {
  const { groups } = gang.read().spec;
  return groups ? listed(groups) : "none";
}

function factsOf(gang: Gang, holds: Holds, held: Map<string, Hold>): GangFacts {
  const { spec } = gang.read();
  const own: Hold[] = [];
  const rest = [];
  for (const [uid, record] of gang.counted()) {
    const hold = record.node ? undefined : holds.get(uid);
    if (hold) own.push(hold);
    else rest.push(record);
  }
  for (const hold of own) held.set(hold.pod.uid, hold);
  const stray = rest.find((record) => memberClassOf(record) === "foreign");
  const isParked = [...gang.members.values()].some((record) =>
    !record.node && record.pod.metadata.annotations?.[parkedAnnotation] === "true"
  );
  return {
    gang: spec,
    census: takeCensus(rest),
    held: own.map((hold) => hold.pod),
    ...(isParked && { parked: true }),
    ...(stray?.foreign && { foreign: { pod: stray.pod.metadata.name, ...stray.foreign } }),
  };
}
