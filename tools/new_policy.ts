/**
 * `deno task new-policy`: a policy of your own to begin with, and its test.
 *
 * @module
 */
import { Command, Option } from "commander";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { print } from "../cli/print.ts";

const folder = new URL("./new_policy/", import.meta.url);

async function main(): Promise<void> {
  const command = new Command("deno task new-policy")
    .description("Write a policy that answers queue-sort and admit, and its test, to begin with")
    .argument("<name>", "of the file: small letters, digits and underscores")
    .addOption(
      new Option("--dir <folder>", "where to").env("MUSTER_NEW_POLICY_DIR").default("."),
    )
    .parse(Deno.args, { from: "user" });
  const name = command.args[0]!;
  const { dir } = command.opts();
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) {
    command.error(`error: "${name}" is no name: use small letters, digits and underscores`);
  }
  await Deno.mkdir(dir, { recursive: true });
  const [policy, test] = [join(dir, `${name}.ts`), join(dir, `${name}_test.ts`)];
  for (const path of [policy, test]) {
    if (existsSync(path)) {
      throw new Error(`"${path}" is there already: choose another name, or --dir`);
    }
  }
  for (const [path, template] of [[policy, "skeleton.ts"], [test, "skeleton_test.ts"]] as const) {
    const text = await Deno.readTextFile(new URL(template, folder));
    await Deno.writeTextFile(path, text.replaceAll("skeleton", name), { createNew: true });
  }
  print(`wrote ${policy} and ${test}. Next:`);
  print(`  npx -y deno@2 test ${test}`);
  print(`  npx -y deno@2 serve --host 127.0.0.1 --port 8090 ${policy}`);
  print("  npx -y deno@2 task conform http://127.0.0.1:8090");
}

try {
  await main();
} catch (error) {
  // deno-lint-ignore no-console -- an error of this task
  console.error(`error: ${(error as Error).message}`);
  Deno.exit(1);
}
