/**
 * What a policy of one's own is asked in a simulation.
 *
 * @module
 */
import type { Deciding } from "../../policy/deciding.ts";
import type { AnswerOf } from "../../policy/stage_call.ts";
import type { Cluster } from "../../../shared/cluster/cluster.ts";
import { policyFacts } from "../../../shared/cluster/policy_facts.ts";
import { isToBeAdmitted, keyProblem, wordOf } from "../../../shared/core/attend/own_stage.ts";
import type { StageName } from "../../../shared/core/attend/stage_health.ts";
import { gangId, type Group, type PolicyWord } from "../../../shared/core/gang/facts.ts";
import type { QueueKey, QueueUnit } from "../../../shared/core/queue/order.ts";
import type { Admission } from "../../../shared/core/stage/decision.ts";
import { Failure } from "../failure.ts";

/** Whom, about which cluster. */
export interface Asked {
  readonly cluster: Cluster;
  readonly stages: readonly StageName[];
  /** In ms since the epoch. */
  readonly now: number;
}

/** The keys of a policy's own order. */
export function* ownKeys(
  units: readonly QueueUnit[],
  asked: Asked,
): Deciding<readonly QueueKey[]> {
  const { asks } = policyFacts(asked.cluster);
  const told = units.map((unit) => unit.gang ? { ...unit, asks: asks(unit.id) } : unit);
  const body = { units: told, ...clusterFacts(asked) };
  const { keys } = (yield { stage: "queue-sort", body }) as AnswerOf<"queue-sort">;
  const problem = keyProblem(units, keys);
  if (problem !== undefined) throw new Failure(`Cannot use the policy's order: ${problem}`);
  return keys;
}

/** Why the policy lets a group wait that could start; undefined: it does not. */
export function* ownWord(
  facts: Group,
  { admission, asked }: { admission: Admission; asked: Asked },
): Deciding<PolicyWord | undefined> {
  if (!asked.stages.includes("admit") || !isToBeAdmitted(facts, admission)) return undefined;
  const { asks } = policyFacts(asked.cluster);
  const ids = facts.gangs.map(({ gang }) => gangId(gang));
  const body = {
    ...facts,
    ...clusterFacts(asked),
    asks: Object.fromEntries(ids.map((id) => [id, asks(id)])),
  };
  return wordOf((yield { stage: "admit", body }) as AnswerOf<"admit">);
}

function clusterFacts({ cluster, now }: Asked) {
  const facts = policyFacts(cluster);
  return {
    at: new Date(now).toISOString(),
    resources: facts.resources(),
    running: facts.running(),
  };
}
