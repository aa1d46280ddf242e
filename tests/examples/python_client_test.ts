import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { policy } from "../../functions/policy.ts";
import { admitRequest, gang } from "../../packages/policy/testing.ts";
import { folder, has, serveBy } from "./served.ts";

/** Makes a client from OpenAPI 3.1; kept in the cache from one run to the next. */
const generator = "openapi-python-client==0.29.1";

const script = `
import json, sys
from muster_client import Client
from muster_client.api.default import post_v1_admit, post_v1_queue_sort
from muster_client.models import AdmitRequest

client = Client(base_url=sys.argv[1], headers={"x-muster-cluster": "python"})
request = AdmitRequest.from_dict(json.load(sys.stdin))
answer = post_v1_admit.sync(client=client, body=request)
print(answer.verdict.value, answer.reason, answer.message)
`;

async function run(
  command: readonly string[],
  { cwd, input }: { cwd: string; input?: string },
): Promise<string> {
  const [program, ...args] = command;
  const child = new Deno.Command(program!, {
    args,
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  if (input !== undefined) await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  assert(success, `${command.join(" ")}: ${decoder.decode(stdout)}${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** A Python that has the generator. */
async function pythonWithGenerator(): Promise<string> {
  const dir = join(Deno.env.get("HOME") ?? "/tmp", ".cache/muster", generator.replace("==", "-"));
  const python = join(dir, "bin/python");
  const marker = join(dir, "complete");
  if (!await exists(marker)) {
    await run(["python3", "-m", "venv", dir], { cwd: "/" });
    await run([python, "-m", "pip", "install", "--quiet", generator], { cwd: "/" });
    await Deno.writeTextFile(marker, "");
  }
  return python;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("a Python client made from openapi.json speaks with a policy in Python", async () => {
  if (!await has("python3")) return;
  const python = await pythonWithGenerator();
  await using dir = folder();
  const document = await (await policy.request("/openapi.json")).text();
  await Deno.writeTextFile(join(dir.path, "openapi.json"), document);
  const generate = ["-m", "openapi_python_client", "generate", "--meta", "none"];
  await run(
    [python, ...generate, "--path", "openapi.json", "--output-path", "muster_client"],
    { cwd: dir.path },
  );
  await using served = await serveBy(["python3", "-u", "examples/policies/month_budget.py"], {
    env: { BUDGETS: '{"team-a":0}' },
  });
  await Deno.writeTextFile(join(dir.path, "use.py"), script);
  const say = async (namespace: string) =>
    await run([python, "use.py", served.url], {
      cwd: dir.path,
      input: JSON.stringify(admitRequest(gang({ namespace }))),
    });
  assertStringIncludes(
    await say("team-a"),
    "wait BudgetUsedUp budget of team-a is used up until 2026-04-01",
  );
  assertEquals((await say("team-b")).split(" ")[0], "allow");
});
