/**
 * A policy for Muster. It answers two stages; leave out the one that you do not need.
 *
 * Served by `deno serve`, by workerd, or by `wrangler deploy`, all of which take this file as it is.
 *
 * @module
 */

/** What gangs are told by: the whole contract is at GET /openapi.json of Muster's functions. */
export interface Gang {
  namespace: string;
  name: string;
  minMember: number;
  priority?: number;
  createdAt: string;
  /** A gang group: all of them start together. */
  groups?: string[];
  /** Annotations `policy.muster.scheduling/<key>` of its pods or its PodGroup. */
  attributes?: Record<string, string>;
}

/** Something that queues; without a gang it is a regular pod. */
export interface Unit {
  id: string;
  gang?: Gang;
  priority: number;
  queuedAt: string;
}

/** The string order of the keys is the order in which units start. Every unit of a gang group needs the same key. */
export function keyOf(units: Unit[]): string {
  const priority = Math.max(...units.map(({ priority }) => priority));
  const since = units.map(({ gang, queuedAt }) => gang?.createdAt ?? queuedAt).sort()[0];
  return `${String(2 ** 31 - priority).padStart(10, "0")} ${since} ${groupOf(units[0]!)}`;
}

/** Whether gangs that could start now may. */
export function admit(gangs: Gang[]): object {
  const unpaid = gangs.find(({ attributes }) => attributes?.["paid"] === "no");
  if (!unpaid) return { verdict: "allow" };
  return {
    verdict: "wait",
    reason: "Unpaid",
    message: `${unpaid.namespace}/${unpaid.name} says that it is not paid for`,
    askAgainSeconds: 60,
  };
}

function groupOf({ id, gang }: Unit): string {
  if (!gang) return `pod ${id}`;
  const groups = [...gang.groups ?? [], `${gang.namespace}/${gang.name}`];
  return [...new Set(groups)].sort().join(",").slice(0, 400);
}

function queueSort(units: Unit[]): object {
  const groups = Map.groupBy(units, groupOf);
  return { keys: units.map((unit) => ({ id: unit.id, key: keyOf(groups.get(groupOf(unit))!) })) };
}

const largestBody = 8 * 1024 * 1024;

export default {
  /** Answers `POST /v1/queue-sort` and `POST /v1/admit`; a Worker that has a secret TOKEN only to whoever has it too. */
  async fetch(request: Request, env: { TOKEN?: string } = {}): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!["/v1/queue-sort", "/v1/admit"].includes(pathname)) return problem(404, "no such stage");
    if (request.method !== "POST") return problem(405, "a stage is asked by POST");
    if (env.TOKEN && request.headers.get("authorization") !== `Bearer ${env.TOKEN}`) {
      return problem(401, "a bearer token is needed");
    }
    const text = await request.text();
    if (text.length > largestBody) return problem(413, "the body is too large");
    try {
      const body = JSON.parse(text);
      return Response.json(
        pathname === "/v1/admit"
          ? admit(body.gangs.map(({ gang }: { gang: Gang }) => gang))
          : queueSort(body.units),
      );
    } catch (error) {
      return problem(400, (error as Error).message);
    }
  },
};

function problem(status: number, detail: string): Response {
  const headers = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify({ title: "Not answered", status, detail }), {
    status,
    headers,
  });
}
