/**
 * Snapshots that a recording speaks of, which answer what they answered when it was made.
 *
 * @module
 */
import type { Call, GatedMember, NominatedMember, Snapshot } from "../attend/snapshot.ts";
import { type GangFacts, gangId, type Group, type MemberFailure } from "../gang/facts.ts";
import type { PlacedText, SnapshotText } from "./recording.ts";

/** Told of a question that was not asked when the recording was made. */
export type Unheard = (question: string) => void;

/** Reads the snapshots of one group. */
export class SnapshotReader {
  #title = "";
  #specs = "";
  #gangs: readonly GangFacts[] = [];
  readonly #calls = new Map<number, Omit<Call, "isGranted">>();
  readonly #items: unknown[] = [];

  read(text: SnapshotText, unheard: Unheard): Snapshot {
    const { counts, present, pending, isGone, isForeign, newCalls = [], newItems = [] } = text;
    for (const call of newCalls) this.#calls.set(call.id, call);
    this.#items.push(...newItems);
    this.#title = text.title ?? this.#title;
    this.#specs = text.specs ?? this.#specs;
    const calls = text.calls.map((id): Call => ({
      ...this.#calls.get(Math.abs(id))!,
      isGranted: id < 0,
    }));
    this.#gangs = text.gangs.map(({ gang, held, ...rest }, index): GangFacts => {
      const spec = gang ?? this.#gangs[index]!.gang;
      const own = calls.filter((call) => call.gang === gangId(spec)).map(({ pod }) => pod);
      return { ...rest, gang: spec, held: held ?? own };
    });
    const items = (name: "unschedulable" | "gated" | "nominated") => () => {
      if (!text[name]) unheard(name);
      return (text[name] ?? []).map((number) => this.#items[number]);
    };
    return {
      group: { relay: text.relay as Group["relay"], gangs: this.#gangs },
      title: this.#title,
      calls: new Map(calls.map((call) => [call.pod.uid, call])),
      specs: this.#specs,
      counts,
      present,
      pending,
      isGone,
      isForeign,
      unschedulable: items("unschedulable") as () => MemberFailure[],
      gated: items("gated") as () => GatedMember[],
      nominated: items("nominated") as () => NominatedMember[],
      placed: placedFrom(text.placed, unheard),
    };
  }
}

/** Counts members as they were counted: by the answer to which most of those that come now were coming too. */
export function placedFrom(text: PlacedText = [], unheard: Unheard): Snapshot["placed"] {
  return (gang, comes = () => false) => {
    const [best] = text
      .filter(([other, coming]) => other === gang && coming.every((uid) => comes(uid)))
      .toSorted(([, a], [, b]) => b.length - a.length);
    if (!best) unheard(`placed in ${gang}`);
    return best?.[2] ?? 0;
  };
}
