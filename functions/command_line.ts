/**
 * The flags of the commands that run the policy functions.
 *
 * @module
 */
import process from "node:process";
import { type Command, InvalidArgumentError, Option, type OptionValues } from "commander";
import { settingFields, settingsFrom } from "../shared/contract/settings.ts";
import { profiles } from "../shared/core/gang/settings.ts";
import { log, logLevels } from "../shared/http/log.ts";

/** Adds `--port`. */
export function addPort(command: Command): Command {
  return command.addOption(
    new Option("--port <number>", "port on 127.0.0.1; 0 picks a free one")
      .env("MUSTER_PORT").default(8080).argParser(parsePort),
  );
}

/** Adds `--log-level`. */
export function addLogLevel(command: Command): Command {
  return command.addOption(
    new Option("--log-level <level>", "nothing below this level is logged")
      .env("MUSTER_LOG_LEVEL").choices(logLevels).default("info"),
  );
}

/** Secrets and what belongs to them are no flags: other users of the machine can read a command line. */
const accessVariables = ["MUSTER_TOKENS", "MUSTER_ISSUERS"];

const accessHelp = `
Variables that say who may call (docs/security.md); without them only callers on loopback may:
  MUSTER_TOKENS  {"<cluster>": ["<token>", {"token": "<token>", "scope": "read"}, ...], ...}
  MUSTER_ISSUERS [{"issuer": ..., "audience": ..., "cluster": ..., "jwksUrl": ...}, ...]
`;

/** Adds `--store`, `--profile` and a flag for every setting. */
export function addPolicy(command: Command): Command {
  command
    .addHelpText("after", accessHelp)
    .addOption(
      new Option("--store <folder>", "where the gang store is kept").env("MUSTER_STORE")
        .default(".muster/store"),
    )
    .addOption(
      new Option(
        "--profile <name>",
        `named set of policy settings: ${Object.keys(profiles).join(", ")}`,
      )
        .env("MUSTER_PROFILE").default("default"),
    );
  for (const { flag, variable, description } of settingFields) {
    command.addOption(
      new Option(`${flag} <value>`, `${description}; absent: the profile's`).env(variable),
    );
  }
  return command;
}

/** The variables that the flags stand for, and those of the environment that are no flags. */
export function variablesOf(options: Record<string, unknown>): Record<string, string> {
  const variables: Record<string, string> = {
    MUSTER_PROFILE: String(options["profile"]),
    MUSTER_LOG_LEVEL: String(options["logLevel"]),
  };
  for (const name of accessVariables) {
    if (process.env[name] !== undefined) variables[name] = process.env[name];
  }
  for (const { name, variable } of settingFields) {
    if (options[name] !== undefined) variables[variable] = String(options[name]);
  }
  return variables;
}

/** Warns of variables that begin as Muster's own do and that a command does not read: one may be mistyped. */
function warnOfUnread({ options }: Command): void {
  const read = new Set([...accessVariables, ...options.map(({ envVar }) => envVar)]);
  for (const name of Object.keys(process.env)) {
    if (!name.startsWith("MUSTER_") || read.has(name)) continue;
    log("warn", `Variable "${name}" is not used: see --help for those that are`);
  }
}

/** The flags of a command line. Where some can not be read the process ends with a line for each, and one for wrong settings. */
export function parsed(command: Command): OptionValues {
  const wrong: string[] = [];
  for (const option of command.options) {
    const { parseArg, envVar = "" } = option;
    if (!parseArg) continue;
    option.argParser((text: string, before: unknown) => {
      try {
        return parseArg(text, before);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        const where = text === process.env[envVar]
          ? `value '${text}' from env '${envVar}'`
          : `argument '${text}'`;
        wrong.push(`error: option '${option.flags}' ${where} is invalid. ${error.message}`);
        return before;
      }
    });
  }
  const options = command.parse().opts();
  warnOfUnread(command);
  if (wrong.length === 0) return options;
  try {
    settingsFrom(variablesOf(options));
  } catch (error) {
    wrong.push(`error: ${(error as Error).message}`);
  }
  return command.error(wrong.join("\n"));
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError(`"${text}" is not a number from 0 to 65535`);
}
