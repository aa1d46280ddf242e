/**
 * The decisions, recorded as they are made.
 *
 * @module
 */
import type { Attended } from "../attend/attended.ts";
import type { Decisions } from "../attend/decisions.ts";
import type { GroupEvent } from "../attend/event.ts";
import type { Plan } from "../plan/plan.ts";
import { plain } from "./known_text.ts";
import { HeardOffer, saidAt } from "./heard_offer.ts";
import { type Entry, type EventText, inShort, thrown } from "./recording.ts";
import { PlanRecorder } from "./plan_recorder.ts";
import type { Tape } from "./tape.ts";
import { HeardPlaced, HeardSnapshot, SnapshotWriter } from "./snapshot_writer.ts";

/** What the tape says of a group so far. */
interface Said {
  /** What is known of it, as the entries say. */
  attended: Attended | undefined;
  readonly snapshots: SnapshotWriter;
  /** Of the last plan, to know another by. */
  plan: string;
  /** Its last entry, without the time, and how often and when it happened again. */
  last: string;
  again: number;
  againAt: number;
}

/** What enters a decision and comes out of it, once it has been made. */
type EntryOf = (said: Said) => Omit<Entry, "at" | "group">;

/** Records decisions; `hide` gives a line's content without names. */
export class Recorder implements Decisions {
  readonly #decisions: Decisions;
  readonly #tape: Tape;
  readonly #hide: (content: unknown) => unknown;
  readonly plan: Decisions["plan"];
  #said = new Map<string, Said>();
  #part: number | undefined;

  constructor(
    decisions: Decisions,
    tape: Tape,
    hide: (content: unknown) => unknown = (content) => content,
  ) {
    this.#decisions = decisions;
    this.#tape = tape;
    this.#hide = hide;
    this.plan = new PlanRecorder(decisions.plan, { tape, hide }).plan;
  }

  readonly advance: Decisions["advance"] = (attended, event, now) => {
    const heard = heardEvent(event);
    const note = (after: Attended, did: readonly string[]) =>
      this.#note(attended, { after, now }, (said) => ({ event: heard.text(said), did }));
    try {
      const advanced = this.#decisions.advance(attended, heard.event, now);
      const { effects } = advanced;
      note(advanced.attended, effects.map((effect) => inShort(effect, now)));
      if (effects.some((effect) => effect.do === "forget")) this.#said.delete(attended.id);
      return advanced;
    } catch (error) {
      note(attended, [thrown(error)]);
      throw error;
    }
  };

  readonly refusalOf: Decisions["refusalOf"] = (attended, applicant, now) => {
    if (!attended) return this.#decisions.refusalOf(attended, applicant, now);
    const { uid, gang } = applicant;
    const heard = new HeardPlaced();
    const placed = heard.listenTo(applicant.placed);
    const why = this.#decisions.refusalOf(attended, { uid, gang, placed }, now);
    this.#note(attended, { after: attended, now }, () => ({
      filter: { uid, gang, ...(heard.text && { placed: heard.text }) },
      said: why?.reason ?? null,
    }));
    return why;
  };

  readonly offer: Decisions["offer"] = (attended, member, now) => {
    const heard = new HeardOffer(member);
    const offered = this.#decisions.offer(attended, heard.member, now);
    this.#note(attended, { after: offered.attended, now }, () => {
      const offer = heard.text(attended);
      return { offer, said: saidAt(offer.nodes, offered, member) };
    });
    return offered;
  };

  /** A recording that fails must not keep a relay from its work. */
  #note(before: Attended, { after, now }: { after: Attended; now: number }, entry: EntryOf): void {
    try {
      if (this.#tape.isOpen) this.#write(before, { after, now }, entry);
      else this.#tape.missed();
    } catch {
      this.#said.delete(before.id);
      this.#tape.missed();
    }
  }

  #write(before: Attended, { after, now }: { after: Attended; now: number }, entry: EntryOf): void {
    const { id } = before;
    if (this.#part !== this.#tape.part) {
      this.#part = this.#tape.part;
      this.#said = new Map();
    }
    const follows = this.#said.get(id);
    const isKnown = follows?.attended === before;
    const said = isKnown ? follows : saidNothing();
    this.#said.set(id, said);
    said.attended = after;
    const known = isKnown ? {} : { known: plain(before) };
    const content = JSON.stringify(this.#hide({ group: id, ...known, ...entry(said) })).slice(1);
    if (content === said.last && isAsBefore(before, after)) {
      said.again++;
      said.againAt = now;
      return;
    }
    if (said.again > 0) {
      const again = this.#hide({ at: said.againAt, group: id, again: said.again });
      this.#tape.write(JSON.stringify(again));
    }
    said.last = content;
    said.again = 0;
    this.#tape.write(`{"at":${now},${content}`);
  }
}

function saidNothing(): Said {
  return {
    attended: undefined,
    snapshots: new SnapshotWriter(),
    plan: "",
    last: "",
    again: 0,
    againAt: 0,
  };
}

/** Nothing is known otherwise than before, so that it does not matter when it happened; plans of one key are decided alike. */
function isAsBefore(before: Attended, after: Attended): boolean {
  if (before === after) return true;
  const isPlanned = (before.plan === undefined) === (after.plan === undefined);
  const names = Object.keys({ ...before, ...after }) as (keyof Attended)[];
  return isPlanned && names.every((name) => name === "plan" || before[name] === after[name]);
}

/** An event whose functions note what they answer. */
function heardEvent(event: GroupEvent): { event: GroupEvent; text: (said: Said) => EventText } {
  if (event.is === "planned") {
    const { is, plan } = event;
    const waits: Record<string, boolean> = {};
    return {
      event: { ...event, waits: (uid) => waits[uid] = event.waits(uid) },
      text: (said) => {
        const text = keyOf(plan);
        const isNew = said.plan !== text;
        said.plan = text;
        return {
          is,
          ...(isNew && { plan: plain(plan) }),
          ...(Object.keys(waits).length > 0 && { waits }),
        };
      },
    };
  }
  if (!("snapshot" in event)) return { event, text: () => event };
  const heard = new HeardSnapshot(event.snapshot);
  return {
    event: { ...event, snapshot: heard.snapshot },
    text: ({ snapshots }) => ({ ...event, snapshot: snapshots.write(heard) }),
  };
}

/** By the fit of a plan, which groups of one shape share. */
const fitTexts = new WeakMap<Plan["fit"], string>();

/** Plans of one key are decided alike. */
function keyOf({ fit, ahead, taken, ...rest }: Plan): string {
  const fitText = fitTexts.get(fit) ?? JSON.stringify(fit);
  fitTexts.set(fit, fitText);
  return fitText + JSON.stringify([ahead, taken, rest]);
}
