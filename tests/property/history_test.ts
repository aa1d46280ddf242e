import { assert, assertEquals, assertLessOrEqual, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import type { Decision } from "../../shared/core/stage/decision.ts";
import type { GangFacts, Group } from "../../shared/core/gang/facts.ts";
import type { Settings } from "../../shared/core/gang/settings.ts";
import { emptyState, type GroupState } from "../../shared/core/stage/state.ts";
import { isStale, type StageEvent, step } from "../../shared/core/stage/step.ts";
import { now as start } from "../support/facts.ts";
import { histories, type History, World } from "./history.ts";
import { runs } from "./runs.ts";

/** One call of a history, its answer, and the state around it. */
interface Call {
  event: StageEvent;
  before: GroupState;
  after: GroupState;
  now: number;
  answer: ReturnType<typeof step>["outcome"];
}

type Check = (call: Call) => void;

/** Tells a history to `step` and checks every call of it. */
function tell(history: History, check: Check): void {
  const world = new World(history);
  const told: StageEvent[] = [];
  let state: GroupState = emptyState;
  let now = start;
  for (const happening of history.happenings) {
    if (happening.do === "wait") now += happening.seconds * 1000;
    if (happening.do === "wipe") state = emptyState;
    const isOld = happening.do === "repeat" || happening.do === "delayed";
    const event = happening.do === "repeat"
      ? told.at(-1)
      : happening.do === "delayed"
      ? told.at(-2)
      : world.happen(happening);
    if (!event) continue;
    const { state: after, outcome: answer } = step(state, event, now);
    check({ event, before: state, after, now, answer });
    state = after;
    if (isOld) continue;
    told.push(event);
    if ("allow" in answer) world.carryOut(answer);
  }
}

const rules: Record<string, Check> = {};

/** What holds for every call of every history. */
function everyCall(rule: string, check: Check): void {
  rules[rule] = check;
}

function decisionOf({ answer }: Call): Decision | undefined {
  return "allow" in answer ? answer : undefined;
}

function heldOf(group: Group): string[] {
  return group.gangs.flatMap((facts) => facts.held.map(({ uid }) => uid)).sort();
}

/** The rule of quorum, written down once more from the design: any count that makes a gang whole is enough. */
function isWhole({ gang, census, held }: GangFacts, settings: Settings): boolean {
  const { minMember } = gang;
  const policy = gang.matchPolicy ?? settings.matchPolicy;
  const couldCome = held.length + census.bound + census.pending;
  const succeeded = couldCome < minMember ? census.succeeded : 0;
  if (policy === "only-waiting") return held.length + succeeded >= minMember;
  if (policy === "once-satisfied" && census.bound > 0) return true;
  return held.length + census.bound + succeeded >= minMember;
}

everyCall(
  "an allow names exactly the held members of a group whose every gang is whole",
  (call) => {
    const decision = decisionOf(call);
    if (decision?.verdict !== "allow") return;
    const { group, settings } = call.event;
    assertEquals(decision.allow.toSorted(), heldOf(group));
    for (const facts of group.gangs) {
      assert(
        isWhole(facts, settings),
        `${facts.gang.name} is short`,
      );
    }
  },
);

everyCall("whole groups are allowed, whatever happened before", (call) => {
  const { group, settings } = call.event;
  const isReady = group.gangs.every((facts) => isWhole(facts, settings));
  if (isReady) assertEquals(decisionOf(call)?.verdict ?? "allow", "allow");
});

everyCall("allow, wait and reject partition the held members", (call) => {
  const decision = decisionOf(call);
  if (!decision) return;
  const { verdict, allow, wait, reject } = decision;
  assertEquals([...allow, ...wait, ...reject].sort(), heldOf(call.event.group));
  assertEquals(decision[verdict].length, heldOf(call.event.group).length);
});

everyCall("a repeated call gives the same answer and changes nothing more", (call) => {
  const again = step(call.after, call.event, call.now);
  // Forgetting a gang, or letting it go, starts anew whoever asks again.
  if (call.answer.reason === "Gone" || call.after.relay === undefined) return;
  assertEquals(again.outcome, call.answer);
  assertEquals(step(again.state, call.event, call.now).state, again.state);
});

everyCall("stale facts change nothing", (call) => {
  if (isStale(call.before, call.event.group)) assertStrictEquals(call.after, call.before);
});

everyCall(
  "a lost state allows nothing that the kept one would not, and the other way round",
  (call) => {
    const wiped = step(emptyState, call.event, call.now).outcome;
    assertEquals(
      wiped.verdict === "allow" && "allow" in wiped ? wiped.allow : [],
      decisionOf(call)?.allow ?? [],
    );
  },
);

everyCall("every wait of held members ends, not later than the longest wait from now", (call) => {
  const decision = decisionOf(call);
  if (!decision || decision.wait.length === 0) return;
  const { group, settings } = call.event;
  const longest = Math.max(
    ...group.gangs.map(({ gang }) => gang.waitSeconds ?? settings.waitSeconds),
  );
  assert(decision.deadline !== undefined, "a wait without a deadline");
  assertLessOrEqual(Date.parse(decision.deadline), call.now + longest * 1000);
  assert(Date.parse(decision.deadline) > call.now, `the wait is over since ${decision.deadline}`);
  assert(decision.askAgainSeconds! > 0 && decision.askAgainSeconds! <= 20);
});

everyCall("a NonStrict gang is never let go because a sibling failed or was lost", (call) => {
  const { group } = call.event;
  if (!group.gangs.every(({ gang }) => gang.mode === "NonStrict")) return;
  const { reason } = call.answer;
  assert(reason !== "MemberUnschedulable" && reason !== "MemberLost", reason);
});

everyCall("a rejection of held members ends the round", (call) => {
  const decision = decisionOf(call);
  if (decision?.verdict === "reject" && !isStale(call.before, call.event.group)) {
    assertEquals(call.after.round, undefined);
  }
});

everyCall("facts and state are not changed in place", (call) => {
  const text = JSON.stringify([call.event, call.before]);
  step(call.before, call.event, call.now);
  assertEquals(JSON.stringify([call.event, call.before]), text);
});

Deno.test("property: the rules hold in every history of a gang group", () => {
  fc.assert(
    fc.property(histories(50), (history) =>
      tell(history, (call) => {
        for (const [rule, check] of Object.entries(rules)) {
          try {
            check(call);
          } catch (error) {
            throw new Error(`${rule}, but not in ${Deno.inspect(call, { depth: 9 })}`, {
              cause: error,
            });
          }
        }
      })),
    runs(2000),
  );
});

Deno.test("property: histories reach every verdict and most reasons", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(histories(50), (history) =>
      tell(history, ({ event, answer }) => {
        reached.add(`${event.stage} ${answer.verdict}`).add(answer.reason);
      })),
    // Always as many, of one seed: fewer do not reach everything.
    { numRuns: 500, seed: 1 },
  );
  for (const stage of ["permit", "postfilter", "unreserve"]) {
    for (const verdict of ["allow", "wait", "reject"]) {
      assert(reached.has(`${stage} ${verdict}`), `${stage} never answers ${verdict}`);
    }
  }
  const reasons = [
    "Admitted",
    "Satisfied",
    "WaitingForMembers",
    "MembersMissing",
    "MembersGated",
    "MemberUnschedulable",
    "MemberLost",
    "TimedOut",
    "Gone",
  ];
  for (const reason of reasons) assert(reached.has(reason), `${reason} is never the reason`);
});
