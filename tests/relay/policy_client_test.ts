import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { Group } from "../../shared/core/gang/facts.ts";
import type { Fetch } from "../../shared/client/fetch.ts";
import { stagesOverHttp } from "../../shared/client/http_stages.ts";
import { PolicyClient } from "../../relay/policy/policy_client.ts";
import { CallFailed } from "../../shared/client/stage_call.ts";
import { tokenFile } from "../../cli/policy/token_file.ts";
import { gang, group } from "../support/facts.ts";

const facts = group(gang({ minMember: 2, held: 1, pending: 1 }));

/** What arrives of a client's calls, answered one after another by these; the last one answers all others too. */
function clientOf(answers: (() => Response)[], token?: () => Promise<string>) {
  const sent: Headers[] = [];
  const bodies: Group[] = [];
  const fetch: Fetch = (_url, { headers, body }) => {
    sent.push(new Headers(headers));
    bodies.push(JSON.parse(String(body)));
    return Promise.resolve((answers.length > 1 ? answers.shift()! : answers[0]!)());
  };
  const url = "http://functions";
  const stages = stagesOverHttp(url, { cluster: "east", fetch, token });
  const shown = () => ({
    resources: [{ name: "cpu", allocatable: 8, bound: bodies.length, held: 0 }],
    pods: {},
  });
  const client = new PolicyClient({ url, stages, shown, learnt: () => {} });
  return { sent, bodies, client };
}

/** Prefilter's answer, and any other stage's. */
const fine = () =>
  Response.json({
    verdict: "allow",
    allow: [],
    wait: [],
    reject: [],
    reason: "Admitted",
    message: "gang default/a may be scheduled",
  });
const noAnswer = () => Response.json({ verdict: "allow" });
const endless = () => new Response("x".repeat(5 * 1024 * 1024));
const down = () => new Response("down", { status: 503 });

function overloaded(retryAfter: string, status = 503): () => Response {
  return () =>
    Response.json({ title: "Store overloaded", detail: "ask again later" }, {
      status,
      headers: { "retry-after": retryAfter, "content-type": "application/problem+json" },
    });
}

Deno.test("policy client: the token is read for every call, so that it may be replaced", async () => {
  const path = await Deno.makeTempFile();
  try {
    const { client, sent } = clientOf([fine], tokenFile(path));
    for (const token of ["first.token", "next.token\n"]) {
      await Deno.writeTextFile(path, token);
      await client.ask({ stage: "permit", request: facts });
      assertEquals(sent.at(-1)!.get("authorization"), `Bearer ${token.trim()}`);
      assertEquals(sent.at(-1)!.get("x-muster-cluster"), "east");
    }
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("policy client: what is no token is not sent, and not told", async () => {
  const dir = await Deno.makeTempDir();
  try {
    for (const text of ["", "\n", "two words", "a\nsecret", "sésame", "secret\0"]) {
      await Deno.writeTextFile(`${dir}/token`, text);
      const { client, sent } = clientOf([fine], tokenFile(`${dir}/token`));
      const { message } = await assertRejects(
        () => client.ask({ stage: "permit", request: facts }),
        CallFailed,
      );
      assertMatch(message, /^Cannot use the token for the functions in ".*\/token": it must be/);
      assertEquals([sent.length, /secret|words|sésame/.test(message)], [0, false]);
    }
    const { client } = clientOf([fine], tokenFile(`${dir}/nothing`));
    const { message } = await assertRejects(
      () => client.ask({ stage: "permit", request: facts }),
      CallFailed,
    );
    assertMatch(message, /^Cannot read the token for the functions: .*nothing/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("policy client: every attempt tells what there is to see at its time", async () => {
  const { client, bodies } = clientOf([down, fine]);
  await client.ask({ stage: "prefilter", request: facts });
  const lost = [{ pod: facts.gangs[0]!.held[0]!, cause: "aborted" as const }];
  await client.ask({ stage: "unreserve", request: { ...facts, lost } });
  assertEquals(bodies.map(({ resources }) => resources?.[0]?.bound), [0, 1, 2]);
  assertEquals(bodies.map(({ pods }) => pods), [{}, {}, {}]);
});

Deno.test("policy client: a call and its repetitions have one id and trace, another call has others", async () => {
  const { client, sent } = clientOf([down, fine]);
  await client.ask({ stage: "permit", request: facts });
  await client.ask({ stage: "prefilter", request: facts });
  await client.queueSort([]).catch(() => {});
  const ids = sent.map((headers) => headers.get("x-request-id")!);
  const traces = sent.map((headers) => headers.get("traceparent")!);
  assertEquals([ids[1], traces[1]], [ids[0], traces[0]]);
  assertEquals(new Set(ids).size, 3);
  for (const [index, id] of ids.entries()) {
    const [version, trace, span, flags] = traces[index]!.split("-");
    assertEquals([version, trace, flags], ["00", id.replaceAll("-", ""), "01"]);
    assertMatch(span!, /^[\da-f]{16}$/);
  }
});

Deno.test("policy client: keys hold as long as queue-sort says, a day at most", async () => {
  const keys = [{ id: "default/a", key: "1" }];
  const cases: [said: number | undefined, taken: number | undefined][] = [
    [undefined, undefined],
    [0, 0],
    [5, 5],
    [1e6, 24 * 3600],
  ];
  for (const [askAgainSeconds, taken] of cases) {
    const { client } = clientOf([() => Response.json({ keys, askAgainSeconds })]);
    const sorted = await client.queueSort([]);
    assertEquals([sorted.keys, sorted.askAgainSeconds], [keys, taken]);
  }
});

Deno.test("policy client: where Deno traces, it alone names the trace", async () => {
  const before = Deno.env.get("OTEL_DENO");
  Deno.env.set("OTEL_DENO", "true");
  try {
    const { client, sent } = clientOf([fine]);
    await client.ask({ stage: "permit", request: facts });
    assertEquals(sent[0]!.get("traceparent"), null);
  } finally {
    if (before === undefined) Deno.env.delete("OTEL_DENO");
    else Deno.env.set("OTEL_DENO", before);
  }
});

Deno.test("policy client: who is overloaded is left alone for the time that it says, and not asked the same again", async () => {
  using time = new FakeTime(Date.parse("2026-11-22T08:00:00Z"));
  for (
    const [status, says, leastMs] of [
      [503, "2", 2000],
      [429, "2", 2000],
      [503, "3600", 10_000],
      [429, "Sun, 22 Nov 2026 23:59:59 GMT", 10_000],
      [503, "Sun, 22 Nov 2026 07:00:00 GMT", 0],
    ] as const
  ) {
    const { client, sent } = clientOf([overloaded(says, status)]);
    let failure: unknown;
    const call = client.ask({ stage: "permit", request: facts }).catch((error) => failure = error);
    await time.tickAsync(Math.max(0, leastMs - 1));
    if (leastMs > 0) assertEquals(failure, undefined);
    await time.tickAsync(leastMs / 4 + 1);
    await call;
    assert(failure instanceof CallFailed);
    assertEquals(failure.message, `HTTP ${status}: Store overloaded: ask again later`);
    assertEquals(failure.requestId, sent[0]!.get("x-request-id"));
    assertEquals(sent.length, 1);
  }
});

Deno.test("policy client: other failures are asked again at once, refusals are not", async () => {
  const cases: [answer: () => Response, calls: number][] = [
    [down, 3],
    [overloaded("soon"), 3],
    [() => new Response("", { status: 429 }), 3],
    [noAnswer, 3],
    [endless, 3],
    [() => new Response("", { status: 401 }), 1],
    [() => new Response("", { status: 403 }), 1],
  ];
  for (const [answer, calls] of cases) {
    const { client, sent } = clientOf([answer]);
    const error = await assertRejects(
      () => client.ask({ stage: "permit", request: facts }),
      CallFailed,
    );
    assertNotEquals(error.requestId, "");
    assertEquals(sent.length, calls, error.message);
  }
});
