import { assertEquals } from "@std/assert";
import {
  askAgainOf,
  isToBeAdmitted,
  keyProblem,
  wordOf,
  wordOfSilence,
} from "../../../shared/core/attend/own_stage.ts";
import type { Fit } from "../../../shared/core/gang/facts.ts";
import type { Reason } from "../../../shared/core/words/reason.ts";
import { gang, group } from "../../support/facts.ts";

Deno.test("admit is asked about a gang that could start, and no more once it has begun to", async (t) => {
  const short = { members: 1, of: 2 };
  const leaving = { ...short, leaving: { pods: 1, first: ["default/low"] } };
  const whole = { minMember: 2, pending: 2 };
  type Case = [string, Parameters<typeof gang>[0], Fit | undefined, Reason, boolean];
  const cases: Case[] = [
    ["whole and waiting", whole, undefined, "Admitted", true],
    ["asked about before", whole, undefined, "CustomPolicy", true],
    ["kept out by prefilter", whole, undefined, "BehindInQueue", false],
    ["short of room", whole, short, "InsufficientResources", false],
    ["pods are to leave for it", whole, leaving, "InsufficientResources", true],
    ["they are, but its round has failed", whole, leaving, "TimedOut", false],
    ["a member is held", { minMember: 2, pending: 1, held: 1 }, undefined, "Admitted", false],
    ["a member is bound", { minMember: 2, pending: 1, bound: 1 }, undefined, "Admitted", false],
    ["nobody waits", { minMember: 2, succeeded: 2 }, undefined, "Satisfied", false],
  ];
  for (const [name, facts, fit, reason, asked] of cases) {
    const verdict = ["Admitted", "Satisfied"].includes(reason) ? "allow" : "reject";
    const request = { ...group(gang(facts)), ...(fit && { fit }) };
    await t.step(name, () => assertEquals(isToBeAdmitted(request, { verdict, reason }), asked));
  }
});

Deno.test("what admit says is one bounded line, whatever it says", async (t) => {
  const cases: [string, Parameters<typeof wordOf>[0], ReturnType<typeof wordOf>][] = [
    ["allow", { verdict: "allow", message: "go" }, undefined],
    ["nothing said", { verdict: "wait" }, {
      message: "it gives no reason",
      askAgainSeconds: 30,
    }],
    ["a sentence", {
      verdict: "wait",
      reason: "BudgetUsedUp",
      message: "used up until 18:00",
      askAgainSeconds: 60,
    }, { reason: "BudgetUsedUp", message: "used up until 18:00", askAgainSeconds: 60 }],
    ["another line for the log, and hidden letters", {
      verdict: "wait",
      message: 'a\r\n{"level":"error"}\u202e\u200bb\u0007',
    }, { message: 'a {"level":"error"} b', askAgainSeconds: 30 }],
    ["too long", { verdict: "wait", message: "x".repeat(10_000), askAgainSeconds: 1e9 }, {
      message: `${"x".repeat(299)}…`,
      askAgainSeconds: 86_400,
    }],
  ];
  for (const [name, answer, word] of cases) {
    await t.step(name, () => assertEquals(wordOf(answer), word));
  }
  assertEquals([-1, 0, NaN, 5].map(askAgainOf), [1, 1, 30, 5]);
});

Deno.test("who waits for a stage that is silent is told which one, and by what it failed", () => {
  const { message, reason } = wordOfSilence({
    stage: "admit",
    url: "https://policy.example.com",
    error: "timed out",
  });
  assertEquals(reason, "Unreachable");
  assertEquals(message, "stage admit at https://policy.example.com does not answer: timed out");
});

Deno.test("keys are used only where every unit has one and siblings have the same", async (t) => {
  const spec = (name: string) =>
    gang({ minMember: 1, name, groups: ["default/a", "default/b"] }).gang;
  const units = [{ id: "a", gang: spec("a") }, { id: "b", gang: spec("b") }, { id: "c" }];
  const cases: [string, Record<string, string>, string | undefined][] = [
    ["all", { a: "1", b: "1", c: "0" }, undefined],
    ["one is missing", { a: "1", b: "1" }, 'unit "c" has no key'],
    [
      "siblings differ",
      { a: "1", b: "2", c: "0" },
      'gang group "default/a,default/b" has more than one key',
    ],
    [
      "one is long",
      { a: "1", b: "1", c: "x".repeat(513) },
      'the key of "c" is longer than 512',
    ],
  ];
  for (const [name, keys, problem] of cases) {
    const list = Object.entries(keys).map(([id, key]) => ({ id, key }));
    await t.step(name, () => assertEquals(keyProblem(units, list), problem));
  }
});

Deno.test("admit is asked about a gang group as about one gang", async (t) => {
  const names = ["default/a", "default/b"];
  const pair = (a: object, b: object) =>
    group(
      gang({ minMember: 2, name: "a", groups: names, ...a }),
      gang({ minMember: 2, name: "b", groups: names, ...b }),
    );
  const cases: [string, a: object, b: object, isAsked: boolean][] = [
    ["both wait", { pending: 2 }, { pending: 2 }, true],
    ["one waits, and all members of the other are done", { pending: 1 }, { succeeded: 2 }, true],
    ["one has begun", { pending: 2 }, { bound: 1, pending: 1 }, false],
    ["one is being held", { held: 1, pending: 1 }, { pending: 2 }, false],
    ["both are done", { succeeded: 2 }, { succeeded: 2 }, false],
  ];
  const admission = { verdict: "allow", reason: "Admitted" } as const;
  for (const [name, a, b, isAsked] of cases) {
    await t.step(name, () => assertEquals(isToBeAdmitted(pair(a, b), admission), isAsked));
  }
});

Deno.test("a stage that is silent is asked again soon, and a key of any length that it may have is taken", () => {
  const silence = wordOfSilence({ stage: "admit", url: "https://a.example", error: undefined });
  assertEquals(silence.askAgainSeconds, 5);
  assertEquals(keyProblem([{ id: "a" }], [{ id: "a", key: "x".repeat(512) }]), undefined);
});
