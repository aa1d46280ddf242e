/**
 * `deno task mutants`: do the tests of the core notice small faults in it.
 *
 * @module
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { print } from "../cli/print.ts";
import { core, mutated, type Tried, tryMutants } from "./mutants/mutants.ts";
import { sampleOf } from "./mutants/sample.ts";

const { sample, seed, folder, file, all, histories: isInRelay } = new Command("mutants")
  .description(
    "Puts small faults into the core, one at a time (a bound moved, a comparison turned, some for every), and runs the " +
      "tests of the core that reach each. Prints those that no test notices, and the share of the others.",
  )
  .addOption(
    new Option("--sample <number>", "so many of the faults, by chance")
      .env("MUSTER_MUTANTS").default(300).argParser(parseNumber),
  )
  .addOption(new Option("--all", "all of them").env("MUSTER_MUTANTS_ALL"))
  .addOption(
    new Option("--seed <number>", "another one makes another sample").env("MUSTER_SEED").default(1)
      .argParser(parseNumber),
  )
  .addOption(
    new Option(
      "--folder <path>",
      "where the faults are: the core, shared/cluster or shared/kubernetes",
    )
      .env("MUSTER_MUTANTS_FOLDER").default(core),
  )
  .addOption(
    new Option("--file <text>", "only those of files whose path contains the text")
      .env("MUSTER_MUTANTS_FILE").default(""),
  )
  .addOption(
    new Option("--histories", "by histories through a running relay, and not by tests of the core")
      .env("MUSTER_MUTANTS_HISTORIES"),
  )
  .parse(Deno.args, { from: "user" }).opts();

const dir = await Deno.makeTempDir({ prefix: "muster-mutants-" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => end(130));
}
try {
  const mutants = (await mutated(dir, folder)).filter((mutant) => mutant.file.includes(file));
  if (mutants.length === 0) {
    print(`No file of "${folder}" whose path contains "${file}" has a fault to try`);
    end(1);
  }
  const chosen = all ? mutants : sampleOf(mutants, { size: sample, seed });
  const done: Tried[] = [];
  const tried = (mutant: Tried) => {
    done.push(mutant);
    if (mutant.noticed === undefined) {
      const what = mutant.isUnreached ? ", where no test comes by" : "";
      print(`${mutant.file}:${mutant.line}: "${mutant.original}" as "${mutant.mutated}"${what}`);
    }
    if (done.length % 50 === 0) print(`${done.length} of ${chosen.length} tried`);
  };
  await tryMutants(dir, { mutants: chosen, tried, isInRelay });
  const noticed = done.filter((mutant) => mutant.noticed !== undefined).length;
  const reached = done.filter((mutant) => !mutant.isUnreached).length;
  const share = (of: number) => `${noticed} of ${of}: ${(noticed / of).toFixed(3)}`;
  print(`noticed: ${share(done.length)}, of those where a test comes by ${share(reached)}`);
  end(0);
} catch (error) {
  // deno-lint-ignore no-console -- an error of this task
  console.error(error);
  end(1);
}

function end(code: number): never {
  Deno.removeSync(dir, { recursive: true });
  Deno.exit(code);
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError(`"${text}" is not a whole number above 0`);
}
