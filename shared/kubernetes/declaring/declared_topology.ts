/**
 * Where a gang is to run, as Muster, Kueue, Koordinator and Volcano write it.
 *
 * @module
 */
import type { Topology } from "../../core/gang/topology.ts";
import { isNodeLabel, limits } from "../../core/gang/limits.ts";
import { quoted } from "../../core/words/text.ts";
import { type Declaration, defined, entered, type Meaning, type Written } from "./declaration.ts";
import { gatheringOf, isOnlyWished, tiersOf } from "./network_topology.ts";
import { levelsAbove, type TopologyLevel } from "./topology_level.ts";
import type { ObjectMeta } from "../types.ts";

/** The fields of a declaration that say where its gang is to run. */
export type DeclaredTopology = Pick<
  Declaration,
  "required" | "preferred" | "slice" | "gathering" | "tiers"
>;

/** Prefix of Muster's own annotations. */
export const own = "muster.scheduling/";

const kueue = "kueue.x-k8s.io/podset-";

/** What topology is declared by. Put together once: they are looked for in every pod that changes. */
export const topologyKeys = {
  required: `${own}required-topology`,
  preferred: `${own}preferred-topology`,
  slice: `${own}topology-slice`,
  kueueRequired: `${kueue}required-topology`,
  kueuePreferred: `${kueue}preferred-topology`,
  kueueSlice: `${kueue}slice-required-topology`,
  kueueSliceSize: `${kueue}slice-size`,
  gathering: "gang.scheduling.koordinator.sh/network-topology-spec",
};

/** The longest list of preferred levels. */
const preferredText = limits.preferredLevels * (limits.nodeLabel + 2);

/** What annotations, or labels where their values allow it, of a pod or a PodGroup say. */
export function topologyDeclaration(metadata: ObjectMeta): DeclaredTopology {
  return defined({
    required: noted(metadata, topologyKeys.required, limits.nodeLabel) ??
      noted(metadata, topologyKeys.kueueRequired, limits.nodeLabel),
    preferred: noted(metadata, topologyKeys.preferred, preferredText) ??
      noted(metadata, topologyKeys.kueuePreferred, limits.nodeLabel),
    slice: noted(metadata, topologyKeys.slice, limits.nodeLabel + limits.value) ??
      kueueSlice(metadata),
    gathering: noted(metadata, topologyKeys.gathering, limits.rolesText),
  });
}

/** A value, as much of it as may be said in so many letters. */
export function noted(metadata: ObjectMeta, key: string, most: number): Written | undefined {
  const annotation = metadata.annotations?.[key];
  if (annotation !== undefined) {
    return { text: entered(annotation, most), field: `annotation ${key}` };
  }
  const label = metadata.labels?.[key];
  return label === undefined ? undefined : { text: entered(label, most), field: `label ${key}` };
}

/** Kueue writes a slice's label and its size apart. */
function kueueSlice(metadata: ObjectMeta): Written | undefined {
  const key = noted(metadata, topologyKeys.kueueSlice, limits.nodeLabel);
  const size = noted(metadata, topologyKeys.kueueSliceSize, limits.value);
  return key && { text: `${key.text}=${size?.text ?? ""}`, field: `${key.field} with slice-size` };
}

/** A node label. */
export function requiredOf({ text }: Written): Meaning<string> {
  const key = text.trim();
  return isNodeLabel(key)
    ? { value: key }
    : { must: 'must be a node label such as "topology.kubernetes.io/zone"' };
}

/** Node labels, the most wanted first. */
export function preferredOf({ text }: Written): Meaning<string[]> {
  const keys = text.split(",").map((key) => key.trim());
  return keys.length <= limits.preferredLevels && keys.every(isNodeLabel)
    ? { value: [...new Set(keys)] }
    : {
      must: `must be at most ${limits.preferredLevels} node labels, such as "rack,block"`,
    };
}

/** `<node label>=<members>`. */
export function sliceOf({ text }: Written): Meaning<NonNullable<Topology["slice"]>> {
  const [, key = "", members] = /^\s*([^=]*)=(\d{1,9})\s*$/.exec(text) ?? [];
  return isNodeLabel(key) && Number(members) >= 1
    ? { value: { key, members: Number(members) } }
    : { must: 'must be a node label and a number of members, such as "rack=4"' };
}

/** A topology, what of it is only wished and can not be used, and what is required and can not be. */
export interface ReadTopology {
  readonly topology: Topology | undefined;
  /** `annotation … is "…", but must …`. */
  readonly unusable: string | undefined;
  readonly ignored: readonly string[];
}

/** Reads where a gang is to run; a list of preferred levels goes on with those above its last one. */
export function readTopology(
  declared: DeclaredTopology,
  levels: readonly TopologyLevel[],
): ReadTopology {
  const problems: string[] = [];
  const ignored: string[] = [];
  function read<T>(written: Written | undefined, about: {
    readonly as: (written: Written, levels: readonly TopologyLevel[]) => Meaning<T>;
    readonly isWish: (written: Written) => boolean;
  }): T | undefined {
    const meaning = written && about.as(written, levels);
    if (!meaning || "value" in meaning) return meaning?.value;
    const says = wrongText(written!, meaning.must);
    (about.isWish(written!) ? ignored : problems).push(says);
    return undefined;
  }
  const must = () => false;
  const network = read(declared.gathering, { as: gatheringOf, isWish: isOnlyWished }) ??
    read(declared.tiers, { as: tiersOf, isWish: isOnlyWished });
  const own = {
    required: read(declared.required, { as: requiredOf, isWish: must }),
    preferred: read(declared.preferred, { as: preferredOf, isWish: () => true }),
    slice: read(declared.slice, { as: sliceOf, isWish: must }),
  };
  const topology: Topology = { ...network, ...defined(own) };
  const { preferred } = topology;
  const widened = preferred && [
    ...preferred,
    ...levelsAbove(preferred.at(-1)!, levels).filter((key) => !preferred.includes(key)),
  ].slice(0, limits.preferredLevels);
  const all = { ...topology, ...(widened && { preferred: widened }) };
  return {
    topology: Object.keys(all).length > 0 ? all : undefined,
    unusable: problems[0],
    ignored,
  };
}

/** What is wrong with a value, for messages. */
export function wrongText({ field, text }: Written, must: string): string {
  return `${field} is ${quoted(text)}, but ${must}`;
}
