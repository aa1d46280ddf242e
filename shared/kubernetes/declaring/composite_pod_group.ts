/**
 * CompositePodGroups of Kubernetes itself (`scheduling.k8s.io`): PodGroups that start together, in a tree.
 *
 * @module
 */
import { isSelective } from "../../core/gang/composites.ts";
import { gangId, type Problem } from "../../core/gang/facts.ts";
import { isGroupSize, limits } from "../../core/gang/limits.ts";
import type { Composite, Topology } from "../../core/gang/topology.ts";
import type { RunningTree } from "../../core/plan/running.ts";
import { quoted } from "../../core/words/text.ts";
import { countOf, type Written } from "./declaration.ts";
import { disruptionDeclaration, disruptionOf, nativeDisruption } from "./declared_disruption.ts";
import { requiredOf, wrongText } from "./declared_topology.ts";
import { valueOf } from "./member.ts";
import { nativeTopology, type PodGroup, type PodGroupKind, written } from "./pod_group.ts";

/** A CompositePodGroup; its PodGroups, and those within it, name it as their parent. */
export type CompositePodGroup = PodGroup;

/** Where CompositePodGroups are served, the best version first. */
export const compositePodGroups = {
  group: "scheduling.k8s.io",
  versions: ["v1", "v1beta2", "v1beta1", "v1alpha3"],
  plural: "compositepodgroups",
} as const;

/** A kind of PodGroup, or what PodGroups are in. */
export type GroupingKind = PodGroupKind | typeof compositePodGroups;

/** The CompositePodGroups of one namespace. */
export interface Hierarchy {
  readonly find: (name: string) => CompositePodGroup | undefined;
  readonly podGroupsIn: (name: string) => readonly PodGroup[];
  readonly compositesIn: (name: string) => readonly CompositePodGroup[];
}

/** None are known. */
export const noHierarchy: Hierarchy = {
  find: () => undefined,
  podGroupsIn: () => [],
  compositesIn: () => [],
};

/** What a gang's CompositePodGroups make of it. */
export interface ReadComposite {
  /** All gangs that start together, as `namespace/name`; absent: it starts alone. */
  readonly groups?: readonly string[];
  /** Which of them are needed, and where; absent: all of them, anywhere. */
  readonly composite?: Composite;
  /** What becomes of them when some of them have to leave. */
  readonly runsIn?: RunningTree;
  /** Topologies around the gang, the nearest first. */
  readonly around?: readonly Topology[];
  readonly problem?: Problem;
  /** Its problem does not pass when what is missing comes. */
  readonly isMalformed?: boolean;
  /** One of them says that all of it leaves together: that a gang does, at least. */
  readonly disruption?: Written;
  readonly warnings?: readonly string[];
}

/** Kubernetes takes so many above a PodGroup. */
const deepest = 3;

/** The name of the CompositePodGroup that a native PodGroup, or one of them, is in. */
export function parentOf({ spec }: PodGroup): string | undefined {
  return written(spec, "parentCompositePodGroupName", limits.objectName)?.text;
}

/** Reads the tree that a native PodGroup is in; one that can not be read is a problem of all gangs in it. */
export function readComposite(podGroup: PodGroup, hierarchy: Hierarchy): ReadComposite {
  const id = gangId(podGroup.metadata);
  try {
    const above = pathTo(podGroup, { id, hierarchy });
    const root = above.findLastIndex((composite) => !isLoose(composite));
    const said = saidOfDisruption(above, root);
    if (root < 0) return said;
    const path = above.slice(0, root + 1);
    const composite = treeOf(path.at(-1)!, { id, hierarchy, depth: above.length - root });
    const short = shortIn(composite);
    if (short) throw new Incomplete(notAll(short, id));
    const groups = leavesOf(composite).sort();
    if (!isGroupSize(groups)) {
      throw new Unreadable(tooMany(composite.name, { id, gangs: groups.length }));
    }
    const composites = sizeOf(composite);
    if (composites > limits.groupComposites) {
      throw new Unreadable(tooManyComposites(composite, { id, composites }));
    }
    const around = path.flatMap((each) => topologyOf(each, id) ?? []);
    return {
      ...(groups.length > 1 && { groups }),
      ...((hasTopology(composite) || isSelective(composite)) && { composite }),
      runsIn: runningTree(composite, hierarchy),
      around,
      ...said,
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const { problem } = error;
    return { problem, ...(!(error instanceof Incomplete) && { isMalformed: true }) };
  }
}

/** Why a tree can not be used. */
class Unreadable extends Error {
  readonly problem: Problem;

  constructor(message: string, reason = "CompositePodGroup") {
    super(message);
    this.problem = { reason, message };
  }
}

/** What is missing may still come. */
class Incomplete extends Unreadable {}

interface Asked {
  readonly id: string;
  readonly hierarchy: Hierarchy;
}

/** All CompositePodGroups above a gang, the nearest first. */
function pathTo(podGroup: PodGroup, { id, hierarchy }: Asked): CompositePodGroup[] {
  const path: CompositePodGroup[] = [];
  for (let name = parentOf(podGroup); name !== undefined;) {
    if (path.length === deepest) throw new Unreadable(tooDeep(id));
    const composite = hierarchy.find(name);
    if (!composite) {
      const of = compositePodGroups.group;
      throw new Incomplete(
        `gang ${id} waits for its CompositePodGroup: create one named ${quoted(name)}, of ${of}`,
      );
    }
    path.push(composite);
    name = parentOf(composite);
  }
  return path;
}

function treeOf(
  composite: CompositePodGroup,
  { id, hierarchy, depth }: Asked & { depth: number },
): Composite {
  if (depth > deepest) throw new Unreadable(tooDeep(id));
  const { name } = composite.metadata;
  const podGroups = hierarchy.podGroupsIn(name);
  // Each of thousands reads it.
  if (podGroups.length > limits.groupGangs) {
    throw new Unreadable(tooMany(name, { id, gangs: podGroups.length }));
  }
  const composites = hierarchy.compositesIn(name);
  const min = neededOf(composite, id);
  const topology = topologyOf(composite, id);
  const within = composites.map((each) => treeOf(each, { id, hierarchy, depth: depth + 1 }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
  const gangs = podGroups.map(({ metadata }) => gangId(metadata)).sort();
  const children = [...gangs, ...within];
  return {
    name,
    ...(min !== children.length && { min }),
    ...(topology && { topology }),
    children,
  };
}

/** The composite of which too few groups are there for the whole to start, the innermost that is. */
function shortIn(composite: Composite): Composite | undefined {
  const { min, children } = composite;
  const short = children.flatMap((each) => typeof each === "string" ? [] : shortIn(each) ?? []);
  if (children.length - short.length >= (min ?? children.length)) return undefined;
  return short[0] ?? composite;
}

/** How many of its groups it needs, of policy `basic` one, as for Kubernetes; undefined: it does not say so that it can be used. */
export function minGroupsOf(composite: CompositePodGroup): number | undefined {
  const { basic, gang } = policyOf(composite);
  if (basic && !gang) return 1;
  const least = written(gang, "minGroupCount");
  return least && valueOf(least, countOf);
}

function neededOf(composite: CompositePodGroup, id: string): number {
  const min = minGroupsOf(composite);
  if (min !== undefined) return min;
  const least = written(policyOf(composite)["gang"], "minGroupCount");
  const field = "spec.schedulingPolicy.gang.minGroupCount";
  throw new Unreadable(
    `gang ${id} has no usable quorum: ${field} of CompositePodGroup ${composite.metadata.name} ` +
      `${
        least ? `is ${quoted(least.text)}` : "is missing"
      }, but must be a whole number of at least 1`,
    "InvalidMinMember",
  );
}

function topologyOf(composite: CompositePodGroup, id: string): Topology | undefined {
  const key = nativeTopology(composite.spec);
  const meaning = key && requiredOf(key);
  if (!meaning || "value" in meaning) return meaning && { required: meaning.value };
  const field = `${key.field} of CompositePodGroup ${composite.metadata.name}`;
  throw new Unreadable(
    `gang ${id} has a topology that can not be used: ${wrongText({ ...key, field }, meaning.must)}`,
    "InvalidTopology",
  );
}

/** Whether its groups have nothing to do with each other. */
export function isLoose(composite: CompositePodGroup): boolean {
  const { basic, gang } = policyOf(composite);
  return basic !== undefined && !gang && !nativeTopology(composite.spec);
}

type Policy = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function policyOf({ spec }: CompositePodGroup): Policy {
  return (spec?.["schedulingPolicy"] ?? {}) as Policy;
}

/** Those up to the root leave together. */
function saidOfDisruption(
  above: readonly CompositePodGroup[],
  root: number,
): Pick<ReadComposite, "disruption" | "warnings"> {
  const all = above.findIndex(({ spec }) =>
    nativeDisruption(spec?.["disruptionMode"])?.text === "gang"
  );
  if (all < 0) return {};
  const field = `spec.disruptionMode of CompositePodGroup ${above[all]!.metadata.name}`;
  const warning = `${field} is "all": each of its gangs leaves as a whole, but not all of them ` +
    "together, because it keeps nothing together";
  return {
    disruption: { text: "gang", field },
    ...(all > root && { warnings: [warning] }),
  };
}

function runningTree(
  { name, min, children }: Composite,
  hierarchy: Hierarchy,
): RunningTree {
  return {
    min: min ?? children.length,
    leavesWhole: leavesWhole(hierarchy.find(name)),
    parts: children.map((each) => typeof each === "string" ? each : runningTree(each, hierarchy)),
  };
}

/** As with a gang, unless it says otherwise; what is malformed says nothing. */
function leavesWhole(composite: CompositePodGroup | undefined): boolean {
  const { disruption } = composite ? disruptionDeclaration(composite.metadata) : {};
  const meaning = disruption && disruptionOf(disruption);
  if (meaning && "value" in meaning) return meaning.value === "gang";
  return nativeDisruption(composite?.spec?.["disruptionMode"])?.text !== "member";
}

function leavesOf({ children }: Composite): string[] {
  return children.flatMap((each) => typeof each === "string" ? [each] : leavesOf(each));
}

function hasTopology({ topology, children }: Composite): boolean {
  return topology !== undefined ||
    children.some((each) => typeof each !== "string" && hasTopology(each));
}

function notAll({ name, min, children }: Composite, id: string): string {
  return `gang ${id} waits for CompositePodGroup ${quoted(name)}: ` +
    `${children.length} of the ${min} groups that it needs are there`;
}

function sizeOf({ children }: Composite): number {
  return children.reduce((sum, each) => sum + (typeof each === "string" ? 0 : sizeOf(each)), 1);
}

function tooManyComposites(
  { name }: Composite,
  { id, composites }: { id: string; composites: number },
): string {
  return `gang ${id} is part of CompositePodGroup ${quoted(name)}, ` +
    `which is ${composites} with those within it: a gang group may have ${limits.groupComposites}`;
}

function tooMany(name: string, { id, gangs }: { id: string; gangs: number }): string {
  return `gang ${id} is part of CompositePodGroup ${quoted(name)}, which has ${gangs} ` +
    `gangs: a gang group may have ${limits.groupGangs}, and ${limits.groupNames} letters in their names`;
}

function tooDeep(id: string): string {
  return `gang ${id} is part of more than ${deepest} CompositePodGroups one within another, or in a ` +
    "circle: Kubernetes takes neither";
}
