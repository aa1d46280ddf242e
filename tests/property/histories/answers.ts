/**
 * What must hold of what the functions answer, whatever they remember: seen without the code that decides it.
 *
 * @module
 */
import type {
  Ahead,
  Fit,
  GangFacts,
  Group,
  MemberFailure,
} from "../../../shared/core/gang/facts.ts";
import { gangId } from "../../../shared/core/gang/facts.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { Admission, Decision } from "../../../shared/core/stage/decision.ts";
import type { Composite, CompositeFacts } from "../../../shared/core/gang/topology.ts";
import { noTakingNodes } from "../../../shared/core/room/fit.ts";
import { gangsOf, hasChoice, leastCost, startedIn, treeOf, type TreePart } from "../sound/trees.ts";
import { stillMissing } from "../sound/wanted.ts";

/** What a stage is asked. */
export type Asked = Group & {
  readonly fit?: Fit;
  readonly ahead?: Ahead;
  readonly refused?: MemberFailure;
};

/** What is wrong with the tree that facts tell of; undefined: nothing. */
export function faultOfTree(
  { composites, leftOut = [] }: Group,
  tree: Composite | undefined,
): string | undefined {
  const told = composites && textOf(treeOf(composites));
  const known = tree && hasChoice(tree) ? textOf(tree) : undefined;
  if (told !== known) return `of the tree ${told}: it is ${known}`;
  if (!composites) return leftOut.length > 0 ? "that something is left out" : undefined;
  const gangs = gangsOf(treeOf(composites));
  const names = new Set([...composites.map(({ name }) => name), ...gangs]);
  const other = leftOut.find(({ part }) => !names.has(part));
  if (other) return `that ${other.part} is left out, which is not in the tree`;
  const without = new Set(leftOut.flatMap(({ part }) => gangsOf(partOf(composites, part))));
  return without.size === gangs.length ? "that all gangs are left out" : undefined;
}

function textOf({ name, min, children }: Composite): string {
  const parts = children.map((child) => typeof child === "string" ? child : textOf(child)).sort();
  return `${name} (${min ?? parts.length} of ${parts.join()})`;
}

function partOf(composites: readonly CompositeFacts[], name: string): TreePart {
  const all = (composite: Composite): TreePart[] => [
    composite,
    ...composite.children.flatMap((child) => typeof child === "string" ? [child] : all(child)),
  ];
  const called = (part: TreePart) => (typeof part === "string" ? part : part.name) === name;
  return all(treeOf(composites)).find(called) ?? name;
}

/** The tree of a group; of one that needs all its gangs, these. */
function needsOf({ gangs, composites }: Asked): Composite {
  const named = gangs.flatMap(({ gang }) => [gangId(gang), ...gang.groups ?? []]);
  return composites ? treeOf(composites) : { name: "all", children: [...new Set(named)] };
}

/** What is untrue of a member that the scheduler takes nowhere; undefined: nothing is. */
export function faultOfRefused({ refused, fit }: Asked): string | undefined {
  if (!refused || fit?.shortOf === noTakingNodes) return undefined;
  return `that the scheduler takes ${refused.name} on no node, though it is short of ${fit?.shortOf}`;
}

/** A rule that a verdict about the scheduler's next attempts breaks; undefined: none. */
export function faultOfAdmission(
  asked: Asked,
  { verdict, leftOut: why }: Admission,
  settings: Settings,
): string | undefined {
  if (verdict !== "allow") return undefined;
  const { gangs, fit, ahead } = asked;
  const id = gangs.map(({ gang }) => gangId(gang)).join();
  const byId = new Map(gangs.map((facts) => [gangId(facts.gang), facts]));
  const needed = leastCost(needsOf(asked), (gang) => {
    const facts = byId.get(gang);
    if (!facts || isUnusable(facts) || hasTooFew(facts)) return Infinity;
    return stillMissing(facts, { settings });
  });
  if (needed === Infinity) return `${id} is let in, though too few of its gangs can be whole`;
  const found = fit ? fit.members + (fit.byPreemption ?? 0) : needed;
  if (found < needed) return `${id} is let in with room for ${found} of ${needed}`;
  if (ahead) return `${id} is let in before ${ahead.gang}`;
  const without = asked.composites
    ? (asked.leftOut ?? []).flatMap(({ part }) => gangsOf(partOf(asked.composites!, part)))
    : [];
  const untold = without.find((gang) => !why?.[gang]?.message);
  return untold && `${untold} is left out, and is not told why`;
}

/** A rule that a decision about held members breaks; undefined: none. */
export function faultOfDecision(
  asked: Asked,
  { verdict, allow, wait, reject, deadline }: Decision,
  { settings, now }: { settings: Settings; now: number },
): string | undefined {
  const { gangs } = asked;
  const id = gangs.map(({ gang }) => gangId(gang)).join();
  const held = gangs.flatMap(({ held }) => held.map(({ uid }) => uid));
  const named = [...allow, ...wait, ...reject];
  if (named.length !== held.length || new Set(named).symmetricDifference(new Set(held)).size > 0) {
    return `${id} holds ${held.join()}, and ${named.join()} are named`;
  }
  const byId = new Map(gangs.map((facts) => [gangId(facts.gang), facts]));
  const starts = startedIn(needsOf(asked), (gang) => {
    const facts = byId.get(gang);
    return facts !== undefined && !isUnusable(facts) && stillMissing(facts, { settings }) === 0;
  });
  const mayBind = starts.length > 0;
  if (mayBind !== (verdict === "allow")) {
    return `${id} may ${mayBind ? "" : "not "}bind: ${verdict}`;
  }
  for (const { gang, held } of gangs) {
    const own = gangId(gang);
    const isAllowed = held.filter(({ uid }) => allow.includes(uid)).length;
    if (isAllowed > 0 && !starts.includes(own)) return `${own} may bind, and is not whole`;
    const isWhole = gang.roles || isAllowed === held.length || !starts.includes(own);
    if (!isWhole) return `${own} is whole, and ${isAllowed} of ${held.length} may bind`;
    const isLetGo = held.filter(({ uid }) => reject.includes(uid)).length;
    if (isLetGo > 0 && isLetGo < held.length) return `${own} is let go in part`;
    const isNeeded = !asked.composites;
    if (verdict === "wait" && isLetGo > 0 && isNeeded) return `${own} waits, and is let go`;
  }
  if (deadline === undefined || wait.length === 0) return undefined;
  const left = Date.parse(deadline) - now;
  const most = Math.max(...gangs.map(({ gang }) => gang.waitSeconds ?? settings.waitSeconds));
  return left > most * 1000 ? `${id} waits for ${left / 1000} s more, of ${most}` : undefined;
}

function isUnusable({ problem, parked }: GangFacts): boolean {
  return problem !== undefined || parked === true;
}

/** None of it runs, and not as many are there as it needs. */
function hasTooFew({ gang, census, held }: GangFacts): boolean {
  const { bound, pending, succeeded } = census;
  return bound === 0 && held.length + pending + succeeded < gang.minMember;
}
