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
  readonly untaken = new Map<string, readonly string[]>();
  readonly alikeOn = new Map<string, ReadonlyMap<string, number>>();

  constructor(snapshot: Snapshot) {
    this.snapshot = {
      ...snapshot,
      unschedulable: () => this.unschedulable ??= snapshot.unschedulable(),
      gated: () => this.gated ??= snapshot.gated(),
      nominated: () => this.nominated ??= snapshot.nominated(),
      untaken: (kind) => {
        const nodes = this.untaken.get(kind) ?? snapshot.untaken(kind);
        this.untaken.set(kind, nodes);
        return nodes;
      },
      alikeOn: (kind) => {
        const members = this.alikeOn.get(kind) ?? snapshot.alikeOn(kind);
        if (members.size > 0) this.alikeOn.set(kind, members);
        return members;
      },
      placed: this.placed.listenTo(snapshot.placed),
    };
  }
}

/** Writes the snapshots of one group: of what each is made of, only what was otherwise in the one before. */
export class SnapshotWriter {
  #plain: Plain | undefined;
  #gangs: readonly GangFacts[] = [];
  #gangTexts: string | undefined;
  #callIds: string | undefined;
  readonly #calls = new Set<number>();
  readonly #items = new Map<string, number>();

  write(heard: HeardSnapshot): SnapshotText {
    const { group, stranded, untriedFrom } = heard.snapshot;
    const calls = [...heard.snapshot.calls.values()];
    const newCalls = calls.filter(({ id }) => !this.#calls.has(id));
    for (const { id } of newCalls) this.#calls.add(id);
    const newItems: unknown[] = [];
    const numbers = (name: "unschedulable" | "gated" | "nominated") => {
      const items: readonly object[] | undefined = heard[name];
      return items && { [name]: items.map((item) => this.#numberOf(item, newItems)) };
    };
    return {
      ...this.#changed(plainOf(heard.snapshot)),
      epoch: group.relay.epoch,
      ...this.#changedGangs(group.gangs, calls),
      ...this.#changedCalls(calls),
      ...(newCalls.length > 0 && { newCalls: newCalls.map(({ isGranted: _, ...call }) => call) }),
      ...(stranded.length > 0 && { stranded }),
      ...(untriedFrom !== undefined && { untriedFrom }),
      ...numbers("unschedulable"),
      ...numbers("gated"),
      ...numbers("nominated"),
      ...(newItems.length > 0 && { newItems }),
      ...(heard.untaken.size > 0 && { untaken: [...heard.untaken] }),
      ...(heard.alikeOn.size > 0 && {
        alikeOn: [...heard.alikeOn].map(([kind, members]) => [kind, [...members]] as const),
      }),
      ...(heard.placed.text && { placed: heard.placed.text }),
    };
  }

  #changed(plain: Plain): Partial<Plain> {
    const before = this.#plain;
    this.#plain = plain;
    if (!before) return plain;
    const names = Object.keys(plain) as (keyof Plain)[];
    return Object.fromEntries(
      names.filter((name) => plain[name] !== before[name]).map((name) => [name, plain[name]]),
    );
  }

  #changedGangs(gangs: readonly GangFacts[], calls: readonly Call[]): Pick<SnapshotText, "gangs"> {
    const before = this.#gangs;
    this.#gangs = gangs;
    const all = gangs.map((facts, index) => gangText(facts, before[index], calls));
    const texts = JSON.stringify(all);
    const isSame = texts === this.#gangTexts;
    this.#gangTexts = texts;
    return isSame ? {} : { gangs: all };
  }

  #changedCalls(calls: readonly Call[]): Pick<SnapshotText, "calls"> {
    const ids = calls.map(({ id, isGranted }) => isGranted ? -id : id);
    const texts = ids.join();
    const isSame = texts === this.#callIds;
    this.#callIds = texts;
    return isSame ? {} : { calls: ids };
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

/** What of a snapshot is a text, a number or a truth. */
type Plain = Required<
  Pick<
    SnapshotText,
    | "title"
    | "specs"
    | "counts"
    | "present"
    | "pending"
    | "isGone"
    | "isForeign"
    | "lacksMap"
    | "relayId"
  >
>;

function plainOf(snapshot: Snapshot): Plain {
  const { title, specs, counts, present, pending, isGone, isForeign, lacksMap, group } = snapshot;
  const relayId = group.relay.id;
  return { title, specs, counts, present, pending, isGone, isForeign, lacksMap, relayId };
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
