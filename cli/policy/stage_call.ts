/**
 * One call of a stage that somebody else answers than Muster's functions.
 *
 * @module
 */
import type { Fetch } from "../../shared/client/fetch.ts";
import type { TokenSource } from "../../shared/client/http_stages.ts";
import { textWithin } from "../../shared/client/text_within.ts";
import { inContract } from "../../shared/contract/check.ts";
import * as answers from "../../shared/contract/stage_answers.ts";
import type * as v from "../../shared/contract/valibot.ts";
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import { limits } from "../../shared/core/gang/limits.ts";
import { policyText } from "../../shared/core/words/policy_text.ts";

/** What each stage answers. */
const answerSchemas = {
  "queue-sort": answers.QueueSortAnswer,
  prefilter: answers.Admission,
  permit: answers.Decision,
  postfilter: answers.Decision,
  unreserve: answers.Decision,
  admit: answers.AdmitAnswer,
} as const satisfies Record<StageName, v.GenericSchema>;

/** What a stage answers. */
export type AnswerOf<Stage extends StageName> = v.InferOutput<(typeof answerSchemas)[Stage]>;

/** Where a stage is, and how it is asked. */
export interface StageAddress<Stage extends StageName = StageName> {
  readonly stage: Stage;
  /** The policy's URL, without `/v1/<stage>`. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly token?: TokenSource | undefined;
}

/** Nothing that a stage says is longer: keys of a thousand gang groups fit. */
const longestAnswer = 4 * 1024 * 1024;

/**
 * Asks a stage once, for a cluster.
 *
 * @throws {Error} that says why there is no answer that can be used.
 */
export async function callStage<Stage extends StageName>(
  { stage, url, timeoutMs, token }: StageAddress<Stage>,
  { body, fetch, headers = {} }: {
    body: unknown;
    fetch: Fetch;
    headers?: Record<string, string>;
  },
): Promise<AnswerOf<Stage>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...headers,
      ...(token && { authorization: `Bearer ${await token()}` }),
    },
    body: JSON.stringify(body),
    // A credential goes where it was told to go, and nowhere else.
    redirect: "manual",
    signal,
  };
  try {
    const response = await fetch(`${url}/v1/${stage}`, init);
    const text = await textOf(response);
    if (response.ok) return readAnswer(stage, text);
    throw new Error(`HTTP ${response.status}: ${policyText(text, limits.policyWord)}`);
  } catch (error) {
    if (signal.aborted) throw new Error(`no answer within ${timeoutMs / 1000} s`);
    throw error;
  }
}

/**
 * What a stage's answer says.
 *
 * @throws {Error} that names the field that is not as the contract has it.
 */
export function readAnswer<Stage extends StageName>(stage: Stage, text: string): AnswerOf<Stage> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`the answer is no JSON: "${policyText(text, 64)}"`);
  }
  const schema = answerSchemas[stage] as v.GenericSchema;
  const fail = (wrong: string) => new Error(`the answer does not follow the contract: ${wrong}`);
  return inContract(value, { schema, fail }) as AnswerOf<Stage>;
}

async function textOf(response: Response): Promise<string> {
  const text = await textWithin(response, longestAnswer);
  if (text === undefined) throw new Error(`the answer is longer than ${longestAnswer} bytes`);
  return text;
}
