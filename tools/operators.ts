/**
 * `deno task operators`: operators that create gangs, each on a real control plane with Muster.
 *
 * @module
 */
import { join } from "node:path";
import { Command, Option } from "commander";
import { print, say } from "../cli/print.ts";
import { stopAllProcesses } from "../cli/process.ts";
import { type OperatorName, operatorNames, operators } from "./operators/operators.ts";
import { tellOperator } from "./operators/tell_operator.ts";
import { untilAsked } from "./until_asked.ts";

const command = new Command("deno task operators")
  .description(
    "Tells a story of each operator that creates gangs, on a real control plane with Muster: whether its gangs start whole, " +
      "grow, restart, pause and go as docs/operators.md says. Each operator is built with Go once, which takes minutes.",
  )
  .addOption(
    new Option("--only <operator...>", "only these").choices(operatorNames).env("MUSTER_ONLY"),
  );

/** Whether everything happened as it should; the folder with the logs stays where it did not. */
async function isAsTold(name: OperatorName): Promise<boolean> {
  const dir = await Deno.makeTempDir({ prefix: `muster-${name}-` });
  print(`${name} ${operators[name].version}`);
  const start = performance.now();
  const tell = (line: string) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6);
    print(`${seconds} s  ${line}`);
  };
  try {
    await tellOperator(name, { dir, tell, onProgress: say });
    await Deno.remove(dir, { recursive: true });
    return true;
  } catch (error) {
    print(`Something was different: ${error instanceof Error ? error.message : String(error)}`);
    print(`What each program said: "${join(dir, "logs")}"`);
    return false;
  }
}

async function tellAll(names: readonly OperatorName[]): Promise<number> {
  const different: OperatorName[] = [];
  for (const name of names) if (!await isAsTold(name)) different.push(name);
  print(
    different.length === 0 ? "All of it happened as told." : `Different: ${different.join(", ")}`,
  );
  return different.length === 0 ? 0 : 1;
}

async function interrupted(): Promise<number> {
  await untilAsked();
  print("Interrupted before the end.");
  return 1;
}

const { only = operatorNames } = command.parse(Deno.args, { from: "user" })
  .opts<{ only?: OperatorName[] }>();
const code = await Promise.race([tellAll(only), interrupted()]);
await stopAllProcesses();
Deno.exit(code);
