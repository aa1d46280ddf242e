/**
 * Where a gang is to run by the levels of the network, as Koordinator and Volcano write it.
 *
 * @module
 */
import type { Topology } from "../../core/gang/topology.ts";
import { limits } from "../../core/gang/limits.ts";
import { quoted } from "../../core/words/text.ts";
import { defined, type Meaning, type Written } from "./declaration.ts";
import { keyOfLevel, type TopologyLevel } from "./topology_level.ts";

/** Koordinator's `network-topology-spec`: layers that must, or are preferred to, gather the gang; of those that must the narrowest rules. */
export function gatheringOf(
  { text }: Written,
  levels: readonly TopologyLevel[],
): Meaning<Topology> {
  const strategies = strategiesOf(text);
  if (!strategies) {
    return {
      must: 'must be JSON such as {"gatherStrategy":[{"layer":"rack","strategy":"MustGather"}]}',
    };
  }
  const keys = strategies.map(({ layer, strategy }) => ({
    strategy,
    key: keyOfLevel(layer, levels),
  }));
  const unknown = strategies.find((_, index) => keys[index]!.key === undefined);
  if (unknown) {
    return { must: `must name layers of --topology-levels, not ${quoted(unknown.layer)}` };
  }
  const keysOf = (wanted: string) =>
    narrowestFirst(keys.flatMap(({ strategy, key }) => strategy === wanted ? [key!] : []), levels);
  const [required] = keysOf("MustGather");
  const preferred = keysOf("PreferGather");
  return { value: defined({ required, preferred: preferred.length > 0 ? preferred : undefined }) };
}

interface Strategy {
  readonly layer: string;
  readonly strategy: string;
}

function strategiesOf(text: string): Strategy[] | undefined {
  const strategies = parsed(text)?.["gatherStrategy"];
  if (!Array.isArray(strategies) || strategies.length > limits.preferredLevels) return undefined;
  const areStrategies = strategies.every((one) =>
    typeof one?.layer === "string" && ["MustGather", "PreferGather"].includes(one?.strategy)
  );
  return areStrategies ? strategies : undefined;
}

/** Where the hierarchy does not have a label, its place in the list stays. */
function narrowestFirst(keys: string[], levels: readonly TopologyLevel[]): string[] {
  const depth = (key: string) => {
    const index = levels.findIndex((level) => level.key === key);
    return index < 0 ? levels.length : index;
  };
  return keys.toSorted((a, b) => depth(b) - depth(a));
}

/** Volcano's `networkTopology`: tier 1 is the narrowest level. */
export function tiersOf({ text }: Written, levels: readonly TopologyLevel[]): Meaning<Topology> {
  const { mode, highestTierAllowed, highestTierName } = parsed(text) ?? {};
  const narrowestFirst = levels.map(({ key }) => key).reverse();
  if (mode === "soft") {
    return narrowestFirst.length > 0
      ? { value: { preferred: narrowestFirst } }
      : { must: "must stand beside --topology-levels, which is not set" };
  }
  if (mode !== "hard") return { must: 'must have mode "hard" or "soft"' };
  const key = typeof highestTierName === "string" && highestTierName !== ""
    ? keyOfLevel(highestTierName, levels)
    : typeof highestTierAllowed === "number"
    ? narrowestFirst[highestTierAllowed - 1]
    : undefined;
  if (key === undefined) {
    return {
      must: `must name a tier of --topology-levels, which has ${levels.length}`,
    };
  }
  const narrower = narrowestFirst.slice(0, Math.max(0, narrowestFirst.indexOf(key)));
  return { value: { required: key, ...(narrower.length > 0 && { preferred: narrower }) } };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text can be read and asks for nothing that is a must: of one that can not be read nobody knows. */
export function isOnlyWished({ text }: Written): boolean {
  const strategies = strategiesOf(text);
  if (strategies) return strategies.every(({ strategy }) => strategy === "PreferGather");
  return parsed(text)?.["mode"] === "soft";
}
