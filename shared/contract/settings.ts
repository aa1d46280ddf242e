/**
 * Settings as users write them: flags, environment variables, and a Worker's variables.
 *
 * @module
 */
import { backfillOf, backfillRules } from "../core/gang/backfill.ts";
import { isProfileName, profiles, type Settings } from "../core/gang/settings.ts";
import { check } from "./check.ts";
import * as v from "./valibot.ts";

/** One setting that can be given by itself, beside a profile. */
export interface SettingField {
  readonly name: keyof Settings;
  /** `MUSTER_WAIT_SECONDS`. */
  readonly variable: string;
  /** `--wait-seconds`. */
  readonly flag: string;
  readonly description: string;
  /** The settings with what a text says, or what is wrong with it. */
  readonly take: (settings: Settings, text: unknown) => Settings | { readonly wrong: string };
}

// Schemas are functions: an isolate makes those of the settings that it is given.
const flag = () => v.pipe(v.picklist(["true", "false"]), v.transform((text) => text === "true"));
const seconds = () => v.pipe(v.unknown(), v.toNumber("must be a number"));

/** Every setting, in the order in which it is documented. */
export const settingFields: readonly SettingField[] = [
  field("queueTime", {
    description: "the time that places a gang among its equals",
    schema: () => v.picklist(["creation", "creation-or-failure", "failure"]),
  }),
  field("gangSwitch", {
    description: "whether a gang that comes while the last one is incomplete makes that one fail",
    schema: flag,
  }),
  field("matchPolicy", {
    description: "members that count towards quorum, for gangs that do not say",
    schema: () => v.picklist(["once-satisfied", "waiting-and-running", "only-waiting"]),
  }),
  field("waitSeconds", {
    description: "longest wait from the first held member on, for gangs that do not say",
    schema: () => v.pipe(seconds(), v.gtValue(0), v.maxValue(7 * 24 * 3600)),
  }),
  field("parkAfterTimeout", {
    description: "whether a gang that timed out is annotated and never tried again",
    schema: flag,
  }),
  field("memberFailure", {
    description: "when a member that no node can take fails its gang's round",
    schema: () => v.picklist(["fail-round", "fail-round-at-once", "let-nobody-go"]),
  }),
  field("closedSeconds", {
    description: "how long a gang stays closed after a failed round",
    schema: () => v.pipe(seconds(), v.minValue(0), v.maxValue(3600)),
  }),
  field("backfill", {
    description: `which gangs may pass one that waits for room: ${backfillRules}`,
    schema: () =>
      v.pipe(
        v.string(),
        v.check((rule) => backfillOf(rule) !== undefined, `must be ${backfillRules}`),
      ),
  }),
];

/** Variables by name, as a process's environment or a Worker's bindings have them. */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * The settings that a profile (`MUSTER_PROFILE`) and single settings give.
 *
 * @throws {RangeError} that names everything that is wrong at once.
 */
export function settingsFrom(variables: Variables): Settings {
  const profile = String(variables["MUSTER_PROFILE"] ?? "default");
  const wrong: string[] = [];
  if (!isProfileName(profile)) {
    wrong.push(
      `MUSTER_PROFILE is "${profile}", but must be one of "${Object.keys(profiles).join('", "')}"`,
    );
  }
  let settings: Settings = profiles[isProfileName(profile) ? profile : "default"];
  for (const { variable, take } of settingFields) {
    const text = variables[variable];
    if (text === undefined || text === "") continue;
    const taken = take(settings, text);
    if ("wrong" in taken) wrong.push(`${variable} is "${text}": ${taken.wrong}`);
    else settings = taken;
  }
  if (wrong.length > 0) throw new RangeError(`Cannot use these settings: ${wrong.join("; ")}`);
  return settings;
}

function field<Name extends keyof Settings>(
  name: Name,
  { description, schema }: {
    description: string;
    schema: () => v.GenericSchema<unknown, Settings[Name]>;
  },
): SettingField {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return {
    name,
    flag: `--${words}`,
    variable: `MUSTER_${words.replaceAll("-", "_").toUpperCase()}`,
    description,
    take: (settings, text) => {
      const { success, output, issues } = check(schema(), text);
      return success ? { ...settings, [name]: output } : { wrong: issues[0].message };
    },
  };
}
