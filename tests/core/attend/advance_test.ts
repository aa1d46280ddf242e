import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { Effect } from "../../../shared/core/attend/effect.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import { look } from "../../../shared/core/attend/look.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Admission, Decision } from "../../../shared/core/stage/decision.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, callOf, type Facts, gang, snapshotOf, start } from "../../support/attending.ts";

const longestHold = 50_000;
const whole: Plan = { fit: { members: 3, of: 3 }, taken: [], isShort: false };
const refusal = {
  pod: { namespace: "default", name: "a1" },
  gang,
  reason: "JustSeen",
  sentence: "Muster: gang default/gang has just been seen",
  at: start,
};
const admission: Admission = { verdict: "allow", reason: "Admitted", message: "it may" };
const calls = ["a1", "a2", "a3"].map((uid) => callOf(uid));

function decision(verdict: Decision["verdict"], uids: readonly string[]): Decision {
  const named = { allow: [] as string[], wait: [] as string[], reject: [] as string[] };
  named[verdict].push(...uids);
  return { verdict, ...named, reason: "Satisfied", message: `${verdict} all` };
}

/** A group to which one thing after another happens, and what was done last. */
class Story {
  group: Attended = attended();
  effects: readonly Effect[] = [];
  now = start;

  happens(event: GroupEvent, afterMs = 0): this {
    this.now += afterMs;
    const advanced = advance(this.group, event, this.now);
    this.group = advanced.attended;
    this.effects = advanced.effects;
    return this;
  }

  look(facts: Facts, afterMs = 0): this {
    return this.happens({ is: "look", snapshot: snapshotOf(facts), longestHold }, afterMs);
  }

  planned(plan: Plan = whole): this {
    return this.happens({ is: "planned", plan, waits: () => true });
  }

  answered(answer: Admission | Decision, facts: Facts): this {
    return this.happens({ is: "answered", answer, snapshot: snapshotOf(facts) });
  }

  /** In short: `ask permit`, `release a1`, `poke a1`. */
  get done(): string[] {
    return this.effects.map((effect) => {
      switch (effect.do) {
        case "ask":
          return `ask ${effect.question.stage}`;
        case "release":
        case "bind":
          return `${effect.do} ${effect.call.pod.uid}`;
        case "poke":
          return `poke ${effect.pod.name}`;
        case "wake":
          return `wake after ${effect.at - this.now}`;
        default:
          return effect.do;
      }
    });
  }
}

/** A group that was let in. */
function letIn(): Story {
  return new Story().happens({ is: "member came", uid: "a1" }).planned().look({ pending: 3 })
    .answered(admission, { pending: 3 });
}

/** A group of which all members are held, and that has been asked about. */
function assembling(): Story {
  return letIn().happens({ is: "call opened", uid: "a1" }).look({ calls }, times.gatherPause);
}

Deno.test("advance(): a group whose members keep coming is looked at when they pause", () => {
  const story = new Story().happens({ is: "member came", uid: "a1" });
  assertEquals(story.done, ["look"]);
  story.planned().look({ pending: 1 }, 20);
  assertEquals(story.done, ["wake after 30"]);
  story.look({ pending: 1 }, 30);
  assertEquals(story.done, ["ask prefilter"]);
});

Deno.test("advance(): a policy's own prefilter that says to ask again after no time is asked after a second", () => {
  const never: Admission = { ...admission, verdict: "reject", retryAfterSeconds: 0 };
  const story = new Story().happens({ is: "member came", uid: "a1" }).planned()
    .look({ pending: 3 }).answered(never, { pending: 3 }).look({ pending: 3 });
  assertEquals(story.done, ["wake after 1000"]);
  story.look({ pending: 3 }, 1000);
  assertEquals(story.done, ["ask prefilter"]);
});

Deno.test("advance(): a calm group is told of again at the time that it is given where the index was lost, others when they are asked about", () => {
  const facts = { bound: 3 };
  const calm = letIn().look(facts).answered(admission, facts);
  const unlisted = { is: "unlisted", at: calm.now + 700 } as const;
  calm.happens(unlisted);
  assertEquals(calm.done, ["look"]);
  calm.look(facts);
  assertEquals(calm.done, ["wake after 700"]);
  calm.look(facts, 700);
  assertEquals(calm.done, ["ask prefilter"]);
  calm.happens(unlisted).answered(admission, facts).look(facts);
  assertEquals(calm.done, ["ask prefilter"], "the answer was on its way");
  calm.answered(admission, facts).look(facts);
  assertEquals(calm.done, [`wake after ${times.reportAgain}`]);
  const collecting = new Story().happens({ is: "member came", uid: "a1" });
  assertEquals(collecting.happens(unlisted).group, collecting.group);
});

Deno.test("advance(): whom filter refused is woken when the group is let in, and nobody twice", () => {
  const story = new Story().happens({ is: "member came", uid: "a1" })
    .happens({ is: "refused", uid: "a1", refusal }).planned().look({ pending: 3 })
    .answered(admission, { pending: 3 });
  assertEquals(story.done, ["poke a1", "look"]);
  story.look({ pending: 3 });
  assertEquals(story.done, [`wake after ${times.idle}`]);
});

Deno.test("advance(): held members are asked about, and bound as soon as a decision names them", () => {
  const story = assembling();
  assertEquals(story.done[0], "ask permit");
  story.answered(decision("allow", ["a1", "a2", "a3"]), { calls });
  assertEquals(story.done, ["count round", "bind a1", "bind a2", "bind a3", "look"]);
});

Deno.test("advance(): a policy's own permit that does not say when to ask again is asked after half a minute", () => {
  const story = assembling().answered(decision("wait", ["a1", "a2", "a3"]), { calls });
  story.look({ calls });
  assertEquals(story.done, ["wake after 30000"]);
  story.look({ calls }, 30_000);
  assertEquals(story.done[0], "ask permit");
});

Deno.test("advance(): an allow by facts from before a loss binds nobody", () => {
  const story = assembling();
  const loss = { pod: calls[0]!.pod, cause: "deleted", gang } as const;
  story.happens({ is: "call lost", loss });
  const left = calls.slice(1);
  story.answered(decision("allow", ["a1", "a2", "a3"]), { calls: left });
  assertEquals(story.done, ["count round", "look"]);
  story.look({ calls: left });
  assertEquals(story.done[0], "ask unreserve");
});

Deno.test("advance(): a call that was opened after the question is no matter of its answer", () => {
  const story = assembling();
  const again = [callOf("a1", { id: 99 }), ...calls.slice(1)];
  story.answered(decision("allow", ["a1", "a2", "a3"]), { calls: again });
  assertEquals(story.done, ["count round", "bind a2", "bind a3", "look"]);
});

Deno.test("advance(): a call that has lasted too long is let go, also while an answer is awaited", () => {
  const story = assembling().look({ calls }, longestHold);
  assertEquals(story.done, ["release a1", "release a2", "release a3", "look"]);
});

Deno.test("advance(): a call that has lasted too long is let go alone where its siblings were opened later", () => {
  const [first, ...others] = calls;
  const later = others.map(({ pod: { uid } }) => callOf(uid, { openedAt: start + 1 }));
  const story = assembling().look({ calls: [first!, ...later] }, longestHold - times.gatherPause);
  assertEquals(story.done, ["release a1", "look"]);
});

Deno.test("advance(): in an outage calls are held until their round's time is over, and the functions are left alone for a moment", () => {
  const why = { reason: "FunctionsUnreachable", message: "they do not answer" } as const;
  const unanswered = { is: "unanswered", why, snapshot: snapshotOf({ calls }) } as const;
  const story = assembling().happens(unanswered);
  assertEquals(story.done, [`wake after ${times.outage}`]);
  const deadline = new Date(start + 10_000).toISOString();
  const late = assembling();
  const waits = { ...decision("wait", ["a1", "a2", "a3"]), deadline, askAgainSeconds: 1 };
  late.answered(waits, { calls }).look({ calls }, 10_000).happens(unanswered);
  assertEquals(late.done, [
    "release a1",
    "release a2",
    "release a3",
    `wake after ${times.outage}`,
  ]);
});

Deno.test("advance(): facts that the functions do not take are told again only when they are others", () => {
  const why = { reason: "FactsRefused", message: "they do not take it" } as const;
  const facts = { pending: 3 };
  const story = new Story().happens({ is: "member came", uid: "a1" }).planned().look(facts)
    .happens({ is: "unanswered", why, snapshot: snapshotOf(facts) }).look(facts, times.outage);
  assertEquals(story.done, [`wake after ${10_000 - times.outage}`]);
  story.look({ ...facts, minMember: 2 });
  assertEquals(story.done, ["ask prefilter"]);
});

Deno.test("advance(): of a group that is gone the functions are told once, and then it is forgotten", () => {
  const gone = { minMember: 3 };
  const story = letIn().look(gone);
  assertEquals(story.done, ["ask unreserve"]);
  story.answered(decision("reject", []), gone).look(gone);
  assertEquals(story.done, ["forget"]);
  assertEquals(new Story().look(gone).done, ["forget"], "they never heard of it");
});

Deno.test("advance(): an answer that comes after another relay took over means nothing", () => {
  const story = assembling().happens({ is: "forget answers" });
  story.answered(decision("allow", ["a1", "a2", "a3"]), { calls });
  assertEquals(story.done, []);
});

Deno.test("advance(): who is let go for being held too long is told for how long it was", () => {
  const story = assembling();
  const { weakened } = story.group;
  story.look({ calls }, longestHold);
  const [first] = story.effects;
  assertEquals(first?.do === "release" && first.sentence.split(",")[0], "held for 50 s");
  assertEquals(story.group.weakened, weakened + 1);
  const sight = { snapshot: snapshotOf({ calls }), longestHold: 600_000 };
  const [long] = look(attended(), sight, start + sight.longestHold).effects;
  assertEquals(long?.do === "release" && long.sentence.split(",")[0], "held for 600 s");
});

Deno.test("advance(): a group that is gone in an outage is told of when the functions are asked again", () => {
  const why = { reason: "FunctionsUnreachable", message: "they do not answer" } as const;
  const gone = { minMember: 3 };
  const story = assembling().happens({ is: "unanswered", why, snapshot: snapshotOf({ calls }) });
  story.look(gone);
  assertEquals(story.done, [`wake after ${times.outage}`]);
  story.look(gone, times.outage);
  assertEquals(story.done, ["ask unreserve"]);
});

Deno.test("advance(): what could be asked already, and waits for a plan, is not looked at again and again", () => {
  const story = new Story().happens({ is: "member came", uid: "a1" });
  story.look({ pending: 1 }, times.gatherPause);
  assertEquals(story.done, []);
});
