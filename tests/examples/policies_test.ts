import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { compatibilityDate } from "../../cli/workerd.ts";
import { wranglerDev } from "../support/wrangler_dev.ts";
import {
  conform,
  folder,
  has,
  serveBy,
  type ServedPolicy,
  serveOnDeno,
  serveOnWorkerd,
} from "./served.ts";

const examples = "examples/policies";
const root = new URL("../..", import.meta.url).pathname;

/** With limits that some of the suite's gangs run into. */
const workers: Record<string, Record<string, string>> = {
  fair_share: { QUOTAS: '{"research":{"nvidia.com/gpu":9}}' },
  office_hours: { LARGE: "2", HOURS: "0-24" },
  licence_tokens: { LICENCES: '{"matlab":5}' },
};

async function mustConform(policy: ServedPolicy): Promise<void> {
  await using served = policy;
  const { code, text } = await conform(served.url);
  assertEquals([code, /FAILS/.test(text)], [0, false], text);
  assert(/holds/.test(text), text);
}

for (const [name, settings] of Object.entries(workers)) {
  const file = `${examples}/${name}.ts`;
  Deno.test(`examples: ${name} conforms on Deno`, async () => {
    await mustConform(await serveOnDeno(file, settings));
  });

  Deno.test(`examples: ${name} conforms on workerd`, async () => {
    await mustConform(await serveOnWorkerd(file, settings));
  });

  Deno.test(`examples: ${name} conforms behind wrangler dev, which takes it as it is`, async () => {
    await using dir = folder();
    await Deno.copyFile(`${root}${file}`, join(dir.path, "policy.ts"));
    const args = ["policy.ts", "--name=policy", `--compatibility-date=${compatibilityDate}`];
    await mustConform(await wranglerDev({ dir: dir.path, args, vars: settings }));
  });
}

Deno.test("examples: month_budget conforms", async () => {
  if (!await has("python3")) return;
  const budgets = { BUDGETS: '{"conformance":0,"team-a":10}' };
  await mustConform(
    await serveBy(["python3", "-u", `${examples}/month_budget.py`], { env: budgets }),
  );
});

Deno.test("examples: deadlines conforms", async () => {
  if (!await has("go")) return;
  await using dir = folder();
  const program = join(dir.path, "deadlines");
  const { success, stderr } = await new Deno.Command("go", {
    args: ["build", "-o", program, "."],
    cwd: join(root, examples, "deadlines"),
    stderr: "piped",
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  await mustConform(await serveBy([program]));
});
