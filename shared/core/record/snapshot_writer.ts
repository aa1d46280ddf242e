/**
 * Snapshots as a recording has them: what was asked of their functions, and what has not been said of their group before.
 *
 * @module
 */
import type { Call, Snapshot } from "../attend/snapshot.ts";
import { type GangFacts, gangId } from "../gang/facts.ts";
import type { GangText, PlacedText, SnapshotText } from "./recording.ts";

type Placed = Snapshot["placed"];

/** Notes how members were counted. */
export class HeardPlaced {
  readonly #heard = new Map<string, PlacedText[number]>();

  /** `placed` itself, heard. */
  listenTo(placed: Placed): Placed {
    return (gang, comes) => {
      const coming: string[] = [];
      const count = placed(
        gang,
        comes && ((uid) => {
          const isComing = comes(uid);
          if (isComing) coming.push(uid);
          return isComing;
        }),
      );
      this.#heard.set(`${gang} ${coming}`, [gang, coming, count]);
      return count;
    };
  }

  /** Undefined: it was not asked. */
  get text(): PlacedText | undefined {
    return this.#heard.size > 0 ? [...this.#heard.values()] : undefined;
  }
}

/** A snapshot that notes what it is asked; asked again it gives the same answer, as facts of one moment do. */
export class HeardSnapshot {
  readonly snapshot: Snapshot;
  readonly placed = new HeardPlaced();
  unschedulable: ReturnType<Snapshot["unschedulable"]> | undefined;
  gated: ReturnType<Snapshot["gated"]> | undefined;
  nominated: ReturnType<Snapshot["nominated"]> | undefined;

  constructor(snapshot: Snapshot) {
    this.snapshot = {
      ...snapshot,
      unschedulable: () => this.unschedulable ??= snapshot.unschedulable(),
      gated: () => this.gated ??= snapshot.gated(),
      nominated: () => this.nominated ??= snapshot.nominated(),
      placed: this.placed.listenTo(snapshot.placed),
    };
  }
}

/** Writes the snapshots of one group. */
export class SnapshotWriter {
  #title: string | undefined;
  #specs: string | undefined;
  #gangs: readonly GangFacts[] = [];
  readonly #calls = new Set<number>();
  readonly #items = new Map<string, number>();

  write(heard: HeardSnapshot): SnapshotText {
    const { title, specs, counts, present, pending, isGone, isForeign, group } = heard.snapshot;
    const calls = [...heard.snapshot.calls.values()];
    const newCalls = calls.filter(({ id }) => !this.#calls.has(id));
    for (const { id } of newCalls) this.#calls.add(id);
    const newItems: unknown[] = [];
    const numbers = (items: readonly object[] | undefined) =>
      items?.map((item) => this.#numberOf(item, newItems));
    const text = {
      ...(title !== this.#title && { title }),
      ...(specs !== this.#specs && { specs }),
      counts,
      present,
      pending,
      isGone,
      isForeign,
      relay: group.relay,
      gangs: group.gangs.map((facts, index) => gangText(facts, this.#gangs[index], calls)),
      calls: calls.map(({ id, isGranted }) => isGranted ? -id : id),
      ...(newCalls.length > 0 && { newCalls: newCalls.map(({ isGranted: _, ...call }) => call) }),
      unschedulable: numbers(heard.unschedulable),
      gated: numbers(heard.gated),
      nominated: numbers(heard.nominated),
      ...(newItems.length > 0 && { newItems }),
      placed: heard.placed.text,
    };
    this.#title = title;
    this.#specs = specs;
    this.#gangs = group.gangs;
    return text as SnapshotText;
  }

  #numberOf(item: object, newItems: unknown[]): number {
    const key = JSON.stringify(item);
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    newItems.push(item);
    this.#items.set(key, this.#items.size);
    return this.#items.size - 1;
  }
}

/** What its members declare stays the same object until it changes. */
function gangText(
  { gang, held, ...rest }: GangFacts,
  before: GangFacts | undefined,
  calls: readonly Call[],
): GangText {
  const id = gangId(gang);
  const own = calls.filter((call) => call.gang === id);
  const isOfCalls = held.length === own.length &&
    held.every((pod, index) => pod === own[index]!.pod);
  return { ...rest, ...(gang !== before?.gang && { gang }), ...(!isOfCalls && { held }) };
}
