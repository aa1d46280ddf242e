import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import fairShare from "../../examples/policies/fair_share.ts";
import licenceTokens from "../../examples/policies/licence_tokens.ts";
import { admit, admitRequest, gang } from "../../packages/policy/testing.ts";
import type { ClusterFacts } from "../../packages/policy/types.ts";
import { gpu, runs } from "./facts.ts";

Deno.test("quotas and licences: whoever starts counts, and nothing is remembered for that", async () => {
  // What is promised here is over for the other tests.
  const at = "2026-03-01T12:00:00Z";
  const starting = [{ ...runs("x", 3, { team: "research" }), name: "starts" }];
  const wanted = gang({ name: "fresh", attributes: { team: "research" } });
  const quotas = { QUOTAS: `{"research":{"${gpu}":8}}` };
  const quota = async (told: typeof starting) =>
    (await admit(
      fairShare,
      admitRequest(wanted, { at, starting: told, asks: { [gpu]: 6 } }),
      quotas,
    )).verdict;
  assertEquals(await quota(starting), "wait");
  assertEquals(await quota([]), "allow");

  const attributes = { licences: "matlab=2" };
  const comes = { namespace: "default", name: "comes", attributes, pods: 2, requests: {} };
  const licences = async (facts: ClusterFacts) =>
    (await admit(
      licenceTokens,
      admitRequest(gang({ namespace: "fresh", attributes }), { at, ...facts }),
      { LICENCES: '{"matlab":3}' },
    )).verdict;
  assertEquals(await licences({ starting: [comes] }), "wait");
  assertEquals(await licences({ starting: [comes], running: [comes] }), "wait");
  assertEquals(await licences({}), "allow");
});

Deno.test("licences: a server that fails, or says no numbers, is no reason to let gangs start, and the policy says so", async (t) => {
  let answer: () => Response = () => Response.json({});
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => answer(),
  );
  const url = `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  const cases: [string, string, () => Response][] = [
    ["an error", url, () => new Response("", { status: 500 })],
    ["no JSON", url, () => new Response("<html>")],
    ["nothing", url, () => Response.json(null)],
    ["no numbers", url, () => Response.json({ matlab: { total: "many" } })],
    ["nobody", "http://127.0.0.1:1", () => new Response()],
  ];
  for (const [name, at, says] of cases) {
    await t.step(name, async () => {
      answer = says;
      const wants = admitRequest(
        gang({ name: `of-${name}`, attributes: { licences: "matlab=1" } }),
      );
      const { message } = await assertRejects(
        () => admit(licenceTokens, wants, { LICENCE_SERVER: at }),
        Error,
        "HTTP 503",
      );
      assertStringIncludes(message, "the licence server can not be used");
    });
  }
});

Deno.test("licences: a gang starts when as many are free, wherever they are used", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json({ matlab: { total: 10, used: 7 } }),
  );
  const env = { LICENCE_SERVER: `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}` };
  const wants = (name: string, licences: string) =>
    admitRequest(gang({ name, attributes: { licences } }));
  const ask = (name: string, licences: string) => admit(licenceTokens, wants(name, licences), env);
  const waits = await ask("four", "matlab=4");
  assertEquals([waits.verdict, waits.message], [
    "wait",
    "needs 4 licences of matlab, and 3 of 10 are free",
  ]);
  assertEquals((await ask("two", "matlab=2")).verdict, "allow");
  // The two are promised, although the server does not know yet.
  assertEquals((await ask("another", "matlab=2")).verdict, "wait");
  assertEquals((await ask("none", "")).verdict, "allow");
  assertEquals((await ask("stranger", "ansys=1")).verdict, "wait");
});
