/**
 * The free room of all nodes while members are placed on it, and what each node has for each kind of member.
 *
 * Plans are made again and again on rooms that hardly differ. So what is known of a node stays known for as long as what is
 * free there is the same object: a node that changes is given another one.
 *
 * @module
 */
import {
  type Candidate,
  devicesIn,
  fitting,
  type Resources,
  type Room,
  wasteOf,
  without,
} from "./fit.ts";
import { type Domains, domainsOf, type Labels } from "./domains.ts";

/** Members that are alike: what they ask of a node. */
export interface Kind {
  /** Kinds with the same key ask for the same on the same nodes. */
  readonly key: string;
  readonly requests: Resources;
  readonly mayRunOn: (node: string) => boolean;
  /** No more than so many go to a node, whatever room there is; absent: as many as have room. */
  readonly most?: (node: string) => number;
}

/** Nodes, and what is free there. */
export interface Grounds {
  readonly free: Room;
  readonly labelsOf: Labels;
}

/** What each node has for members of a kind, by the node's number. */
interface View {
  /** So many of them find room. */
  readonly fits: number[];
  /** So many find room on all nodes. */
  total: number;
  /** What one of them would waste of a node's free room. */
  readonly wasteOf: (free: Resources) => number;
  /** And does there. */
  readonly wastes: number[];
  /** Nodes with room, the fullest first. */
  order: readonly number[];
  /** Nodes that are not where they belong in `order`. */
  readonly stale: Set<number>;
  /** So many of the ground's changes are known. */
  at: number;
}

/** Keys of which something is remembered, and kinds where there are very many nodes. */
const remembered = 200;
/** Kinds elsewhere: of so many nodes together, and so many of them. */
const most = { nodes: 1_000_000, kinds: 2000 };
/** Nodes that are put where they belong one by one: with more of them all are put in order again. */
const fewStale = 64;

const known = new WeakMap<Room, Ground>();

/** A ground to place members on; what was learnt of these nodes before is used again. */
export function groundOf({ free, labelsOf }: Grounds): Ground {
  const before = known.get(free);
  const ground = before && !before.isWorn(free.size) ? before : new Ground();
  ground.refresh(free, labelsOf);
  known.set(free, ground);
  return ground.fork();
}

/** Nodes by number, with what is free there. */
export class Ground {
  readonly #names: string[];
  readonly #numbers: Map<string, number>;
  readonly #rooms: (Resources | undefined)[];
  readonly #origin: Ground | undefined;
  /** So many of the origin's changes were known when it was forked. */
  readonly #forkedAt: number;
  readonly #views = new Map<string, View>();
  readonly #domains = new Map<string, { domains: Domains; at: number }>();
  /** Numbers of nodes, each time that what is free there changed. */
  readonly #changes: number[] = [];
  readonly #undo: { readonly node: number; readonly room: Resources | undefined }[] = [];
  #labelsOf: Labels = () => ({});
  #largest: Resources | undefined;

  constructor(origin?: Ground) {
    this.#origin = origin;
    this.#forkedAt = origin ? origin.#changes.length : 0;
    this.#names = origin ? origin.#names : [];
    this.#numbers = origin ? origin.#numbers : new Map();
    this.#rooms = origin ? [...origin.#rooms] : [];
  }

  /** So many numbers have been given to nodes, also to some that are gone. */
  get size(): number {
    return this.#names.length;
  }

  /** What is free on each node. */
  get rooms(): readonly (Resources | undefined)[] {
    return this.#rooms;
  }

  /** What the roomiest node had of each resource when that was asked for first. */
  get largest(): Resources {
    if (this.#largest) return this.#largest;
    const largest = new Map<string, number>();
    for (const room of this.#rooms) {
      for (const [resource, amount] of room ?? []) {
        largest.set(resource, Math.max(largest.get(resource) ?? 0, amount));
      }
    }
    return this.#largest = largest;
  }

  /** The same ground, to place others on. */
  fork(): Ground {
    return new Ground(this);
  }

  /** Follows the nodes as they are now. */
  refresh(free: Room, labelsOf: Labels): void {
    this.#labelsOf = labelsOf;
    let number = 0;
    for (const [name, room] of free) {
      while (number < this.size && this.#names[number] !== name) this.#set(number++, undefined);
      if (number === this.size) this.#names.push(name);
      // One that has come back may have had another number before.
      if (!this.#rooms[number]) this.#numbers.set(name, number);
      this.#set(number++, room);
    }
    while (number < this.size) this.#set(number++, undefined);
  }

  /** It knows much that is gone. */
  isWorn(nodes: number): boolean {
    return this.size > 2 * nodes + remembered || this.#changes.length > 20 * this.size + remembered;
  }

  nameOf(node: number): string {
    return this.#names[node]!;
  }

  /** Undefined: there is no such node. */
  numberOf(name: string): number | undefined {
    const number = this.#numbers.get(name);
    return number !== undefined && this.#rooms[number] ? number : undefined;
  }

  /** What is free on a node. */
  roomOf(name: string): Resources | undefined {
    const node = this.numberOf(name);
    return node === undefined ? undefined : this.#rooms[node];
  }

  /** So many members of the kind find room on the node. */
  fits(kind: Kind, node: number): number {
    return this.#viewOf(kind).fits[node]!;
  }

  /** So many members of the kind find room on these nodes, or on all. */
  roomFor(kind: Kind, nodes?: readonly number[]): number {
    const { fits, total } = this.#viewOf(kind);
    if (!nodes) return total;
    let sum = 0;
    for (const node of nodes) sum += fits[node]!;
    return sum;
  }

  /** Those of the nodes where no device is free. */
  withoutDevices(nodes: readonly number[]): readonly number[] {
    return nodes.filter((node) => devicesIn(this.#rooms[node] ?? new Map()) === 0);
  }

  /** Those of these nodes, or of all, that have room for a member of the kind, the fullest first. */
  fullestFirst(kind: Kind, nodes?: readonly number[]): readonly number[] {
    const view = this.#viewOf(kind);
    if (nodes) return nodes.filter((node) => view.fits[node]! > 0).sort(fullerIn(view));
    putInOrder(view);
    return view.order;
  }

  /** {@linkcode fullestFirst} for whoever needs the first few, as it is when they are asked for: others are not put in order. */
  fullest(kind: Kind, nodes?: readonly number[]): Iterable<number> {
    const view = nodes ? undefined : this.#viewOf(kind);
    if (!view || view.stale.size > fewStale) return this.fullestFirst(kind, nodes);
    return view.stale.size === 0 ? view.order : inOrder(view);
  }

  /** The domains of a key, each told apart by the values of the keys in `path`, of which it is the last. */
  domains(path: readonly string[]): Domains {
    if (this.#origin) return this.#origin.domains(path);
    const id = JSON.stringify(path);
    const before = this.#domains.get(id);
    const changed = before && new Set(this.#changes.slice(before.at));
    const domains = before && before.domains.isStill(changed!, (node) => this.#labels(node))
      ? before.domains
      : domainsOf(path, { size: this.size, labelsOf: (node) => this.#labels(node) });
    const entry = { domains, at: this.#changes.length };
    remember(this.#domains, { key: id, entry, most: remembered });
    return domains;
  }

  /** Takes (or, with a count below 0, gives back) the room of so many members of a kind. */
  take(node: number, { requests }: Pick<Kind, "requests">, count: number): void {
    const room = this.#rooms[node];
    if (!room) return;
    this.#undo.push({ node, room });
    this.#set(node, without(room, requests, count));
  }

  /** Another room for a node. */
  put(node: number, room: Resources | undefined): void {
    if (this.#rooms[node] === room) return;
    this.#undo.push({ node, room: this.#rooms[node] });
    this.#set(node, room);
  }

  /** {@linkcode take} by the node's name; nothing where there is no such node. */
  takeAt(name: string, kind: Pick<Kind, "requests">, count: number): void {
    const node = this.numberOf(name);
    if (node !== undefined) this.take(node, kind, count);
  }

  /** Until here {@linkcode undoTo} takes everything back. */
  mark(): number {
    return this.#undo.length;
  }

  undoTo(mark: number): void {
    while (this.#undo.length > mark) {
      const { node, room } = this.#undo.pop()!;
      this.#set(node, room);
    }
  }

  #set(node: number, room: Resources | undefined): void {
    if (this.#rooms[node] === room) return;
    this.#rooms[node] = room;
    this.#changes.push(node);
  }

  #labels(node: number): Readonly<Record<string, string>> {
    return this.#rooms[node] ? this.#labelsOf(this.#names[node]!) : {};
  }

  #viewOf(kind: Kind): View {
    const before = this.#views.get(kind.key);
    const view = before ?? this.#firstView(kind);
    if (!before || !this.#origin) {
      remember(this.#views, { key: kind.key, entry: view, most: mostKinds(this.size) });
    }
    for (; view.at < this.#changes.length; view.at++) {
      this.#see(kind, view, this.#changes[view.at]!);
    }
    return view;
  }

  #firstView(kind: Kind): View {
    const at = this.#changes.length;
    const origin = this.#origin;
    if (!origin) {
      const view = {
        fits: [],
        total: 0,
        wasteOf: wasteOf(kind.requests),
        wastes: [],
        order: [],
        stale: new Set<number>(),
        at,
      };
      for (let node = 0; node < this.size; node++) this.#see(kind, view, node);
      return view;
    }
    const known = origin.#viewOf(kind);
    if (known.stale.size > fewStale) putInOrder(known);
    const { fits, wastes, stale } = known;
    const view = { ...known, fits: [...fits], wastes: [...wastes], stale: new Set(stale), at };
    const changed = [...this.#changes, ...origin.#changes.slice(this.#forkedAt)];
    for (const node of new Set(changed)) this.#see(kind, view, node);
    return view;
  }

  #see({ requests, mayRunOn, most = () => Infinity }: Kind, view: View, node: number): void {
    const room = this.#rooms[node];
    const name = this.#names[node]!;
    const count = room ? fitting(requests, room) : 0;
    const fits = count > 0 && mayRunOn(name) ? Math.min(count, most(name)) : 0;
    view.total += fits - (view.fits[node] ?? 0);
    view.fits[node] = fits;
    if (fits > 0) view.wastes[node] = view.wasteOf(room!);
    view.stale.add(node);
  }
}

/** Those first of which a member takes the largest share of what the roomiest node has of a resource. */
export function largestFirst<T>(
  items: readonly T[],
  { membersOf, ground }: {
    membersOf: (item: T) => readonly Pick<Candidate, "requests">[];
    ground: Ground;
  },
): T[] {
  if (items.length < 2) return [...items];
  const { largest } = ground;
  const share = (item: T) =>
    Math.max(
      0,
      ...membersOf(item).flatMap(({ requests }) =>
        [...requests].map(([resource, amount]) => amount / (largest.get(resource) || 1))
      ),
    );
  return items.map((item) => ({ item, share: share(item) }))
    .sort((a, b) => b.share - a.share).map(({ item }) => item);
}

/** Compares nodes of a view. */
function fullerIn({ wastes }: View): (a: number, b: number) => number {
  return (a, b) => wastes[a]! - wastes[b]! || a - b;
}

function movedIn(view: View): number[] {
  return [...view.stale].filter((node) => view.fits[node]! > 0).sort(fullerIn(view));
}

/** Puts all nodes where they belong. */
function putInOrder(view: View): void {
  if (view.stale.size === 0) return;
  const others = view.order.filter((node) => !view.stale.has(node));
  view.order = merged(others, movedIn(view), fullerIn(view));
  view.stale.clear();
}

/** The same without putting them there: as they are now, whatever is taken of those that came. */
function* inOrder(view: View): Iterable<number> {
  const stale = new Set(view.stale);
  const moved = movedIn(view);
  const fuller = fullerIn(view);
  let next = 0;
  for (const node of view.order) {
    if (stale.has(node)) continue;
    while (next < moved.length && fuller(moved[next]!, node) < 0) yield moved[next++]!;
    yield node;
  }
  while (next < moved.length) yield moved[next++]!;
}

/** So many kinds are remembered; with more each is looked at on all nodes again and again. */
export function mostKinds(nodes: number): number {
  return Math.max(remembered, Math.min(most.kinds, most.nodes / nodes));
}

/** Keeps an entry, and forgets the one that has not been asked for for longest. */
function remember<T>(
  entries: Map<string, T>,
  { key, entry, most }: { key: string; entry: T; most: number },
): void {
  entries.delete(key);
  entries.set(key, entry);
  if (entries.size > most) entries.delete(entries.keys().next().value!);
}

function merged(
  a: readonly number[],
  b: readonly number[],
  order: (a: number, b: number) => number,
): readonly number[] {
  if (a.length === 0) return b;
  const result: number[] = [];
  let next = 0;
  for (const item of a) {
    while (next < b.length && order(b[next]!, item) < 0) result.push(b[next++]!);
    result.push(item);
  }
  while (next < b.length) result.push(b[next++]!);
  return result;
}
