/**
 * Which gangs have the nodes of a cluster, for whoever looks.
 *
 * @module
 */
import type { ClusterMap, MapPlace, MapShare } from "../core/gang/cluster_map.ts";
import { isGangId, isNodeLabel, limits } from "../core/gang/limits.ts";
import type { Topology } from "../core/gang/topology.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { plannedNodes } from "./gang_pods.ts";
import type { GangRun } from "./gang_run.ts";
import { type MapGround, mapGroundOf, widestFirst } from "./map_ground.ts";
import { isActive } from "./pod_record.ts";

/**
 * So many times as long as a map took none is made. The functions read it and keep it, which takes as long once more: with
 * both it takes a hundredth of the relay's time.
 */
const restPerMap = 200;
/** No rest is longer, in ms. */
const longestRest = 1000;

/** Domains of a cluster of which nobody says any. */
const zone = "topology.kubernetes.io/zone";

type State = keyof MapShare;
type Share = Readonly<Record<State, number>>;
/** What a gang has, by the number of the place. */
type Shares = ReadonlyMap<number, Share>;

const nothing: Share = { bound: 0, held: 0, planned: 0 };

/** Places, and the resource that is shown of them. */
interface Mapped {
  readonly ground: MapGround;
  readonly resource: string;
}

/** What maps are made of. */
export interface MapsOf {
  readonly cluster: Cluster;
  readonly groups: () => Iterable<GangGroup>;
  /** Ms since any time, by which it is told how long a map takes. */
  readonly clock?: () => number;
}

/** Makes maps of one cluster. */
export class ClusterMaps {
  readonly #cluster: Cluster;
  readonly #groups: () => Iterable<GangGroup>;
  readonly #clock: () => number;
  #ground: { readonly of: readonly unknown[]; readonly ground: MapGround } | undefined;
  /** A run is the same until a member of its gang changes. */
  readonly #shares = new WeakMap<
    GangRun,
    { readonly ground: MapGround; readonly shares: Shares }
  >();
  #restsUntil = 0;
  #isOwed = false;

  constructor({ cluster, groups, clock = () => performance.now() }: MapsOf) {
    this.#cluster = cluster;
    this.#groups = groups;
    this.#clock = clock;
  }

  /** Whether the last one that was to be taken was not made, because the one before was too new. */
  get isOwed(): boolean {
    return this.#isOwed;
  }

  /** As it is now, in ms since the epoch; undefined: the last one is too new for what it took, or there are no nodes. */
  take(now: number): ClusterMap | undefined {
    const startedAt = this.#clock();
    this.#isOwed = startedAt < this.#restsUntil;
    if (this.#isOwed) return undefined;
    const map = this.#make(now);
    const endedAt = this.#clock();
    this.#restsUntil = endedAt + Math.min(longestRest, restPerMap * (endedAt - startedAt));
    return map;
  }

  #make(now: number): ClusterMap | undefined {
    const resource = mappedResource(this.#cluster.room.totals.allocatable);
    if (resource === undefined) return undefined;
    const ground = this.#groundOf(resource);
    const byGang = this.#sharesByGang({ ground, resource });
    const named = gangsNamed(byGang);
    return {
      at: new Date(now).toISOString(),
      resource,
      levels: ground.levels,
      gangs: named,
      places: this.#places(ground, { resource, byGang, named }),
    };
  }

  /** The same as long as the nodes and their domains are. */
  #groundOf(resource: string): MapGround {
    const { nodes, nodesNow } = this.#cluster.room;
    const levels = this.#levels();
    const of = [nodesNow, resource, levels.join()];
    if (this.#ground && of.every((value, index) => value === this.#ground!.of[index])) {
      return this.#ground.ground;
    }
    const isTold = this.#cluster.levels.length > 0;
    const inOrder = isTold ? levels : widestFirst(levels, nodes.values());
    const ground = mapGroundOf(nodes.values(), { resource, levels: inOrder });
    this.#ground = { of, ground };
    return ground;
  }

  /** Those of the network; where none are named, those that gangs want to be together in. */
  #levels(): string[] {
    const { levels, gangs } = this.#cluster;
    if (levels.length > 0) return levels.map(({ key }) => key);
    const wanted = new Set([...gangs.values()].flatMap((gang) => {
      const { spec: { topology, roles = [] }, around = [] } = gang.read();
      return [topology, ...roles.map((role) => role.topology), ...around].flatMap(keysOf);
    }));
    wanted.delete("kubernetes.io/hostname");
    const known = [...wanted].filter(isNodeLabel).sort();
    return known.length > 0 ? known : [zone];
  }

  #sharesByGang({ ground, resource }: Mapped): Map<string, Shares> {
    const { gangs, pods } = this.#cluster;
    const byGang = new Map<string, Shares>();
    for (const gang of gangs.values()) {
      const shares = this.#sharesOf(gang, { ground, resource });
      if (shares.size > 0) byGang.set(gang.id, shares);
    }
    for (const group of this.#groups()) {
      for (const [uid, node] of plannedNodes(group)) {
        const { gang, requests, node: at, call } = pods.get(uid) ?? {};
        const place = ground.nodes.get(node)?.place;
        const amount = requests?.get(resource);
        if (gang === undefined || !amount || place === undefined || at !== undefined || call) {
          continue;
        }
        const shares = new Map(byGang.get(gang));
        byGang.set(gang, shares.set(place, plus(shares.get(place), { planned: amount })));
      }
    }
    return byGang;
  }

  /** What members of a gang have that are on a node or held: the same until one of them changes. */
  #sharesOf(gang: Gang, { ground, resource }: Mapped): Shares {
    const known = this.#shares.get(gang.run());
    if (known?.ground === ground) return known.shares;
    const shares = new Map<number, Share>();
    for (const { node, call, requests, pod } of gang.members.values()) {
      const place = ground.nodes.get(node ?? call?.pod.node ?? "")?.place;
      const amount = requests.get(resource);
      if (!amount || place === undefined || !isActive(pod)) continue;
      const more = node === undefined ? { held: amount } : { bound: amount };
      shares.set(place, plus(shares.get(place), more));
    }
    this.#shares.set(gang.run(), { ground, shares });
    return shares;
  }

  #places(
    ground: MapGround,
    { resource, byGang, named }: {
      resource: string;
      byGang: ReadonlyMap<string, Shares>;
      named: readonly string[];
    },
  ): MapPlace[] {
    const numbers = new Map(named.map((gang, number) => [gang, number]));
    const used = this.#used(ground, resource);
    const shares = ground.places.map((): GangShare[] => []);
    for (const [gang, places] of byGang) {
      const number = numbers.get(gang) ?? Infinity;
      for (const [place, share] of places) shares[place]!.push({ number, share });
    }
    return ground.places.map((place, index) => ({
      ...place,
      ...takenAt(shares[index]!, used[index]!),
    }));
  }

  /** What is taken at each place, by pods of gangs and others. */
  #used({ places, nodes }: MapGround, resource: string): number[] {
    const used = places.map(() => 0);
    for (const [node, { place, allocatable }] of nodes) {
      const free = this.#cluster.room.free.get(node)?.get(resource) ?? 0;
      // Infinity: it is there without being counted.
      if (free < Infinity) used[place]! += Math.max(0, allocatable - free);
    }
    return used;
  }
}

/** What a gang has at a place; of those that are not named the number is Infinity. */
interface GangShare {
  readonly number: number;
  readonly share: Share;
}

/** Who has how much at a place where so much is used: the gangs that have most of those that are named, and all others as one. */
function takenAt(
  shares: readonly GangShare[],
  used: number,
): Pick<MapPlace, "gangs" | "others"> {
  const all = shares.toSorted((a, b) =>
    amountIn(b.share) - amountIn(a.share) || a.number - b.number
  );
  const shown = all.filter(({ number }) => number < Infinity).slice(0, limits.placeGangs);
  const rest = all.filter((each) => !shown.includes(each)).map(({ share }) => share);
  const restOf = (state: State) => rest.reduce((sum, share) => sum + share[state], 0);
  const inGangs = all.reduce((sum, { share }) => sum + share.bound + share.held, 0);
  return {
    gangs: shown.map(({ number, share }) => ({ gang: number, ...present(share) })),
    others: present({
      bound: restOf("bound") + Math.max(0, used - inGangs),
      held: restOf("held"),
      planned: restOf("planned"),
    }),
  };
}

/** Those that have most. The functions refuse a call that names what can be no gang. */
function gangsNamed(byGang: ReadonlyMap<string, Shares>): string[] {
  const sums = [...byGang].filter(([gang]) => isGangId(gang)).map(([gang, shares]) => ({
    gang,
    sum: sumOf(shares.values()),
  }));
  return sums.sort((a, b) => b.sum - a.sum || (a.gang < b.gang ? -1 : 1))
    .slice(0, limits.mapGangs).map(({ gang }) => gang);
}

/** The GPUs there are most of; else what there is most of that only some nodes have; else CPUs. */
function mappedResource(allocatable: ReadonlyMap<string, number>): string | undefined {
  const rankOf = (name: string) => /gpu$/.test(name) ? 2 : name.includes("/") ? 1 : 0;
  const [first] = [...allocatable].filter(([name, amount]) =>
    amount > 0 && (name.includes("/") || name === "cpu")
  ).sort(([a, amountOfA], [b, amountOfB]) =>
    rankOf(b) - rankOf(a) || amountOfB - amountOfA || (a < b ? -1 : 1)
  );
  return first?.[0];
}

function keysOf(topology: Topology | undefined): string[] {
  const { required, preferred = [], slice } = topology ?? {};
  return [
    ...(required === undefined ? [] : [required]),
    ...preferred,
    ...(slice ? [slice.key] : []),
  ];
}

function sumOf(shares: Iterable<Share>): number {
  let sum = 0;
  for (const share of shares) sum += amountIn(share);
  return sum;
}

function plus(share: Share = nothing, more: Partial<Share>): Share {
  const { bound = 0, held = 0, planned = 0 } = more;
  return {
    bound: share.bound + bound,
    held: share.held + held,
    planned: share.planned + planned,
  };
}

function amountIn({ bound, held, planned }: Share): number {
  return bound + held + planned;
}

function present({ bound, held, planned }: Share): MapShare {
  return {
    ...(bound > 0 && { bound }),
    ...(held > 0 && { held }),
    ...(planned > 0 && { planned }),
  };
}
