/**
 * `deno task fuzz`: many calls that nobody makes, of everything that takes calls or reads objects.
 *
 * @module
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { childDeno } from "./child_deno.ts";

const root = new URL("..", import.meta.url).pathname;

const options = new Command("fuzz")
  .description(
    "Calls the functions, the page and the extender, shows the relay objects, and answers it as faulty functions, by grammars " +
      "(tests/fuzz/grammar). What fails is made small and added to tests/fuzz/corpus, which every test run tries again.",
  )
  .addOption(
    new Option("--calls <number>", "how many, of all targets together")
      .env("MUSTER_FUZZ").default(1_000_000).argParser((text) => parseNumber(text, 1)),
  )
  .addOption(
    new Option("--from <number>", "without the first of them, of the same seed")
      .env("MUSTER_FUZZ_FROM").default(0).argParser((text) => parseNumber(text, 0)),
  )
  .addOption(
    new Option("--seed <number>", "another one makes other calls; absent: by chance")
      .env("MUSTER_SEED").argParser((text) => parseNumber(text, 1)),
  )
  .addOption(
    new Option("--target <name>", "only that one")
      .env("MUSTER_FUZZ_TARGET").choices(["functions", "extender", "watch", "answers"]),
  )
  .parse(Deno.args, { from: "user" }).opts<
  { calls: number; from: number; seed?: number; target?: string }
>();

const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
const tests = options.target ? `tests/fuzz/${options.target}_test.ts` : "tests/fuzz";
const { code } = await childDeno(["test", "-A", tests], {
  cwd: root,
  env: {
    MUSTER_FUZZ: String(options.calls),
    MUSTER_FUZZ_FROM: String(options.from),
    MUSTER_SEED: String(seed),
    MUSTER_FUZZ_KEEP: "true",
  },
}).spawn().status;
Deno.exit(code);

function parseNumber(text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new InvalidArgumentError(`"${text}" is not a whole number >= ${least}`);
}
