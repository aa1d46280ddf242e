/**
 * Decisions that are looked at as they are made: what must hold of each, whatever comes before it.
 *
 * @module
 */
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { type Decisions, decisions as unheard } from "../../../shared/core/attend/decisions.ts";
import type { Advanced, Effect, EffectOf } from "../../../shared/core/attend/effect.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import type { OfferedMember } from "../../../shared/core/attend/offer.ts";
import { faultOfLook, faultOfSilence } from "./sound_looks.ts";
import { faultOfPlans } from "./sound_plans.ts";
import { faultOfReplan } from "./sound_replans.ts";

/** The same decisions; `fail` is told of a rule that one breaks. What is decided once more to see that is `unheard` by a recorder. */
export function soundDecisions(unsure: Decisions, fail: (rule: string) => void): Decisions {
  const decisions = sure(unsure, fail);
  const told = (fault: string | undefined) => fault !== undefined && fail(fault);
  return {
    plan: (world, now) => {
      const plans = decisions.plan(world, now);
      told(faultOfPlans(world, plans, now));
      told(faultOfReplan(world, plans, (same) => unheard.plan(same, now)));
      return plans;
    },
    advance: (attended, event, now) => {
      const advanced = decisions.advance(attended, event, now);
      told(faultOfAdvance(attended, { event, advanced, now }));
      if (event.is === "look") {
        told(faultOfSilence(attended, event.snapshot, advanced));
        told(faultOfLook(advanced, { event, now, advance: unheard.advance }));
      }
      return advanced;
    },
    refusalOf: (attended, applicant, now) => {
      const refusal = decisions.refusalOf(attended, applicant, now);
      if (attended?.standing.phase === "refused") {
        const { reason, message } = attended.standing.why;
        if (refusal?.reason !== reason || refusal.message !== message) {
          fail(`a member of ${attended.id} is told ${refusal?.message}, and not: ${message}`);
        }
      } else if (attended?.standing.phase !== "let in" && !refusal) {
        fail(`a member of ${applicant.gang} may be tried, though nobody has let it in`);
      }
      return refusal;
    },
    offer: (attended, member, now) => {
      const offered = decisions.offer(attended, member, now);
      told(faultOfOffer(attended, member, offered));
      return offered;
    },
  };
}

/** The same, none of which may throw. */
function sure(decisions: Decisions, fail: (rule: string) => void): Decisions {
  const sureOf = <Args extends unknown[], Answer>(decide: (...args: Args) => Answer) =>
  (
    ...args: Args
  ): Answer => {
    try {
      return decide(...args);
    } catch (error) {
      fail(`it can not be decided: ${(error as Error).stack}`);
      throw error;
    }
  };
  return {
    plan: sureOf(decisions.plan),
    advance: sureOf(decisions.advance),
    refusalOf: sureOf(decisions.refusalOf),
    offer: sureOf(decisions.offer),
  };
}

function faultOfOffer(
  { id, placement }: Attended,
  { uid, kind, gang, nodes, isIndifferent, roomOn }: OfferedMember,
  offered: ReturnType<Decisions["offer"]>,
): string | undefined {
  const told = `member ${uid} of ${id}`;
  if (offered.refusal) return offered.nodes.length > 0 ? `${told}: nodes, and none` : undefined;
  if (offered.nodes.length === 0) return `${told} is offered no node, and not told why`;
  const other = offered.nodes.find((node) => !nodes.includes(node));
  if (other !== undefined) return `${told} is offered ${other}, which the scheduler did not name`;
  if (!offered.attended.coming.has(uid)) return `${told} is not known to be on its way`;
  const own = placement.chosen.get(uid);
  const hasRoom = (node: string) => roomOn(node) !== undefined;
  const isFree = placement.steering === "free";
  const isSent = !isFree || isIndifferent && !placement.isPublished;
  const isKept = own !== undefined && own.kind === kind && isSent && nodes.includes(own.node) &&
    (!isFree || hasRoom(own.node));
  if (isKept && !offered.nodes.includes(own.node)) {
    return `${told} was sent to ${own.node}, and is offered ${offered.nodes.join()}`;
  }
  if (kind === undefined || isFree) {
    return nodes.some(hasRoom) && !offered.nodes.every(hasRoom)
      ? `${told} is offered nodes without room`
      : undefined;
  }
  const isPlanned = (node: string) =>
    placement.uses.some((use) =>
      use.node === node && use.kind === kind && (use.gang ?? gang) === gang
    );
  const stray = offered.nodes.find((node) => !isPlanned(node) && roomOn(node) !== "spare");
  return stray && `${told} is offered ${stray}, where nobody planned it`;
}

function faultOfAdvance(
  before: Attended,
  { event, advanced: { attended, effects }, now }: {
    event: GroupEvent;
    advanced: Advanced;
    now: number;
  },
): string | undefined {
  const { id, standing } = attended;
  const of = <Do extends Effect["do"]>(kind: Do) =>
    effects.filter((effect): effect is EffectOf<Do> => effect.do === kind);
  const asked = of("ask");
  if (asked.length > 1 || (asked.length > 0 && before.asking)) return `${id} is asked about twice`;
  if (asked[0] && attended.asking?.question !== asked[0].question) {
    return `${id} is asked about, and it is not known what`;
  }
  const wasIn = before.standing.phase === "let in";
  if (standing.phase === "let in" && !wasIn && event.is !== "answered") {
    return `${id} is let in after ${event.is}`;
  }
  if (event.is === "answered") {
    const { answer } = event;
    const allowed = "allow" in answer ? answer.allow : [];
    const bound = of("bind").map(({ call }) => call.pod.uid);
    const other = bound.find((uid) => !allowed.includes(uid));
    if (other !== undefined) return `${other} is bound, and not allowed to`;
    const lost = event.snapshot.stranded.find((uid) => bound.includes(uid));
    if (lost !== undefined) return `${lost} is bound where it may not stay`;
    const isIn = standing.phase === "let in";
    if (!("allow" in answer) && isIn !== (answer.verdict === "allow")) {
      return `${id} is ${isIn ? "" : "not "}let in by ${answer.verdict}`;
    }
  } else if (of("bind").length > 0) return `members of ${id} are bound after ${event.is}`;
  for (const { uid, node, isRoused } of of("poke")) {
    const isByPreempt = before.refused.get(uid)?.isByPreempt ?? false;
    const mayHear = isRoused || !isByPreempt;
    if (mayHear && attended.refused.has(uid)) return `${uid} is woken, and stays refused`;
    if (isRoused && !isByPreempt) return `${uid} is roused, though it would hear`;
    if (isRoused && standing.phase !== "let in") return `${uid} is roused, and kept out`;
    if (!before.refused.has(uid)) return `${uid} is woken, though it was not refused`;
    if (node !== undefined && !isPlannedOn(attended, node)) return `${uid} is sent to ${node}`;
  }
  for (const { uid, node } of of("nominate").flatMap(({ members }) => members)) {
    if (!isPlannedOn(attended, node)) {
      return `${uid} is nominated to ${node}, where it has no place`;
    }
  }
  for (const { call } of [...of("release"), ...of("bind")]) {
    if (call.isGranted) return `the call of ${call.pod.uid} is answered twice`;
  }
  if (event.is === "look") {
    const named = new Set(event.snapshot.nominated().map(({ uid }) => uid));
    const other = of("unnominate").flatMap(({ uids }) => uids).find((uid) => !named.has(uid));
    if (other !== undefined) return `${other} is nominated nowhere, and not any more`;
    const { snapshot: { stranded }, longestHold } = event;
    const early = of("release").find(({ call: { pod, openedAt } }) =>
      !stranded.includes(pod.uid) && now < openedAt + longestHold
    );
    if (early) return `the call of ${early.call.pod.uid} is given up too early`;
  }
  if (event.is === "planned") return faultOfPlaces(attended);
  return undefined;
}

/** Whether a plan has a place there, for members or when pods have left. */
function isPlannedOn({ placement, clearance, plan }: Attended, node: string): boolean {
  const goals = [...clearance?.members ?? [], ...plan?.clearance?.members ?? []];
  return [...placement.uses, ...goals].some((place) => place.node === node);
}

/** To no place go more members than it is planned for. */
function faultOfPlaces({ id, placement: { uses, chosen } }: Attended): string | undefined {
  const there = new Map<string, number>();
  for (const [, { node, kind, gang }] of chosen) {
    const key = `${node} ${gang} ${kind}`;
    there.set(key, (there.get(key) ?? 0) + 1);
  }
  for (const [key, count] of there) {
    const [node, gang] = key.split(" ") as [string, string];
    const kind = key.slice(node.length + gang.length + 2);
    const planned = uses.filter((use) =>
      use.node === node && use.kind === kind && (use.gang ?? gang) === gang
    ).reduce((sum, use) => sum + use.count, 0);
    if (count > planned) return `${id}: ${count} members go to ${node}, where ${planned} may`;
  }
  return undefined;
}
