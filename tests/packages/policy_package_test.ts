import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { buildPolicyPackage } from "../../tools/build/policy_package.ts";
import type * as wire from "../../shared/contract/types.ts";
import type * as types from "../../packages/policy/types.ts";
import { conform, folder, serveBy } from "../examples/served.ts";

const root = new URL("../..", import.meta.url).pathname;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type Same<A, B> = [DeepReadonly<A>] extends [DeepReadonly<B>]
  ? [DeepReadonly<B>] extends [DeepReadonly<A>] ? true : never
  : never;

/** Does not compile where the package's types are not the contract's. */
export const packageIsContract: [
  Same<wire.QueueSortRequest, types.QueueSortRequest>,
  Same<wire.QueueSortAnswer, types.QueueSortAnswer>,
  Same<wire.AdmitRequest, types.AdmitRequest>,
  Same<wire.AdmitAnswer, types.AdmitAnswer>,
] = [true, true, true, true];

const policy = `
import { definePolicy } from "@muster/policy";

export default definePolicy({
  queueSort: ({ units }) => ({
    keys: units.map(({ id, gang }) => ({
      id,
      key: [...new Set([...gang?.groups ?? [], gang ? gang.namespace + "/" + gang.name : id])].sort().join(),
    })),
  }),
  admit: ({ gangs, asks }, { setting }) => {
    const most = Number(setting("MOST") ?? 4);
    const total = gangs.reduce((sum, { gang }) =>
      sum + (asks?.[gang.namespace + "/" + gang.name]?.["nvidia.com/gpu"] ?? 0), 0);
    return total <= most
      ? { verdict: "allow" }
      : { verdict: "wait", reason: "TooLarge", message: total + " GPUs are more than " + most };
  },
});
`;

const usage = `
import { strictEqual, deepStrictEqual } from "node:assert";
import policy from "./policy.js";
import { admit, admitRequest, gang, order, unit } from "@muster/policy/testing";

const waits = await admit(policy, admitRequest(gang(), { asks: { "nvidia.com/gpu": 8 } }));
strictEqual(waits.message, "8 GPUs are more than 4");
const allowed = await admit(policy, admitRequest(gang(), { asks: { "nvidia.com/gpu": 8 } }), { MOST: "8" });
strictEqual(allowed.verdict, "allow");
const units = [unit(gang({ name: "b" })), unit(gang({ name: "a" }))];
deepStrictEqual(await order(policy, units), ["default/a", "default/b"]);
`;

async function run(command: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const told = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assert(success, `${command} ${args.join(" ")}: ${told}`);
  return new TextDecoder().decode(stdout);
}

Deno.test("@muster/policy: packed, installed from the file, type-checked, and used on Node and on Deno", async (t) => {
  await using dir = folder();
  const built = await buildPolicyPackage(join(dir.path, "dist"));
  const [packed] = JSON.parse(
    await run("npm", ["pack", "--json", `--pack-destination=${dir.path}`], built),
  );
  const files = packed.files.map(({ path }: { path: string }) => path);
  for (const file of ["policy.js", "testing.js", "types/packages/policy/policy.d.ts"]) {
    assert(files.includes(file), `${file} of ${files}`);
  }
  const project = join(dir.path, "project");
  await Deno.mkdir(project);
  await Deno.writeTextFile(join(project, "package.json"), '{ "type": "module", "private": true }');
  const tarball = join(dir.path, packed.filename);
  await run("npm", ["install", "--no-audit", "--no-fund", "--offline", tarball], project);
  await Deno.writeTextFile(join(project, "policy.ts"), policy);
  await Deno.writeTextFile(join(project, "usage.ts"), usage);

  await t.step("its types are whole", async () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const strict = ["--strict", "--exactOptionalPropertyTypes"];
    const how = ["--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom"];
    await run("node", [tsc, ...strict, ...how, "policy.ts"], project);
    await Deno.writeTextFile(
      join(project, "wrong.ts"),
      policy.replace('verdict: "allow"', 'verdict: "perhaps"'),
    );
    const wrong = await new Deno.Command("node", {
      args: [tsc, ...strict, ...how, "--noEmit", "--skipLibCheck", "wrong.ts"],
      cwd: project,
      stdout: "piped",
    }).output();
    assertStringIncludes(new TextDecoder().decode(wrong.stdout), '"perhaps"');
  });

  await t.step("a policy and its test run on Node", async () => {
    await Deno.rename(join(project, "usage.ts"), join(project, "usage.js"));
    await run("node", ["usage.js"], project);
  });

  await t.step("the policy conforms", async () => {
    await using served = await serveBy([
      Deno.execPath(),
      ...["serve", "-A", "--no-check", "--host=127.0.0.1", "--port=0", "policy.js"],
    ], { cwd: project });
    const { code, text } = await conform(served.url);
    assertEquals(code, 0, text);
  });

  await t.step("its README has the docstrings", async () => {
    const readme = await Deno.readTextFile(join(built, "README.md"));
    assertStringIncludes(readme, "Serves the stages that are given at `POST /v1/<stage>`");
  });
});
