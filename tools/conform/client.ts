/**
 * How the suite asks a stage.
 *
 * @module
 */
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import { type AnswerOf, readAnswer } from "../../cli/policy/stage_call.ts";
import type { Body } from "./samples.ts";

/** Where the stages are. */
export interface Target {
  /** Without `/v1/<stage>`. */
  readonly url: string;
  readonly token?: string | undefined;
}

/** What a call was answered with. */
export interface Said {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

/** So long an answer is waited for. */
const patienceMs = 10_000;

/** Posts a text to a stage. */
export async function post(
  { url, token }: Target,
  { stage, text, method = "POST" }: { stage: StageName; text: string; method?: string },
): Promise<Said> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/v1/${stage}`, {
    method,
    headers: {
      "content-type": "application/json",
      "x-muster-cluster": "conformance",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(method === "POST" && { body: text }),
    redirect: "manual",
    signal: AbortSignal.timeout(patienceMs),
  });
  const said = await response.text();
  return { status: response.status, text: said, tookMs: performance.now() - startedAt };
}

/**
 * The answer to facts that follow the contract.
 *
 * @throws {Error} where it does not follow it.
 */
export async function ask<Stage extends StageName>(
  target: Target,
  stage: Stage,
  body: Body,
): Promise<AnswerOf<Stage>> {
  const { status, text } = await post(target, { stage, text: JSON.stringify(body) });
  if (status !== 200) throw new Error(`HTTP ${status}: ${text.slice(0, 200)}`);
  return readAnswer(stage, text);
}

/** Whether something answers a stage at all. */
export async function isServed(target: Target, stage: StageName): Promise<boolean> {
  const { status } = await post(target, { stage, text: "{}" });
  return status !== 404;
}
