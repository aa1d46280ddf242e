/**
 * A core that asks a policy while it decides: it stays a pure, synchronous function of the answers.
 *
 * @module
 */
import { type StageName, stageNames } from "../../shared/core/attend/stage_health.ts";
import type { LoadedPolicy } from "./load_policy.ts";

/** Yields what the stages of a policy are asked, and goes on with their answers. */
export type Deciding<Result> = Generator<
  { readonly stage: StageName; readonly body: unknown },
  Result,
  unknown
>;

/** The stages that a policy answers. */
export function stagesOf(policy: LoadedPolicy): StageName[] {
  return stageNames.filter((stage) => policy.has(stage));
}

/**
 * What comes out of it where a policy answers.
 *
 * @throws {Error} where the policy fails.
 */
export async function decided<Result>(
  deciding: Deciding<Result>,
  policy: LoadedPolicy,
): Promise<Result> {
  let step = deciding.next();
  while (!step.done) {
    const { stage, body } = step.value;
    step = deciding.next(await policy.ask(stage, body));
  }
  return step.value;
}
