import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ServingChild } from "../functions/child.ts";
import { stageNames } from "../../shared/core/attend/stage_health.ts";
import { freePorts } from "../../tools/control_plane/ports.ts";
import { rules } from "../../tools/conform/rules.ts";
import { conform } from "../examples/served.ts";

for (const runtime of ["deno", "workerd"]) {
  Deno.test(`conform: Muster's own stages hold every rule on ${runtime}`, async () => {
    await using child = new ServingChild();
    await child.start(["task", "functions", "--port=0", `--runtime=${runtime}`]);
    const { code, text } = await conform(child.url, "--json");
    const { holds, stages } = JSON.parse(text);
    assertEquals([code, holds], [0, true], text);
    assertEquals(stages.map(({ stage }: { stage: string }) => stage), [...stageNames]);
  });
}

/** A policy that breaks one rule. */
interface Broken {
  readonly stage: "queue-sort" | "admit" | "permit";
  readonly rule: string;
  // deno-lint-ignore no-explicit-any -- as careless as some servers are
  answer(body: any): unknown;
}

let calls = 0;
let last: unknown;
let isWornOut = false;
// deno-lint-ignore no-explicit-any -- as above
const keysOf = (body: any, keyOf: (unit: any, index: number) => string) => ({
  keys: body.units.map((unit: { id: string }, index: number) => ({
    id: unit.id,
    key: keyOf(unit, index),
  })),
});
// deno-lint-ignore no-explicit-any -- as above
const heldIn = (body: any): string[] => body.gangs[0].held.map(({ uid }: { uid: string }) => uid);
const decision = { allow: [], wait: [], reject: [], reason: "Satisfied", message: "yes" };

const broken: Broken[] = [
  {
    stage: "admit",
    rule: "answers follow the contract",
    answer: () => ({ verdict: "perhaps" }),
  },
  {
    stage: "admit",
    rule: "the same facts get the same answer",
    answer: () => ({ verdict: calls++ % 2 ? "allow" : "wait", message: "now and then" }),
  },
  {
    stage: "admit",
    rule: "an answer follows from its own facts, whatever was asked before",
    answer: (body) => {
      const before = last;
      last = body.gangs[0].gang.name;
      return { verdict: before === last ? "allow" : "wait", message: "another came before" };
    },
  },
  { stage: "admit", rule: "a wait says why", answer: () => ({ verdict: "wait" }) },
  {
    stage: "admit",
    rule: "the order of what runs does not matter",
    answer: (body) =>
      body.running?.[0].namespace === "kube-system"
        ? { verdict: "allow" }
        : { verdict: "wait", message: "no" },
  },
  {
    stage: "admit",
    rule: "facts that a relay may leave out are not needed",
    answer: (body) => ({ verdict: body.running.length > 99 ? "wait" : "allow" }),
  },
  {
    stage: "admit",
    rule: "fields that are not known do no harm",
    answer: (body) => {
      if (body.futureField) throw new Error("an unknown field");
      return { verdict: "allow" };
    },
  },
  {
    stage: "admit",
    rule: "it answers as before after all that",
    answer: (body) => {
      isWornOut ||= body.x?.length > 1_000_000;
      if (isWornOut) throw new Error("out of order");
      return { verdict: "allow" };
    },
  },
  {
    stage: "queue-sort",
    rule: "the same facts get the same answer",
    answer: (body) => keysOf(body, () => String(calls++)),
  },
  {
    stage: "queue-sort",
    rule: "each unit has a key, and a gang group has one",
    answer: (body) => keysOf(body, ({ id }) => id),
  },
  {
    stage: "queue-sort",
    rule: "keys do not depend on the order of units",
    answer: (body) => keysOf(body, () => String(body.units[0]?.id)),
  },
  {
    stage: "queue-sort",
    rule: "an empty queue has no keys",
    answer: (body) => ({ keys: [{ id: "x", key: "1" }, ...keysOf(body, () => "1").keys] }),
  },
  {
    stage: "permit",
    rule: "each held member is named once",
    answer: (body) => ({ ...decision, verdict: "allow", allow: [...heldIn(body), "stranger"] }),
  },
  {
    stage: "admit",
    rule: "what is no JSON is refused with a 4xx",
    answer: () => ({ verdict: "allow" }),
  },
];

Deno.test("conform: names the rule that a policy breaks, and ends with 1", async (t) => {
  for (const { stage, rule, answer } of broken) {
    await t.step(`${stage}: ${rule}`, async () => {
      await using server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        async (request) => {
          const text = await request.text();
          const isCareless = rule.startsWith("what is no JSON");
          try {
            const body = isCareless ? {} : JSON.parse(text);
            return Response.json(answer(body));
          } catch {
            return new Response("", { status: 400 });
          }
        },
      );
      const { port } = server.addr as Deno.NetAddr;
      const { code, text } = await conform(`http://127.0.0.1:${port}`, "--stage", stage);
      assertEquals(code, 1);
      assertStringIncludes(text, `FAILS  ${rule}`);
    });
  }
});

Deno.test("conform: there is a policy here that breaks each rule", () => {
  const shown = new Set(["no input yields a 5xx", ...broken.map(({ rule }) => rule)]);
  assertEquals(rules.map(({ name }) => name).filter((name) => !shown.has(name)), []);
});

Deno.test("conform: a 5xx, a slow stage and an absent one are told", async (t) => {
  const onError = () => new Response("", { status: 500 });
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, onError },
    async (request) => {
      if (!request.url.endsWith("/v1/admit")) return new Response("", { status: 404 });
      const body = JSON.parse(await request.text());
      return Response.json({ verdict: body.gangs.length > 0 ? "allow" : "wait", message: "x" });
    },
  );
  const url = `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  await t.step("a 5xx", async () => {
    const { code, text } = await conform(url);
    assertEquals(code, 1);
    assertStringIncludes(text, "FAILS  no input yields a 5xx");
  });
  await t.step("slow", async () => {
    const { code, text } = await conform("--max-p99=1us", "--stage", "admit", url);
    assertEquals(code, 1);
    assertStringIncludes(text, "admit takes longer than 0.001 ms");
  });
  await t.step("absent", async () => {
    const { code, text } = await conform(`${url}/elsewhere`, "--stage=permit");
    assertEquals(code, 1);
    assertStringIncludes(text, "HTTP 404");
  });
});

Deno.test("conform: where nobody answers, that is said, and of which address", async () => {
  const url = `http://127.0.0.1:${freePorts(["policy"]).policy}`;
  const { code, text } = await conform(url);
  assertEquals(code, 1);
  assertMatch(
    text,
    /^error: Cannot reach the policy at "http:.+": .+refused.+: is it running there\?$/m,
  );
});
