/**
 * The durable object of one gang group: load rows, `step`, store rows, answer.
 *
 * @module
 */
import type { Ended, GangDetail, GangSummary } from "../contract/types.ts";
import type { Admission, Decision } from "../core/stage/decision.ts";
import { digestOf } from "../core/stage/digest.ts";
import { type GangFacts, gangId, type RelayStamp } from "../core/gang/facts.ts";
import type { Run } from "../core/gang/gang_times.ts";
import { abandon } from "../core/stage/gang_switch.ts";
import { emptyState, type GroupState } from "../core/stage/state.ts";
import type { PermitEvent } from "../core/stage/permit.ts";
import type { PostfilterEvent } from "../core/stage/postfilter.ts";
import type { PrefilterEvent } from "../core/stage/prefilter.ts";
import { isStale, type Outcome, type StageEvent, step } from "../core/stage/step.ts";
import type { UnreserveEvent } from "../core/stage/unreserve.ts";
import { howEnded } from "../core/words/how_ended.ts";
import { type GangLine, type KeptFacts, keptFacts, lineOf, withRun } from "./gang_line.ts";
import { runOf } from "./gang_run.ts";
import { LongTexts, longTextsTable } from "./long_texts.ts";
import { DurableObject } from "./platform.ts";
import { openSchema } from "./schema.ts";
import type { DurableObjectState, DurableObjectStorage } from "./embedded/types.ts";

/** Decisions kept for `GET /v1/gangs/{namespace}/{name}`. */
const keptDecisions = 20;

/** The index is told again what it should know already after this time, because it may have missed it. */
const reportAgainMs = 600_000;

/** A gang group that nobody has asked about for so long is forgotten. */
const forgetAfterMs = 7 * 24 * 3600 * 1000;

const schema = `
  CREATE TABLE gang_group (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    facts TEXT NOT NULL,
    answer TEXT NOT NULL,
    reported TEXT NOT NULL,
    asked_at INTEGER NOT NULL
  );
  CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    stage TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    message TEXT NOT NULL
  );
  ${longTextsTable}`;

/** An answer, and the lines of the index that it changed. */
export interface Answered<Answer extends Admission | Decision> {
  readonly answer: Answer;
  readonly lines: readonly GangLine[];
  /** The gang group does not exist any more: what was known of its gangs. */
  readonly gone?: readonly EndedGang[];
  /** The call is a repeated or a late one: nothing follows from it. */
  readonly isOld?: true;
}

/** The story of a gang, as its group's object knows it. */
export type GangStory =
  & Pick<GangDetail, "spec" | "pods" | "deadline" | "failedAt" | "help" | "decisions">
  & GangSummary;

/** What is kept of a gang that is gone. */
export type EndedGang = GangStory & {
  readonly ended: Ended;
  /** Absent: it never started. */
  readonly run?: Run | undefined;
};

interface Row {
  readonly state: GroupState;
  /** JSON of {@linkcode KeptFacts}: only who describes a gang reads it. */
  readonly facts: string;
  readonly answer?: LastAnswer;
  /** Lines last given to the index, without their time, and in which of the times at which it is told again. */
  readonly reported: string;
}

interface LastAnswer {
  readonly stage: string;
  readonly relay: string;
  readonly epoch: number;
  /** What the call said. */
  readonly digest: string;
  readonly outcome: Admission | Decision;
}

/** One gang group. Its id is the cluster and the canonical list of the group's gangs. */
export class GangObject extends DurableObject {
  readonly #storage: DurableObjectStorage;
  readonly #long: LongTexts;
  #isOpen = false;
  /** Its alarm is known to be set. */
  #isArmed = false;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#storage = ctx.storage;
    this.#long = new LongTexts(ctx.storage.sql);
    ctx.blockConcurrencyWhile(() => {
      this.#open();
      return Promise.resolve();
    });
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
    this.#open();
    this.#storage.transactionSync(() => {
      const row = this.#load();
      const { answer } = row ?? {};
      const isLast = answer?.stage === "prefilter" && answer.relay === id && answer.epoch === epoch;
      if (!row || !isLast) return;
      const outcome = { ...answer.outcome, askAgain } as Admission;
      this.#save({ ...row, answer: { ...answer, outcome } }, Date.now());
    });
  }

  /** Another gang group came: an open round of this one ends with its next permit (S0). */
  abandon(forGroup: string): void {
    this.#open();
    this.#storage.transactionSync(() => {
      const row = this.#load();
      if (row) this.#save({ ...row, state: abandon(row.state, forGroup) }, Date.now());
    });
  }

  /** What is known about one gang of the group; undefined if nothing is. */
  describe(id: string): GangStory | undefined {
    this.#open();
    const row = this.#load();
    const gangs: KeptFacts[] = JSON.parse(row?.facts ?? "[]");
    const facts = gangs.find(({ gang }) => gangId(gang) === id);
    return row && facts && this.#story(facts, row.state);
  }

  #story(facts: KeptFacts, { round, failure }: GroupState): GangStory {
    return {
      ...facts.summary,
      ...(facts.help !== undefined && { help: facts.help }),
      spec: facts.gang,
      ...(facts.pods && { pods: facts.pods }),
      ...(round && { deadline: new Date(round.deadline).toISOString() }),
      ...(failure && { failedAt: new Date(failure.at).toISOString() }),
      decisions: this.#decisions(),
    } as GangStory;
  }

  /** The stories of gangs that are gone, and how they ended by the last that is told of them. */
  #ended(
    row: Row | undefined,
    { gangs, now }: { gangs: readonly GangFacts[]; now: number },
  ): EndedGang[] {
    if (!row) return [];
    const at = new Date(now).toISOString();
    return (JSON.parse(row.facts) as KeptFacts[]).flatMap((kept) => {
      const last = gangs.find(({ gang }) => gangId(gang) === gangId(kept.gang));
      // Its pods are there, and are another scheduler's.
      if (last?.census.foreign) return [];
      const preempted = last?.preempted ?? kept.preempted;
      const message = howEnded({ gang: kept.gang, census: kept.whenEnough, preempted });
      const { help: _, deadline: __, pods: ___, estimate: ____, ...story } = this.#story(
        kept,
        row.state,
      );
      const run = runOf({ ...kept, census: kept.whenEnough, preempted }, now);
      return [{ ...story, ended: { at, message }, ...(run && { run }) }];
    });
  }

  /** Forgets a group that nobody asks about. Deadlines need no alarm: a relay asks at its deadline. */
  async alarm(): Promise<void> {
    this.#open();
    const [row] = this.#storage.sql
      .exec<{ asked_at: number }>("SELECT asked_at FROM gang_group").toArray();
    if (row && Date.now() < row.asked_at + forgetAfterMs) {
      await this.#storage.setAlarm(row.asked_at + forgetAfterMs);
    } else await this.#forget();
  }

  async #answer<E extends StageEvent>(event: E): Promise<Answered<Outcome<E>>> {
    this.#open();
    const now = Date.now();
    const answered = this.#storage.transactionSync(() => this.#decide(event, now));
    if (answered.gone) await this.#forget();
    else await this.#armAlarm(now);
    return answered;
  }

  /** The same call with the same epoch and the same facts is answered as it was before. */
  #decide<E extends StageEvent>(event: E, now: number): Answered<Outcome<E>> {
    const row = this.#load();
    const { relay, gangs, times } = event.group;
    const call = {
      stage: event.stage,
      relay: relay.id,
      epoch: relay.epoch,
      digest: digestOf(event),
    };
    if (row?.answer && isSameCall(row.answer, call)) {
      return { answer: row.answer.outcome as Outcome<E>, lines: [], isOld: true };
    }
    const before = row?.state ?? emptyState;
    const { state, outcome } = step(before, event, now);
    if (state === emptyState) {
      return { answer: outcome, lines: [], gone: this.#ended(row, { gangs, now }) };
    }
    if (isStale(before, event.group)) return { answer: outcome, lines: [], isOld: true };

    const fit = event.stage === "prefilter" ? event.fit : undefined;
    const present = gangs.map((facts) =>
      lineOf(facts, { outcome, fit, state, times: times?.[gangId(facts.gang)], now })
    );
    const facts = keptFacts(event.group, { lines: present, outcome, before: row?.facts });
    const lines = present.map((line, index) => withRun(line, facts[index]!));
    const text = JSON.stringify([
      Math.floor(now / reportAgainMs),
      ...lines.map((line) => ({ ...line, summary: { ...line.summary, updatedAt: "" } })),
    ]);
    const hasBegun = state.round?.startedAt === now;
    const isTold = row?.reported === text ||
      isPassing(row, { stage: event.stage, gangs, outcome, hasBegun });
    const answer: LastAnswer = { ...call, outcome };
    const help = "help" in outcome ? { help: outcome.help } : {};
    const kept = JSON.stringify(facts.map((each) => ({ ...each, ...help })));
    this.#save({ state, facts: kept, answer, reported: isTold ? row?.reported ?? "" : text }, now);
    this.#remember(event.stage, { outcome, now });
    return { answer: outcome, lines: isTold ? [] : lines };
  }

  #load(): Row | undefined {
    const [row] = this.#storage.sql.exec<Record<"state" | "facts" | "answer" | "reported", string>>(
      "SELECT state, facts, answer, reported FROM gang_group",
    ).toArray();
    return row && {
      state: JSON.parse(this.#long.get("state", row.state)),
      facts: this.#long.get("facts", row.facts),
      answer: JSON.parse(this.#long.get("answer", row.answer)),
      reported: this.#long.get("reported", row.reported),
    };
  }

  #save(row: Row, now: number): void {
    this.#storage.sql.exec(
      "INSERT OR REPLACE INTO gang_group (id, state, facts, answer, reported, asked_at) VALUES (1, ?, ?, ?, ?, ?)",
      this.#long.put("state", JSON.stringify(row.state)),
      this.#long.put("facts", row.facts),
      this.#long.put("answer", JSON.stringify(row.answer)),
      this.#long.put("reported", row.reported),
      now,
    );
  }

  #remember(stage: string, { outcome, now }: { outcome: Admission | Decision; now: number }): void {
    const { sql } = this.#storage;
    const { message } = outcome;
    const [last] = sql.exec<{ stage: string; message: string }>(
      "SELECT stage, message FROM decisions ORDER BY seq DESC LIMIT 1",
    ).toArray();
    if (last?.stage === stage && last.message === message) return;
    const { seq } = sql.exec<{ seq: number }>(
      "INSERT INTO decisions (at, stage, verdict, reason, message) VALUES (?, ?, ?, ?, ?) RETURNING seq",
      now,
      stage,
      outcome.verdict,
      outcome.reason,
      message,
    ).one();
    if (seq > keptDecisions) {
      sql.exec("DELETE FROM decisions WHERE seq <= ?", seq - keptDecisions);
    }
  }

  #decisions(): GangDetail["decisions"] {
    return this.#storage.sql.exec<
      { at: number; stage: string; verdict: string; reason: string; message: string }
    >(
      "SELECT at, stage, verdict, reason, message FROM decisions ORDER BY seq DESC",
    ).toArray().map((row) => ({
      ...row,
      at: new Date(row.at).toISOString(),
    })) as GangDetail["decisions"];
  }

  async #armAlarm(now: number): Promise<void> {
    if (this.#isArmed) return;
    this.#isArmed = true;
    if (await this.#storage.getAlarm() === null) await this.#storage.setAlarm(now + forgetAfterMs);
  }

  async #forget(): Promise<void> {
    this.#isOpen = false;
    this.#isArmed = false;
    await this.#storage.deleteAll();
  }

  #open(): void {
    if (!this.#isOpen) openSchema(this.#storage, schema);
    this.#isOpen = true;
  }
}

function isSameCall(last: LastAnswer, call: Omit<LastAnswer, "outcome">): boolean {
  return last.stage === call.stage && last.relay === call.relay && last.epoch === call.epoch &&
    last.digest === call.digest;
}

/**
 * Whether another call about the group is certain and near, which tells the index then, so that a round costs one call of
 * it: after an allow of permit a relay reports the bound members, in a wait that has just begun it asks again, and members
 * that prefilter lets in are held at once, or it asks again.
 */
function isPassing(
  last: Row | undefined,
  about: {
    stage: string;
    gangs: readonly GangFacts[];
    outcome: Admission | Decision;
    hasBegun: boolean;
  },
): boolean {
  const { stage, gangs, outcome, hasBegun } = about;
  if (!last?.reported) return false;
  if (stage === "permit") {
    return outcome.verdict === "allow" || (outcome.verdict === "wait" && hasBegun);
  }
  if (stage !== "prefilter" || outcome.verdict !== "allow") return false;
  const isLetIn = last.answer?.stage === "prefilter" && last.answer.outcome.verdict === "allow";
  return !isLetIn && gangs.some(({ gang, census }) => census.bound < gang.minMember);
}
