/**
 * Snapshots that a recording speaks of, which answer what they answered when it was made.
 *
 * @module
 */
import type { Call, GatedMember, NominatedMember, Snapshot } from "../attend/snapshot.ts";
import { type GangFacts, gangId, type MemberFailure } from "../gang/facts.ts";
import type { GangText, PlacedText, SnapshotText } from "./recording.ts";

/** Told of a question that was not asked when the recording was made. */
export type Unheard = (question: string) => void;

/** A snapshot with all that was said only in one before. */
type Whole =
  & SnapshotText
  & Required<Omit<SnapshotText, "newCalls" | "newItems" | "stranded" | Heard>>;
type Heard = "unschedulable" | "gated" | "nominated" | "untaken" | "alikeOn" | "placed";

/** Reads the snapshots of one group. */
export class SnapshotReader {
  #before: Omit<Whole, Heard> | undefined;
  readonly #calls = new Map<number, Omit<Call, "isGranted">>();
  readonly #items: unknown[] = [];

  read(text: SnapshotText, unheard: Unheard): Snapshot {
    const { newCalls = [], newItems = [], stranded = [], untriedFrom, ...rest } = text;
    const { unschedulable, gated, nominated, untaken, alikeOn, placed, ...facts } = rest;
    for (const call of newCalls) this.#calls.set(call.id, call);
    this.#items.push(...newItems);
    const before = this.#before;
    const gangs = facts.gangs?.map((gang, index) => ({ ...specOf(before?.gangs[index]), ...gang }));
    const whole = { ...before, ...facts, ...(gangs && { gangs }) } as Whole;
    this.#before = whole;
    const calls = whole.calls.map((id): Call => ({
      ...this.#calls.get(Math.abs(id))!,
      isGranted: id < 0,
    }));
    const items = (name: string, numbers: readonly number[] | undefined) => () => {
      if (!numbers) unheard(name);
      return (numbers ?? []).map((number) => this.#items[number]);
    };
    const { title, specs, counts, present, pending, isGone, isForeign, relayId, epoch } = whole;
    // Older recordings do not know it.
    const { lacksMap = false } = whole;
    return {
      group: {
        relay: { id: relayId, epoch },
        gangs: whole.gangs.map((gang) => gangFactsOf(gang, calls)),
      },
      title,
      calls: new Map(calls.map((call) => [call.pod.uid, call])),
      stranded,
      specs,
      counts,
      present,
      pending,
      isGone,
      isForeign,
      lacksMap,
      ...(untriedFrom !== undefined && { untriedFrom }),
      unschedulable: items("unschedulable", unschedulable) as () => MemberFailure[],
      gated: items("gated", gated) as () => GatedMember[],
      nominated: items("nominated", nominated) as () => NominatedMember[],
      // Older recordings do not know them.
      untaken: (kind) => untaken?.find(([other]) => other === kind)?.[1] ?? [],
      alikeOn: (kind) => new Map(alikeOn?.find(([other]) => other === kind)?.[1]),
      placed: placedFrom(placed, unheard),
    };
  }
}

function specOf(text: GangText | undefined): Pick<GangText, "gang"> {
  return text?.gang ? { gang: text.gang } : {};
}

function gangFactsOf({ gang, held, ...rest }: GangText, calls: readonly Call[]): GangFacts {
  const spec = gang!;
  const own = calls.filter((call) => call.gang === gangId(spec)).map(({ pod }) => pod);
  return { ...rest, gang: spec, held: held ?? own };
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
