/**
 * What must hold of what the functions answer, whatever they remember: seen without the code that decides it.
 *
 * @module
 */
import type { Ahead, Fit, GangFacts, Group } from "../../../shared/core/gang/facts.ts";
import { gangId } from "../../../shared/core/gang/facts.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { Admission, Decision } from "../../../shared/core/stage/decision.ts";
import { stillMissing } from "../sound/wanted.ts";

/** What a stage is asked. */
export type Asked = Group & { readonly fit?: Fit; readonly ahead?: Ahead };

/** A rule that a verdict about the scheduler's next attempts breaks; undefined: none. */
export function faultOfAdmission(
  { gangs, fit, ahead }: Asked,
  { verdict }: Admission,
  settings: Settings,
): string | undefined {
  if (verdict !== "allow") return undefined;
  const id = gangs.map(({ gang }) => gangId(gang)).join();
  if (gangs.some(isUnusable)) return `${id} is let in, though it can not be used`;
  const few = gangs.find(hasTooFew);
  if (few) return `${id} is let in, though ${gangId(few.gang)} has too few members`;
  const needed = sumOf(gangs, settings);
  const found = fit ? fit.members + (fit.byPreemption ?? 0) : needed;
  if (found < needed) return `${id} is let in with room for ${found} of ${needed}`;
  return ahead ? `${id} is let in before ${ahead.gang}` : undefined;
}

/** A rule that a decision about held members breaks; undefined: none. */
export function faultOfDecision(
  { gangs }: Asked,
  { verdict, allow, wait, reject, deadline }: Decision,
  { settings, now }: { settings: Settings; now: number },
): string | undefined {
  const id = gangs.map(({ gang }) => gangId(gang)).join();
  const held = gangs.flatMap(({ held }) => held.map(({ uid }) => uid));
  const named = [...allow, ...wait, ...reject];
  if (named.length !== held.length || new Set(named).symmetricDifference(new Set(held)).size > 0) {
    return `${id} holds ${held.join()}, and ${named.join()} are named`;
  }
  const needed = sumOf(gangs, settings);
  if (needed > 0 && allow.length > 0) return `${id} may bind, though it needs ${needed} more`;
  const isThere = new Set(gangs.flatMap(({ gang }) => gang.groups ?? [])).size <= gangs.length;
  const mayBind = needed === 0 && isThere && !gangs.some(isUnusable);
  if (mayBind !== (verdict === "allow")) {
    return `${id} may ${mayBind ? "" : "not "}bind: ${verdict}`;
  }
  if (verdict === "wait" && reject.length > 0) return `${id} waits, and lets members go`;
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

function sumOf(gangs: readonly GangFacts[], settings: Settings): number {
  return gangs.reduce((sum, facts) => sum + stillMissing(facts, { settings }), 0);
}
