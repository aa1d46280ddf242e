/**
 * `deno task functions`: the policy endpoints alone.
 *
 * @module
 */
import { Command } from "commander";
import { addLogLevel, addPolicy, addPort, parsed, variablesOf } from "../functions/command_line.ts";
import { endAsked, orExit, servePolicy } from "../functions/serve.ts";
import { addRuntime, openPolicyOnWorkerd, startNothing } from "./policy_on_workerd.ts";
import { print } from "./print.ts";
import { keepTimeSteady } from "./steady_time.ts";

const command = new Command("functions").description("Serve the policy endpoints");
const options = parsed(addRuntime(addPolicy(addLogLevel(addPort(command)))));
if (options["runtime"] === "deno") {
  keepTimeSteady();
  await startNothing();
  await servePolicy(options);
}

const { store, port } = options as { store: string; port: number };
const policy = await orExit(() => openPolicyOnWorkerd({ store, vars: variablesOf(options), port }));
const asked = endAsked();
print(`listening: ${policy.url}`);
await asked;
await policy.close();
Deno.exit(0);
