import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Registry } from "prom-client";
import { explanation } from "../../../cli/muster/explanation.ts";
import { OwnStage } from "../../../cli/policy/own_stage.ts";
import { OwnStages } from "../../../cli/policy/own_stages.ts";
import { Shadows } from "../../../cli/policy/shadows.ts";
import { askerOf } from "../../../cli/policy/stage_flags.ts";
import { StageReport } from "../../../cli/policy/stage_report.ts";
import { openPolicy, type PolicyHost } from "../../../functions/serve.ts";
import type { FailureMode, StageName } from "../../../shared/core/attend/stage_health.ts";
import type { Fit } from "../../../shared/core/gang/facts.ts";
import { at, gang, group } from "../../support/facts.ts";

const whole = group(gang({ minMember: 2, pending: 2 }));
const fit = { members: 2, of: 2 };
const units = ["a", "b"].map((name) => ({
  id: `default/${name}`,
  priority: 0,
  queuedAt: at(0),
  gang: gang({ name }).gang,
}));

/** Letters that would begin another line, turn this one, or colour a terminal. */
const hidden = /[\p{Cc}\p{Cf}]/u;

/** What a policy answers now; a text is sent as it is. */
type Answer = (body: Record<string, unknown>, setting: Setting) => unknown;

/** Muster's functions, and beside them a server that answers some stages. */
class Setting implements AsyncDisposable {
  readonly late = Promise.withResolvers<void>();
  readonly asked: Record<string, unknown>[] = [];
  readonly log: string[] = [];
  readonly registry = new Registry();
  readonly report = new StageReport({
    registry: this.registry,
    log: (_, message) => void this.log.push(message),
  });
  readonly stages: OwnStages;
  answer: Answer = () => ({ verdict: "allow" });
  readonly #store = Deno.makeTempDirSync({ prefix: "muster-own-stages-" });
  readonly #host: PolicyHost = openPolicy({ store: this.#store });
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(
    own: Partial<Record<StageName, FailureMode>>,
    { shadows = [], timeoutMs = 2000 }: {
      shadows?: readonly StageName[];
      timeoutMs?: number;
    } = {},
  ) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (call) => {
      const body = await call.json();
      this.asked.push(body);
      const answer = await this.answer(body, this);
      if (answer instanceof Response) return answer;
      return typeof answer === "string" ? new Response(answer) : Response.json(answer);
    });
    const ask = (stage: StageName) =>
      askerOf({ stage, url: this.url, timeoutMs }, { cluster: "test", fetch });
    this.stages = new OwnStages(this.#host.stages("test"), {
      facts: {
        running: () => [{
          namespace: "team-a",
          name: "old",
          pods: 2,
          requests: { "nvidia.com/gpu": 2 },
        }],
        starting: () =>
          ["a", "b"].map((name) => ({ namespace: "default", name, pods: 1, requests: {} })),
        resources: () => [{ name: "nvidia.com/gpu", allocatable: 8, bound: 2, held: 0 }],
        asks: () => ({ "nvidia.com/gpu": 2 }),
      },
      own: Object.entries(own).map(([stage, failureMode]) =>
        new OwnStage({
          stage: stage as StageName,
          url: this.url,
          failureMode,
          ask: ask(stage as StageName),
        }, this.report)
      ),
      shadows: new Shadows(shadows.map((stage) => ({ stage, ask: ask(stage) })), this.report),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** A document of the functions, for this cluster. */
  async page(path: string): Promise<string> {
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "127.0.0.1", port: 0 };
    const request = new Request(`http://localhost${path}`, {
      headers: { "x-muster-cluster": "test" },
    });
    const info = { remoteAddr, completed: Promise.resolve() };
    return await (await this.#host.serve(request, info)).text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await this.#host.close();
    await Deno.remove(this.#store, { recursive: true });
  }
}

Deno.test("own stages: a gang that could start waits for admit, which is told what runs and what the gang asks for", async () => {
  await using setting = new Setting({ admit: "wait" });
  setting.answer = () => ({ verdict: "wait", reason: "Closed", message: "until 8:00" });
  const waits = await setting.stages.prefilter({ ...whole, fit }, "1");
  assertEquals([waits.verdict, waits.reason, waits.retryAfterSeconds], [
    "reject",
    "CustomPolicy",
    30,
  ]);
  assertEquals(waits.message, "gang default/a is kept waiting by policy Closed: until 8:00");
  const [{ asks, running, starting, resources, at: when } = {}] = setting.asked;
  assertEquals(asks, { "default/a": { "nvidia.com/gpu": 2 } });
  assertEquals((running as unknown[]).length, 1);
  // Not of itself.
  assertEquals((starting as { name: string }[]).map(({ name }) => name), ["b"]);
  assertEquals((resources as unknown[]).length, 1);
  assert(Math.abs(Date.parse(when as string) - Date.now()) < 60_000);

  setting.answer = () => ({ verdict: "allow" });
  assertEquals((await setting.stages.prefilter({ ...whole, fit }, "2")).reason, "Admitted");
});

Deno.test("own stages: where nothing is to be ordered it is Muster's functions that are asked, which name their index", async () => {
  await using setting = new Setting({ "queue-sort": "wait" }, { shadows: ["queue-sort"] });
  const { keys, index } = await setting.stages.queueSort({ units: [] }, "1");
  assertEquals([keys, typeof index, setting.asked], [[], "string", []]);
});

Deno.test("own stages: of a gang that can not start admit is not asked, and no older word stands", async () => {
  await using setting = new Setting({ admit: "wait" });
  setting.answer = () => ({ verdict: "wait", message: "no" });
  await setting.stages.prefilter({ ...whole, fit }, "1");
  const short = group(gang({ minMember: 3, pending: 2 }));
  assertEquals((await setting.stages.prefilter(short, "2")).reason, "MembersMissing");
  const begun = group(gang({ minMember: 2, pending: 1, held: 1 }));
  assertEquals((await setting.stages.prefilter(begun, "3")).reason, "Admitted");
  assertEquals(setting.asked.length, 1);
});

Deno.test("own stages: gangs wait for a policy that is broken, or are let in without it, as its failure mode says", async (t) => {
  const broken: [string, Answer, string][] = [
    ["an error", () => new Response("out of order\r\nfake", { status: 503 }), "HTTP 503"],
    ["no JSON", () => "<html>", "the answer is no JSON"],
    ["another verdict", () => ({ verdict: "perhaps" }), '"verdict" must be "allow" or "wait"'],
    ["another host", () => Response.redirect("http://127.0.0.1:1/"), "HTTP 302"],
    ["too much", () => "x".repeat(5 * 1024 * 1024), "longer than"],
    [
      "silence",
      (_, setting) => setting.late.promise.then(() => ({})),
      "no answer within 0.15 s",
    ],
  ];
  for (const [name, answer, error] of broken) {
    for (const mode of ["wait", "built-in"] as const) {
      await t.step(`${name}, ${mode}`, async () => {
        await using setting = new Setting({ admit: mode }, {
          timeoutMs: name === "silence" ? 150 : 30_000,
        });
        setting.answer = answer;
        const { reason, message } = await setting.stages.prefilter({ ...whole, fit }, "1");
        assertEquals(reason, mode === "wait" ? "CustomPolicy" : "Admitted");
        if (mode === "wait") assertStringIncludes(message, `policy Unreachable: stage admit at`);
        const { lines, isReady } = setting.report.readiness;
        assertEquals(isReady, mode === "built-in");
        assertStringIncludes(lines.join(), error);
        assert(!/[\r\n]/.test(lines.join()), "one line");
        setting.late.resolve();
      });
    }
  }
});

Deno.test("own stages: an order is the team's; a broken one is Muster's own, and said to be another", async () => {
  await using setting = new Setting({ "queue-sort": "built-in" });
  setting.answer = ({ units }) => ({
    keys: (units as { id: string }[]).map(({ id }) => ({
      id,
      key: id === "default/b" ? "0" : "1",
    })),
    askAgainSeconds: 5,
  });
  const theirs = await setting.stages.queueSort({ units }, "1");
  assertEquals([theirs.order, theirs.askAgainSeconds], ["own", 5]);
  assertEquals(theirs.keys.map(({ key }) => key), ["1", "0"]);
  assertEquals(
    setting.asked[0]!["units"],
    units.map((unit) => ({
      ...unit,
      asks: { "nvidia.com/gpu": 2 },
    })),
  );

  setting.answer = () => ({ keys: [{ id: "default/a", key: "1" }] });
  const ours = await setting.stages.queueSort({ units }, "2");
  assertEquals([ours.order, ours.keys.length], ["built-in", 2]);
  assertStringIncludes(setting.log.join(), 'unit "default/b" has no key');
});

Deno.test("own stages: without an order that must be the team's, gangs wait", async () => {
  await using setting = new Setting({ "queue-sort": "wait" });
  setting.answer = () => "out of order";
  await assertRejects(() => setting.stages.queueSort({ units }, "1"), Error, "queue-sort");
  const { reason, message } = await setting.stages.prefilter({ ...whole, fit }, "2");
  assertEquals(reason, "CustomPolicy");
  assertStringIncludes(message, "stage queue-sort at");
});

Deno.test("own stages: a stage that failed is left alone for a moment", async () => {
  await using setting = new Setting({ "queue-sort": "built-in" });
  setting.answer = () => "out of order";
  for (const id of ["1", "2", "3"]) await setting.stages.queueSort({ units }, id);
  assertEquals(setting.asked.length, 1);
  const metrics = await setting.registry.metrics();
  assertStringIncludes(metrics, 'calls_total{stage="queue-sort",outcome="failed"} 1');
  assertStringIncludes(metrics, 'calls_total{stage="queue-sort",outcome="left alone"} 2');
});

Deno.test("own stages: a shadow is asked and not obeyed, and nobody waits for it", async () => {
  await using setting = new Setting({}, { shadows: ["queue-sort", "admit"] });
  const held = Promise.withResolvers<void>();
  setting.answer = async ({ units }) => {
    if (!units) return { verdict: "wait", message: "no" };
    await held.promise;
    const keys = (units as { id: string }[]).map(({ id }) => ({
      id,
      key: id === "default/b" ? "0" : "1",
    }));
    return { keys };
  };
  const sorted = await setting.stages.queueSort({ units }, "1");
  assertEquals(sorted.order, undefined);
  await setting.stages.queueSort({ units }, "2");
  assertEquals((await setting.stages.prefilter({ ...whole, fit }, "3")).reason, "Admitted");
  held.resolve();
  const told = () =>
    (JSON.parse(JSON.stringify(setting.report)) as { differences: Record<string, string>[] })
      .differences;
  while (told().length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const found = told().map(({ at: _, ...difference }) => difference)
    .sort((a, b) => a["stage"]! < b["stage"]! ? -1 : 1);
  assertEquals(found, [
    { stage: "admit", about: "default/a", decided: "allow", shadow: "wait (no)" },
    { stage: "queue-sort", about: "place 1 of 2", decided: "default/a", shadow: "default/b" },
  ]);
  assertStringIncludes(
    await setting.registry.metrics(),
    'shadow_answers_total{stage="queue-sort",outcome="skipped"} 1',
  );
});

Deno.test("own stages: hostile words are text on a page and in explain, and one line everywhere", async () => {
  await using setting = new Setting({ admit: "wait" });
  setting.answer = () => ({
    verdict: "wait",
    reason: "<b>Bold</b>",
    message: "<script>alert(1)</script>\n\u202e\u001b[31m" + "x".repeat(9000),
  });
  const { message } = await setting.stages.prefilter({ ...whole, fit }, "1");
  assert(message.length < 500 && !hidden.test(message), message);
  const page = await setting.page("/page/gangs/default/a");
  assertStringIncludes(page, "&lt;script&gt;alert(1)");
  assert(!page.includes("<script>alert"), "escaped");
  const told = explanation(JSON.parse(await setting.page("/v1/gangs/default/a")), Date.now());
  assertStringIncludes(told, "policy <b>Bold</b>: <script>alert(1)</script>\n");
  assert(!hidden.test(told.replaceAll("\n", "")), told);
});

Deno.test("own stages: what admit says holds where prefilter is answered by somebody who does not know of it", async () => {
  await using setting = new Setting({ prefilter: "wait", admit: "wait" });
  const leaving = { pods: 1, first: ["default/low"] };
  const facts = [fit, { members: 0, of: 2, leaving }];
  setting.answer = ({ asks, fit }) => {
    if (asks) return { verdict: "wait", message: "no" };
    return (fit as Fit).leaving
      ? { verdict: "reject", reason: "InsufficientResources", message: "they leave" }
      : { verdict: "allow", reason: "Admitted", message: "yes" };
  };
  for (const [index, fit] of [...facts, ...facts].entries()) {
    const request = { ...whole, fit };
    const answer = await setting.stages.prefilter(request, String(index));
    const { verdict, reason, message } = answer;
    assertEquals([verdict, reason], ["reject", "CustomPolicy"]);
    assertEquals(message, "gang default/a is kept waiting by policy: no");
  }
});

Deno.test("own stages: admit is asked before pods leave for a gang, and not about one that only lacks room", async () => {
  await using setting = new Setting({ admit: "wait" });
  setting.answer = () => ({ verdict: "wait", message: "no" });
  const short = { ...whole, fit: { members: 0, of: 2 } };
  assertEquals((await setting.stages.prefilter(short, "1")).reason, "InsufficientResources");
  assertEquals(setting.asked.length, 0);

  const leaving = { pods: 1, first: ["default/low"] };
  const cleared = { ...whole, fit: { ...short.fit, leaving } };
  for (const id of ["2", "3"]) {
    assertEquals((await setting.stages.prefilter(cleared, id)).reason, "CustomPolicy");
  }
  setting.answer = () => ({ verdict: "allow" });
  assertEquals((await setting.stages.prefilter(cleared, "4")).reason, "InsufficientResources");
  assertEquals(setting.asked.length, 3);
});

Deno.test("own stages: whom admit let in for whom pods leave starts when they have left, whatever admit says then", async (t) => {
  await using setting = new Setting({ admit: "wait" });
  const short = { members: 0, of: 2 };
  const leaving = { ...short, leaving: { pods: 1, first: ["default/low"] } };
  let id = 0;
  const reasonOf = async (fit: Fit) =>
    (await setting.stages.prefilter({ ...whole, fit }, String(++id))).reason;
  const open = async () => {
    setting.answer = () => ({ verdict: "allow" });
    assertEquals(await reasonOf(leaving), "InsufficientResources");
    setting.answer = () => ({ verdict: "wait", message: "no" });
  };
  await t.step("they leave, and have left", async () => {
    await open();
    assertEquals(await reasonOf(leaving), "InsufficientResources");
    assertEquals(await reasonOf(fit), "Admitted");
    assertEquals(setting.asked.length, 1);
  });
  const ends: [string, () => Promise<unknown>][] = [
    ["others have its room", () => reasonOf(short)],
    ["a member was held", () => {
      const held = group(gang({ minMember: 2, pending: 1, held: 1 }));
      return setting.stages.permit(held, "permit");
    }],
    ["it is gone, and another one has its name", () => {
      const pod = { namespace: "default", name: "a", uid: "default/a" };
      const lost = [{ pod, cause: "gone" as const, gang: "default/a" }];
      return setting.stages.unreserve({ ...whole, lost }, "gone");
    }],
  ];
  for (const [name, end] of ends) {
    await t.step(`asked anew: ${name}`, async () => {
      await open();
      await end();
      assertEquals(await reasonOf(fit), "CustomPolicy");
      setting.answer = () => ({ verdict: "allow" });
      await reasonOf(fit);
    });
  }
});
