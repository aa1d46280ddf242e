/**
 * Flags without a value, as the environment sets them.
 *
 * @module
 */
import type { Command } from "commander";

/** Of a command that has parsed: commander takes such a flag for set whatever its variable says. */
export function readSwitches(command: Command): void {
  for (const option of command.options.filter((option) => option.isBoolean())) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== "env") continue;
    const isSet = !["", "0", "false"].includes(Deno.env.get(option.envVar!) ?? "");
    command.setOptionValueWithSource(name, isSet, "env");
  }
}
