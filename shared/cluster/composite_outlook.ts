/**
 * What is known of the groups in a CompositePodGroup, as their gangs show it.
 *
 * @module
 */
import type { Verdict } from "../core/attend/attended.ts";
import { gangId } from "../core/gang/facts.ts";
import { phaseOf } from "../core/gang/phase.ts";
import {
  type CompositePodGroup,
  type Hierarchy,
  minGroupsOf,
} from "../kubernetes/declaring/composite_pod_group.ts";
import type { CompositeOutlook } from "../kubernetes/status/composite_status.ts";
import { isMismatch } from "../kubernetes/status/conditions.ts";
import type { Gang } from "./gang.ts";
import { refusalIn } from "./reported_status.ts";

/** What it is made from. */
export interface CompositeSource {
  readonly hierarchy: Hierarchy;
  /** By `namespace/name`. */
  readonly gangOf: (gang: string) => Gang | undefined;
  readonly verdictOf: (gang: string) => Verdict | undefined;
}

/** A composite as far as anything is known of it. */
interface Part {
  /** Undefined: it says no number that can be used. */
  readonly min: number | undefined;
  readonly gangs: readonly Gang[];
  readonly within: readonly Part[];
}

/** What is known now; undefined: none of its members is Muster's to place. */
export function compositeOutlook(
  composite: CompositePodGroup,
  source: CompositeSource,
): CompositeOutlook | undefined {
  const part = partOf(composite, { ...source, seen: new Set() });
  const gangs = gangsIn(part).sort((a, b) => a.id < b.id ? -1 : 1);
  if (gangs.every(isForeign)) return undefined;
  return {
    isScheduled: isScheduled(part),
    obstacle: malformedIn(gangs) ?? refusedIn(gangs, source),
  };
}

/** In a circle each is looked at once. */
function partOf(
  composite: CompositePodGroup,
  source: CompositeSource & { seen: Set<string> },
): Part {
  const { hierarchy, gangOf, seen } = source;
  const { name } = composite.metadata;
  seen.add(name);
  const gangs = hierarchy.podGroupsIn(name).flatMap((podGroup) => {
    const gang = gangOf(gangId(podGroup.metadata));
    // Pods may name another PodGroup in other words.
    return gang?.read().podGroup === podGroup ? [gang] : [];
  });
  const within = hierarchy.compositesIn(name).filter(({ metadata }) => !seen.has(metadata.name));
  return {
    min: minGroupsOf(composite),
    gangs,
    within: within.map((each) => partOf(each, source)),
  };
}

function gangsIn({ gangs, within }: Part): Gang[] {
  return [...gangs, ...within.flatMap(gangsIn)];
}

function isForeign({ members }: Gang): boolean {
  for (const { foreign } of members.values()) if (!foreign) return false;
  return true;
}

function isScheduled({ min = Infinity, gangs, within }: Part): boolean {
  return gangs.filter(isPlaced).length + within.filter(isScheduled).length >= min;
}

function isPlaced(gang: Gang): boolean {
  const { bound, succeeded } = gang.lists.census();
  const { spec, problem } = gang.read();
  return problem?.reason !== "InvalidMinMember" && bound + succeeded >= spec.minMember;
}

function malformedIn(gangs: readonly Gang[]): CompositeOutlook["obstacle"] {
  for (const gang of gangs) {
    const { malformedTree: message } = gang.read();
    if (message !== undefined) return { reason: "Invalid", message };
  }
  return undefined;
}

/** As for the condition of a PodGroup: of a gang that lacks members nobody says that it can not be scheduled. */
function refusedIn(
  gangs: readonly Gang[],
  { verdictOf }: CompositeSource,
): CompositeOutlook["obstacle"] {
  for (const gang of gangs) {
    const refusal = refusalIn(verdictOf(gang.id));
    if (refusal && !isPlaced(gang) && (isMismatch(refusal) || hasMembers(gang))) {
      return { reason: "Unschedulable", message: refusal.message };
    }
  }
  return undefined;
}

function hasMembers(gang: Gang): boolean {
  const { lists } = gang;
  const phase = phaseOf({ gang: gang.read().spec, census: lists.census(), held: lists.held() });
  return phase === "Scheduling";
}
