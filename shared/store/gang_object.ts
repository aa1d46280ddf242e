/**
 * The durable object of one gang group: load what is kept, `step`, keep what follows, answer.
 *
 * @module
 */
import type { Admission, Decision } from "../core/stage/decision.ts";
import { digestOf, digestOfText } from "../core/stage/digest.ts";
import { type GangFacts, gangId, type RelayStamp } from "../core/gang/facts.ts";
import { abandon } from "../core/stage/gang_switch.ts";
import { emptyState } from "../core/stage/state.ts";
import type { PermitEvent } from "../core/stage/permit.ts";
import type { PostfilterEvent } from "../core/stage/postfilter.ts";
import type { PrefilterEvent } from "../core/stage/prefilter.ts";
import { isStale, type Outcome, type StageEvent, step } from "../core/stage/step.ts";
import type { UnreserveEvent } from "../core/stage/unreserve.ts";
import { armBy } from "./arm_by.ts";
import { parseKept } from "./damage.ts";
import { type GangLine, keptFacts, lineOf, withRun } from "./gang_line.ts";
import {
  endedBeside,
  type EndedGang,
  endedOf,
  type GangStory,
  type KeptGroup,
  type LastAnswer,
  storyOf,
  withDecision,
} from "./kept_group.ts";
import { LongTexts } from "./long_texts.ts";
import { DurableObject } from "./platform.ts";
import type { DurableObjectState, DurableObjectStorage } from "./embedded/types.ts";

/** The index is told again what it should know already after this time, and when another relay speaks, because it may have missed or lost it. */
const reportAgainMs = 600_000;

/** A gang group that nobody has asked about for so long is forgotten. */
const forgetAfterMs = 7 * 24 * 3600 * 1000;

/** What is kept is of another form in another version, which begins anew: the store may be empty at any time. */
const form = "group 1";

/** The key of what is kept. */
const groupKey = "group";

/** An answer, and the lines of the index that it changed. */
export interface Answered<Answer extends Admission | Decision> {
  readonly answer: Answer;
  readonly lines: readonly GangLine[];
  /** The gang group does not exist any more: what was known of its gangs. */
  readonly gone?: readonly EndedGang[];
  /** What was known of gangs that do not exist any more, while others of the group do. */
  readonly ended?: readonly EndedGang[];
  /** The call is a repeated or a late one: nothing follows from it. */
  readonly isOld?: true;
}

/** One gang group. Its id is the cluster and the canonical list of the group's gangs. */
export class GangObject extends DurableObject {
  readonly #storage: DurableObjectStorage;
  readonly #long: LongTexts;
  /** As it is kept; undefined: it has not been read. */
  #group: { readonly kept: KeptGroup | undefined } | undefined;
  /** Its alarm is known to be set. */
  #isArmed = false;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#storage = ctx.storage;
    this.#long = new LongTexts(ctx.storage);
  }

  /** Whether the scheduler may try the group's members now. */
  prefilter(event: PrefilterEvent): Promise<Answered<Admission>> {
    return this.#answer(event);
  }

  /** Whether the held members may bind. */
  permit(event: PermitEvent): Promise<Answered<Decision>> {
    return this.#answer(event);
  }

  /** What becomes of the held members when the scheduler can not place others. */
  postfilter(event: PostfilterEvent): Promise<Answered<Decision>> {
    return this.#answer(event);
  }

  /** What becomes of the held members when one of them is lost. */
  unreserve(event: UnreserveEvent): Promise<Answered<Decision>> {
    return this.#answer(event);
  }

  /** What follows from a call of prefilter is part of the answer when it is repeated (S0). */
  keepAskAgain({ id, epoch }: RelayStamp, askAgain: string): void {
    const kept = this.#load();
    if (!kept) return;
    const { answer } = kept;
    const isLast = answer.stage === "prefilter" && answer.relay === id && answer.epoch === epoch;
    if (!isLast) return;
    const outcome = { ...answer.outcome, askAgain } as Admission;
    this.#save({ ...kept, answer: { ...answer, outcome }, askedAt: Date.now() });
  }

  /** Another gang group came: an open round of this one ends with its next permit (S0). */
  abandon(forGroup: string): void {
    const kept = this.#load();
    if (!kept) return;
    this.#save({ ...kept, state: abandon(kept.state, forGroup), askedAt: Date.now() });
  }

  /** What is known about one gang of the group; undefined if nothing is. */
  describe(id: string): GangStory | undefined {
    const kept = this.#load();
    const facts = kept?.facts.find(({ gang }) => gangId(gang) === id);
    return kept && facts && storyOf(facts, kept);
  }

  /** Forgets a group that nobody asks about. Deadlines need no alarm: a relay asks at its deadline. */
  async alarm(): Promise<void> {
    this.#isArmed = false;
    const kept = this.#load();
    if (kept && Date.now() < kept.askedAt + forgetAfterMs) {
      await this.#storage.setAlarm(kept.askedAt + forgetAfterMs);
    } else await this.#forget();
  }

  async #answer<E extends StageEvent>(event: E): Promise<Answered<Outcome<E>>> {
    const now = Date.now();
    const answered = this.#decide(event, now);
    if (answered.gone) await this.#forget();
    else await this.#armAlarm(now);
    return answered;
  }

  /** The same call with the same epoch and the same facts is answered as it was before. */
  #decide<E extends StageEvent>(event: E, now: number): Answered<Outcome<E>> {
    const last = this.#load();
    const { relay, gangs, times } = event.group;
    const call = {
      stage: event.stage,
      relay: relay.id,
      epoch: relay.epoch,
      digest: digestOf(event),
    };
    if (last && isSameCall(last.answer, call)) {
      return { answer: last.answer.outcome as Outcome<E>, lines: [], isOld: true };
    }
    const before = last?.state ?? emptyState;
    const { state, outcome } = step(before, event, now);
    if (state === emptyState) {
      return { answer: outcome, lines: [], gone: last ? endedOf(last, { gangs, now }) : [] };
    }
    if (isStale(before, event.group)) return { answer: outcome, lines: [], isOld: true };

    const fit = event.stage === "prefilter" ? event.fit : undefined;
    const present = gangs.map((facts) =>
      lineOf(facts, { outcome, fit, state, times: times?.[gangId(facts.gang)], now })
    );
    const facts = keptFacts(event.group, { lines: present, outcome, before: last?.facts ?? [] });
    const lines = present.map((line, index) => withRun(line, facts[index]!));
    const news = digestOfText(JSON.stringify([
      Math.floor(now / reportAgainMs),
      relay.id,
      ...lines.map((line) => ({ ...line, summary: { ...line.summary, updatedAt: "" } })),
    ]));
    const hasBegun = state.round?.startedAt === now;
    const ended = last ? endedBeside(last, { gangs, now }) : [];
    const isTold = ended.length === 0 && (last?.reported === news ||
      isPassing(last, { stage: event.stage, relay: relay.id, gangs, outcome, hasBegun }));
    this.#save({
      state,
      facts,
      answer: { ...call, outcome },
      reported: isTold ? last?.reported : news,
      decisions: withDecision(last?.decisions ?? [], { stage: event.stage, outcome, now }),
      askedAt: now,
    });
    return { answer: outcome, lines: isTold ? [] : lines, ended };
  }

  #load(): KeptGroup | undefined {
    if (!this.#group) {
      const text = this.#long.get(groupKey);
      const read: (KeptGroup & { form: string }) | undefined = text ? parseKept(text) : undefined;
      this.#group = { kept: read?.form === form ? read : undefined };
    }
    return this.#group.kept;
  }

  #save(kept: KeptGroup): void {
    this.#long.put(groupKey, JSON.stringify({ form, ...kept }));
    this.#group = { kept };
  }

  async #armAlarm(now: number): Promise<void> {
    if (this.#isArmed) return;
    await armBy(this.#storage, now + forgetAfterMs);
    this.#isArmed = true;
  }

  async #forget(): Promise<void> {
    this.#group = undefined;
    this.#isArmed = false;
    await this.#storage.deleteAll();
  }
}

function isSameCall(last: LastAnswer, call: Omit<LastAnswer, "outcome">): boolean {
  return last.stage === call.stage && last.relay === call.relay && last.epoch === call.epoch &&
    last.digest === call.digest;
}

/**
 * Whether another call about the group is certain to come soon, which tells the index then: a round costs one call of it. After an
 * allow of permit a relay reports the bound members; in a wait that has just begun it asks again; members that prefilter lets in are
 * held at once, or it asks again. Not where another relay told last: the index may be lost since.
 */
function isPassing(
  last: KeptGroup | undefined,
  about: {
    stage: string;
    relay: string;
    gangs: readonly GangFacts[];
    outcome: Admission | Decision;
    hasBegun: boolean;
  },
): boolean {
  const { stage, relay, gangs, outcome, hasBegun } = about;
  if (!last?.reported || last.answer.relay !== relay) return false;
  if (stage === "permit") {
    return outcome.verdict === "allow" || (outcome.verdict === "wait" && hasBegun);
  }
  if (stage !== "prefilter" || outcome.verdict !== "allow") return false;
  const isLetIn = last.answer.stage === "prefilter" && last.answer.outcome.verdict === "allow";
  return !isLetIn &&
    gangs.some(({ gang, census: { bound, pending } }) => pending > 0 && bound < gang.minMember);
}
