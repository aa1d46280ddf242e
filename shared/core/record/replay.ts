/**
 * Makes the decisions of a recording again.
 *
 * @module
 */
import type { Attended } from "../attend/attended.ts";
import type { Decisions } from "../attend/decisions.ts";
import type { GroupEvent } from "../attend/event.ts";
import type { Plan } from "../plan/plan.ts";
import { offerFrom, saidAt } from "./heard_offer.ts";
import { fromPlain, knownFrom } from "./known_text.ts";
import {
  type Entry,
  type EventText,
  type Header,
  inShort,
  type Line,
  recordingVersion,
  thrown,
} from "./recording.ts";
import { placedFrom, SnapshotReader, type Unheard } from "./snapshot_reader.ts";

/** A decision that was made again. */
export interface Replayed {
  readonly entry: Entry;
  /** The event; undefined where `filter` asked. */
  readonly event: GroupEvent | undefined;
  readonly before: Attended;
  readonly after: Attended;
  /** What was decided then, and what is now, in short. */
  readonly then: readonly string[];
  readonly now: readonly string[];
  /** What is asked now and was not then: the recording can not answer it. */
  readonly unheard: readonly string[];
}

/** Where a group is. */
interface Group {
  attended: Attended;
  readonly snapshots: SnapshotReader;
  plan: Plan | undefined;
  last: Happened | undefined;
}

interface Happened {
  readonly entry: Entry;
  readonly event: GroupEvent | undefined;
  readonly unheard: Set<string>;
}

const none = "none";

/** Makes decisions again, line after line; a group is left out from a gap until the recording says what was known of it. */
export class Replay {
  readonly #decisions: Decisions;
  readonly #groups = new Map<string, Group>();

  constructor(decisions: Decisions) {
    this.#decisions = decisions;
  }

  /**
   * What one line was about, and is now; nothing where it is no decision, or one of a group that is not known.
   *
   * @throws {RangeError} where the recording is of another version.
   */
  next(line: Line): Replayed[] {
    if ("recording" in line) return this.#begin(line);
    if ("missed" in line) this.#groups.clear();
    if (!("group" in line)) return [];
    const group = this.#groupOf(line);
    return group ? this.#again(group, line) : [];
  }

  #begin({ recording }: Header): Replayed[] {
    if (recording !== recordingVersion) {
      throw new RangeError(
        `the recording is of version ${recording}, and this reads version ${recordingVersion}`,
      );
    }
    this.#groups.clear();
    return [];
  }

  #groupOf({ group: id, known }: Entry): Group | undefined {
    if (known === undefined) return this.#groups.get(id);
    const group = {
      attended: knownFrom(known),
      snapshots: new SnapshotReader(),
      plan: undefined,
      last: undefined,
    };
    this.#groups.set(id, group);
    return group;
  }

  #again(group: Group, entry: Entry): Replayed[] {
    if (entry.again === undefined) {
      const unheard = new Set<string>();
      const event = entry.event && eventFrom(entry.event, group, (what) => unheard.add(what));
      group.last = { entry, event, unheard };
      return [this.#decide(group, group.last)];
    }
    const { last } = group;
    if (!last) return [];
    const same = { ...last, entry: { ...last.entry, at: entry.at } };
    return Array.from({ length: entry.again }, () => this.#decide(group, same));
  }

  #decide(group: Group, happened: Happened): Replayed {
    const { entry, event, unheard } = happened;
    const before = group.attended;
    const then = entry.event ? entry.did ?? [] : [entry.said ?? none];
    const now = this.#decided(group, happened);
    return { entry, event, before, after: group.attended, then, now, unheard: [...unheard] };
  }

  #decided(group: Group, { entry, event, unheard }: Happened): string[] {
    const { at, filter, offer } = entry;
    const { attended } = group;
    try {
      if (event) {
        const advanced = this.#decisions.advance(attended, event, at);
        group.attended = advanced.attended;
        return advanced.effects.map((effect) => inShort(effect, at));
      }
      if (filter) {
        const placed = placedFrom(filter.placed, (what) => unheard.add(what));
        return [this.#decisions.refusalOf(attended, { ...filter, placed }, at)?.reason ?? none];
      }
      const member = offerFrom(offer!);
      const offered = this.#decisions.offer(attended, member, at);
      group.attended = offered.attended;
      return [saidAt(member.nodes, offered, member) ?? none];
    } catch (error) {
      return [thrown(error)];
    }
  }
}

/** Whether today's code decides as was decided then; the order of effects is no part of it. */
export function isSame({ then, now }: Pick<Replayed, "then" | "now">): boolean {
  return JSON.stringify(then.toSorted()) === JSON.stringify(now.toSorted());
}

function eventFrom(text: EventText, group: Group, unheard: Unheard): GroupEvent {
  if (text.is === "planned") {
    if (text.plan !== undefined) group.plan = fromPlain(text.plan) as Plan;
    const waits = (uid: string) => {
      const heard = text.waits?.[uid];
      if (heard === undefined) unheard(`whether ${uid} waits`);
      return heard ?? false;
    };
    return { is: "planned", plan: group.plan!, waits };
  }
  if (!text.snapshot) return text as GroupEvent;
  return { ...text, snapshot: group.snapshots.read(text.snapshot, unheard) } as GroupEvent;
}
