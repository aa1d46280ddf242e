import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import fairShare from "../../examples/policies/fair_share.ts";
import licenceTokens from "../../examples/policies/licence_tokens.ts";
import officeHours from "../../examples/policies/office_hours.ts";
import { admit, admitRequest, gang } from "../../packages/policy/testing.ts";
import { gpu } from "./facts.ts";
import { has, serveBy, type ServedPolicy } from "./served.ts";

/** What is served here or elsewhere. */
type Policy = typeof officeHours;
Deno.test("examples: a setting that can not be used is a 500 that names it, and no gang starts by it", async (t) => {
  const asks = { [gpu]: 8 };
  const cases: [Policy, Record<string, string>, string][] = [
    [officeHours, { HOURS: "8h-18h" }, 'HOURS must be like \\"8-18\\"'],
    [officeHours, { TIME_ZONE: "Mars" }, "TIME_ZONE must be like"],
    [officeHours, { LARGE: "many" }, "LARGE must be a number"],
    [fairShare, { QUOTAS: '{"a":{"cpu":"x"}}' }, "QUOTAS must be like"],
    [fairShare, { BORROW: "-1" }, "BORROW must be a number of 0 or more"],
    [licenceTokens, { LICENCES: '{"matlab":"ten"}' }, 'LICENCES can not be used: \\"matlab\\"'],
  ];
  for (const [policy, env, says] of cases) {
    await t.step(says, async () => {
      const spec = gang({ attributes: { licences: "matlab=1" } });
      const asked = () => admit(policy, admitRequest(spec, { asks }), env);
      const { message } = await assertRejects(asked, Error, "HTTP 50");
      assertStringIncludes(message, says);
    });
  }
});

Deno.test("examples: with a TOKEN nobody else is answered", async (t) => {
  const env = { TOKEN: "secret" };
  const python = ["python3", "-u", "examples/policies/month_budget.py"] as const;
  const policies: [string, () => Promise<Reached & AsyncDisposable>][] = [
    ["fair share", () => here(fairShare, env)],
    ["office hours", () => here(officeHours, env)],
    ["licence tokens", () => here(licenceTokens, env)],
    ["month budget", async () => reached(await serveBy(python, { env }))],
  ];
  for (const [name, serve] of policies) {
    if (name === "month budget" && !await has("python3")) continue;
    await t.step(name, async () => {
      await using policy = await serve();
      const statusOf = async (authorization?: string) => {
        const response = await policy.ask({
          ...(authorization !== undefined && { authorization }),
        });
        await response.body?.cancel();
        return response.status;
      };
      assertEquals(await statusOf(), 401);
      assertEquals(await statusOf("Bearer other"), 401);
      assertEquals(await statusOf("Bearer secret"), 200);
    });
  }
});

/** A policy that is asked the same by callers of several kinds. */
interface Reached {
  ask(headers: Record<string, string>): Promise<Response>;
}

const body = JSON.stringify(admitRequest(gang()));

function here(policy: Policy, env: object): Promise<Reached & AsyncDisposable> {
  return Promise.resolve({
    ask: async (headers) =>
      await policy.fetch(
        new Request("http://policy/v1/admit", { method: "POST", headers, body }),
        env,
      ),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

function reached(served: ServedPolicy): Reached & AsyncDisposable {
  return {
    ask: (headers) => fetch(`${served.url}/v1/admit`, { method: "POST", headers, body }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}
