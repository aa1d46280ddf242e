/**
 * Facts to try a policy on, short enough for a line of a test.
 *
 * @module
 */
import type {
  AdmitAnswer,
  AdmitRequest,
  Amounts,
  ClusterFacts,
  GangSpec,
  QueueSortAnswer,
  QueueUnit,
} from "./types.ts";

/** What serves a policy. */
interface Served {
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>;
}

/** When these facts are taken, unless told otherwise: a Monday at noon. */
export const noon = "2026-03-02T12:00:00Z";

/** Gang default/a of two members, which waits since an hour before {@linkcode noon}, but for `parts`. */
export function gang(parts: Partial<GangSpec> = {}): GangSpec {
  return {
    namespace: "default",
    name: "a",
    minMember: 2,
    priority: 0,
    createdAt: "2026-03-02T11:00:00Z",
    ...parts,
  };
}

/** A gang as it queues. */
export function unit(spec: GangSpec, parts: Partial<QueueUnit> = {}): QueueUnit {
  return {
    id: `${spec.namespace}/${spec.name}`,
    gang: spec,
    priority: spec.priority ?? 0,
    queuedAt: spec.createdAt,
    ...parts,
  };
}

/** A gang that could start, whose members ask for so much together. */
export function admitRequest(
  spec: GangSpec,
  { asks = {}, ...cluster }: ClusterFacts & { asks?: Amounts } = {},
): AdmitRequest {
  const census = {
    pending: spec.minMember,
    gated: 0,
    bound: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    terminating: 0,
  };
  return {
    relay: { id: "test", epoch: 1 },
    gangs: [{ gang: spec, census, held: [] }],
    at: noon,
    ...cluster,
    asks: { [`${spec.namespace}/${spec.name}`]: asks },
  };
}

/** Asks a policy as Muster does; `env` has its variables. */
export async function admit(
  policy: Served,
  request: AdmitRequest,
  env: Record<string, string> = {},
): Promise<AdmitAnswer> {
  return await ask(policy, { stage: "admit", request, env });
}

/** The ids of units in the order in which a policy has them start. */
export async function order(
  policy: Served,
  units: readonly QueueUnit[],
  { env = {}, ...cluster }: ClusterFacts & { env?: Record<string, string> } = {},
): Promise<string[]> {
  const request = { units, at: noon, ...cluster };
  const { keys }: QueueSortAnswer = await ask(policy, { stage: "queue-sort", request, env });
  return keys.toSorted((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0).map(({ id }) => id);
}

async function ask<T>(
  policy: Served,
  { stage, request, env }: { stage: string; request: unknown; env: object },
): Promise<T> {
  const response = await policy.fetch(
    new Request(`http://policy/v1/${stage}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    }),
    env,
  );
  if (response.ok) return await response.json();
  throw new Error(`HTTP ${response.status}: ${await response.text()}`);
}
