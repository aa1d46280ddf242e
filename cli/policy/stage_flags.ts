/**
 * The flags that name stages of a team's own.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Fetch } from "../../shared/client/fetch.ts";
import type { Log } from "../../shared/client/log.ts";
import {
  type FailureMode,
  failureModes,
  type StageName,
  stageNames,
  usualFailureMode,
} from "../../shared/core/attend/stage_health.ts";
import { isLoopbackName } from "../../shared/http/loopback.ts";
import { durationSeconds } from "../../shared/kubernetes/declaring/duration.ts";
import { parseUrl } from "../flag_values.ts";
import { callStage, type StageAddress } from "./stage_call.ts";
import { tokenFile } from "./token_file.ts";

/** Values by stage. */
type ByStage<Value> = Readonly<Partial<Record<StageName, Value>>>;

/** What the flags say. */
export interface StageFlags {
  readonly stageUrl: ByStage<string>;
  readonly shadowStage: ByStage<string>;
  readonly stageTokenFile: ByStage<string>;
  readonly stageTimeout: ByStage<number>;
  readonly stageFailure: ByStage<FailureMode>;
}

/** In ms: a gang waits for no stage longer, unless it is told to. */
const usualTimeoutMs = 2000;

/** Adds `--stage-url` and what belongs to it; a variable has several separated by spaces. */
export function addStages(command: Command): Command {
  const names = stageNames.join(", ");
  return command
    .addOption(
      byStage(
        "--stage-url <stage=url>",
        `a stage that a policy of your own answers at <url>/v1/<stage>: ${names}; admit is asked only here`,
      )
        .env("MUSTER_STAGE_URL").argParser(parser(urlOf)),
    )
    .addOption(
      byStage(
        "--shadow-stage <stage=url>",
        "a policy that is asked too and never obeyed: GET /stages lists where it would decide otherwise",
      )
        .env("MUSTER_SHADOW_STAGE").argParser(parser(urlOf)),
    )
    .addOption(
      byStage("--stage-token-file <stage=file>", "bearer token for it, read for every call")
        .env("MUSTER_STAGE_TOKEN_FILE").argParser(parser((text) => text)),
    )
    .addOption(
      byStage(
        "--stage-timeout <stage=duration>",
        `how long its answer is waited for; absent: ${usualTimeoutMs / 1000}s`,
      )
        .env("MUSTER_STAGE_TIMEOUT").argParser(parser(timeoutOf)),
    )
    .addOption(
      byStage(
        "--stage-failure <stage=mode>",
        "while it fails, Muster's functions answer (built-in), or gangs wait (wait); absent: wait, for queue-sort built-in",
      )
        .env("MUSTER_STAGE_FAILURE").argParser(parser(modeOf)),
    );
}

function byStage(flags: string, description: string): Option {
  return new Option(flags, description).default({}, "none");
}

/** A stage of one's own, ready to be asked. */
export interface NamedStage extends StageAddress {
  readonly failureMode: FailureMode;
}

/**
 * The stages that the flags name, and the shadows.
 *
 * @throws {Error} where a flag names a stage that has no URL, or a token can not be read.
 */
export async function namedStages(
  flags: StageFlags,
  log: Log,
): Promise<{ own: NamedStage[]; shadows: StageAddress[] }> {
  const { stageUrl, shadowStage } = flags;
  for (const flag of ["stageTokenFile", "stageTimeout", "stageFailure"] as const) {
    for (const stage of Object.keys(flags[flag]) as StageName[]) {
      if (stageUrl[stage] ?? (flag !== "stageFailure" && shadowStage[stage])) continue;
      const name = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      throw new Error(`--${name} names stage "${stage}", which has no --stage-url: give both`);
    }
  }
  const addressesOf = (urls: ByStage<string>) =>
    Promise.all(
      Object.entries(urls).map(([stage, url]) =>
        addressOf(stage as StageName, { url, flags, log })
      ),
    );
  return {
    own: (await addressesOf(stageUrl)).map((address) => ({
      ...address,
      failureMode: flags.stageFailure[address.stage] ?? usualFailureMode(address.stage),
    })),
    shadows: await addressesOf(shadowStage),
  };
}

/** How a stage is asked for a cluster. */
export function askerOf(
  address: StageAddress,
  { cluster, fetch }: { cluster: string; fetch: Fetch },
) {
  return (body: unknown, requestId: string) =>
    callStage(address, {
      body,
      fetch,
      headers: { "x-muster-cluster": cluster, "x-request-id": requestId },
    });
}

async function addressOf(
  stage: StageName,
  { url, flags, log }: { url: string; flags: StageFlags; log: Log },
): Promise<StageAddress> {
  const { protocol, hostname, username, password } = new URL(url);
  // It would be in messages, and in the log.
  if (username || password) {
    throw new Error(`The URL of stage ${stage} holds a credential: use --stage-token-file`);
  }
  const timeoutMs = flags.stageTimeout[stage] ?? usualTimeoutMs;
  const file = flags.stageTokenFile[stage];
  if (file === undefined) return { stage, url, timeoutMs };
  if (protocol === "http:" && !isLoopbackName(hostname)) {
    log(
      "warn",
      `The token for stage ${stage} crosses the network unencrypted: use an https URL`,
    );
  }
  const token = tokenFile(file, `stage ${stage}`);
  // A wrong file stops the start.
  await token();
  return { stage, url, timeoutMs, token };
}

/** Reads `<stage>=<value>`, several of a variable; each stage once. */
function parser<Value>(
  read: (text: string) => Value,
): (text: string, before: ByStage<Value>) => ByStage<Value> {
  return (text, before) => {
    const values: Partial<Record<StageName, Value>> = { ...before };
    for (const word of text.trim().split(/\s+/).filter((word) => word !== "")) {
      const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(word) ?? [];
      const stage = stageNames.find((stage) => stage === name);
      if (!stage || value === "") {
        throw new InvalidArgumentError(
          `"${word}" is not <stage>=<value> with one of ${stageNames.join(", ")}`,
        );
      }
      values[stage] = read(value);
    }
    return values;
  };
}

/** Whether it names the stage or not. */
function urlOf(text: string): string {
  return parseUrl(text).replace(/\/v1\/[a-z-]+$/, "").replace(/\/$/, "");
}

function timeoutOf(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds !== undefined && seconds >= 0.001 && seconds <= 60) return seconds * 1000;
  throw new InvalidArgumentError(`"${text}" is not a duration up to 60s, as "500ms"`);
}

function modeOf(text: string): FailureMode {
  const mode = failureModes.find((mode) => mode === text);
  if (mode) return mode;
  throw new InvalidArgumentError(`"${text}" is none of ${failureModes.join(", ")}`);
}
