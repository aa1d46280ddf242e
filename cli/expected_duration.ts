/**
 * The option that says how long gangs run of which nothing else is known.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { durationSeconds } from "../shared/kubernetes/declaring/duration.ts";

/** Adds `--expected-duration`: its value is in seconds. */
export function addExpectedDuration(command: Command): Command {
  return command.addOption(
    new Option(
      "--expected-duration <duration>",
      'how long a gang is taken to run of which nothing else is known, as "4h"; absent: nobody knows when it ends',
    )
      .env("MUSTER_EXPECTED_DURATION").argParser(parseDuration),
  );
}

function parseDuration(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError(`"${text}" is not a duration above 0, as "90m" or "1h30m"`);
}
