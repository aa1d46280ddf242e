import { Chance } from "../chance.ts";
import { describeGang, drawGang, type Gang, nodeCount } from "./gangs.ts";

/**
 * What is killed and stopped. The store is workerd's process where the functions run on workerd, and otherwise in that of the
 * functions.
 */
export const partNames = [
  "relay-a",
  "relay-b",
  "scheduler-a",
  "scheduler-b",
  "functions",
  "store",
  "kube-apiserver",
  "etcd",
] as const;

/** One of {@linkcode partNames}. */
export type PartName = typeof partNames[number];

/** The connections that are cut, delayed and silenced: who calls whom. */
export const linkNames = [
  "relay-a to kube-apiserver",
  "relay-b to kube-apiserver",
  "scheduler-a to kube-apiserver",
  "scheduler-b to kube-apiserver",
  "scheduler-a to relay-a",
  "scheduler-b to relay-b",
  "relay-a to functions",
  "relay-b to functions",
  "kube-apiserver to etcd",
] as const;

/** One of {@linkcode linkNames}. */
export type LinkName = typeof linkNames[number];

/** Something that is done to the cluster; `ms` is how long it lasts. */
export type Deed =
  | { readonly do: "create"; readonly gang: Gang }
  | { readonly do: "kill"; readonly part: PartName }
  | { readonly do: "restart"; readonly part: PartName }
  | { readonly do: "stop"; readonly part: PartName; readonly ms: number }
  | { readonly do: "cut"; readonly link: LinkName; readonly ms: number }
  | { readonly do: "silence"; readonly link: LinkName; readonly ms: number }
  | {
    readonly do: "delay";
    readonly link: LinkName;
    readonly byMs: number;
    readonly ms: number;
  }
  | { readonly do: "step clock"; readonly part: ClockOwner; readonly byMs: number }
  | { readonly do: "fill disk"; readonly ms: number }
  | { readonly do: "lose store" }
  | { readonly do: "take node"; readonly node: number; readonly ms: number }
  /** Which pods and gangs is told by `draw` among those that are there. */
  | { readonly do: "delete pods"; readonly count: number; readonly draw: number }
  | { readonly do: "edit gang"; readonly draw: number };

/** Whose clock can be set: programs of Deno. */
export type ClockOwner = "relay-a" | "relay-b" | "functions";

/** A deed and its time, in milliseconds since the start. */
export interface Action {
  readonly at: number;
  readonly deed: Deed;
}

/** What a run is drawn from. */
export interface ChaosOptions {
  seed: number;
  minutes: number;
  /** How many processes are killed. */
  kills: number;
}

/** A silence of a connection to the API server is noticed after so long at most. */
const silenceMs = 70_000;
const waveMs = 8000;
/** Every minute begins with faults and ends without, so that gangs run between them, whatever the number of kills. */
const minuteMs = 60_000;
const stormMs = 40_000;

/** How often a part is struck beside the others: those whose restart stops everything seldom. */
const weights: Record<PartName, number> = {
  "relay-a": 3,
  "relay-b": 3,
  "scheduler-a": 3,
  "scheduler-b": 3,
  functions: 3,
  store: 3,
  "kube-apiserver": 1,
  etcd: 1,
};
const weighted = partNames.flatMap((part) => Array<PartName>(weights[part]).fill(part));
const clockOwners: readonly ClockOwner[] = ["relay-a", "relay-b", "functions"];

/** Faults other than kills, by how many a minute. */
const rates: readonly [number, (chance: Chance) => Deed][] = [
  [4, (chance) => ({ do: "stop", part: pick(chance, weighted), ms: within(chance, 500, 6000) })],
  [3, (chance) => ({ do: "restart", part: pick(chance, weighted) })],
  [4, (chance) => ({ do: "cut", link: pick(chance, linkNames), ms: chance.below(4000) })],
  [3, (chance) => ({
    do: "delay",
    link: pick(chance, linkNames),
    byMs: within(chance, 20, 400),
    ms: within(chance, 1000, 8000),
  })],
  // A loopback connection, as that of a scheduler to its relay, is not dropped in silence.
  [1.5, (chance) => ({
    do: "silence",
    link: pick(
      chance,
      linkNames.filter((link) =>
        !link.startsWith("scheduler-a to relay") && !link.startsWith("scheduler-b to relay")
      ),
    ),
    ms: chance.below(3000),
  })],
  [2, (chance) => ({
    do: "step clock",
    part: pick(chance, clockOwners),
    byMs: within(chance, -120_000, 120_000),
  })],
  [1, (chance) => ({ do: "fill disk", ms: within(chance, 1000, 8000) })],
  [0.5, () => ({ do: "lose store" })],
  [1.5, (chance) => ({
    do: "take node",
    node: chance.below(nodeCount),
    ms: within(chance, 2000, 15_000),
  })],
  [6, (chance) => ({ do: "delete pods", count: 1 + chance.below(3), draw: chance.below(2 ** 30) })],
  [4, (chance) => ({ do: "edit gang", draw: chance.below(2 ** 30) })],
];

/** Draws what is done in a run, in the order of time; the same for the same options. */
export function drawActions({ seed, minutes, kills }: ChaosOptions): Action[] {
  const chance = new Chance(seed);
  const length = minutes * minuteMs;
  const actions: Action[] = [];
  const moment = () => {
    const at = chance.below(length);
    const inMinute = at % minuteMs;
    return inMinute < stormMs ? at : at - inMinute + chance.below(stormMs);
  };
  const add = (deed: Deed, at = moment()) => actions.push({ at, deed });
  for (let kill = 0; kill < kills; kill++) add({ do: "kill", part: pick(chance, weighted) });
  for (const [perMinute, draw] of rates) {
    for (let count = Math.max(1, Math.round(perMinute * minutes)); count > 0; count--) {
      const deed = draw(chance);
      const at = moment();
      const isLate = deed.do === "silence" && !deed.link.endsWith("to functions") &&
        at + silenceMs > length;
      add(
        isLate
          ? { ...deed, link: pick(chance, ["relay-a to functions", "relay-b to functions"]) }
          : deed,
        at,
      );
    }
  }
  let number = 0;
  for (let wave = 0; wave < length; wave += waveMs) {
    for (let count = 2 + chance.below(5); count > 0; count--) {
      add(
        { do: "create", gang: drawGang(chance, `gang-${++number}`) },
        Math.min(length - 1, wave + chance.below(1000)),
      );
    }
  }
  return actions.sort((a, b) => a.at - b.at);
}

/** One line about a deed. */
export function describeDeed(deed: Deed): string {
  const lasts = "ms" in deed ? ` for ${deed.ms} ms` : "";
  switch (deed.do) {
    case "create":
      return `create ${describeGang(deed.gang)}`;
    case "kill":
    case "restart":
    case "stop":
      return `${deed.do} ${deed.part}${lasts}`;
    case "cut":
    case "silence":
      return `${deed.do} ${deed.link}${lasts}`;
    case "delay":
      return `delay ${deed.link} by ${deed.byMs} ms${lasts}`;
    case "step clock":
      return `step the clock of ${deed.part} by ${deed.byMs} ms`;
    case "fill disk":
      return `fill the disk of the store${lasts}`;
    case "lose store":
      return "lose the store";
    case "take node":
      return `take node-${deed.node}${lasts}`;
    case "delete pods":
      return `delete ${deed.count} pods`;
    case "edit gang":
      return "edit the quorum of a gang";
  }
}

function within(chance: Chance, from: number, below: number): number {
  return from + chance.below(below - from);
}

function pick<T>(chance: Chance, items: readonly T[]): T {
  return chance.pick(items)!;
}
