/**
 * Fair share: whoever has used the least of the cluster goes first; and, if you like, quotas with borrowing.
 *
 * A team is the attribute `team` of a gang, or its namespace. Its share is dominant: the largest part that it has of any
 * resource. What ran counts too, for half as much after each HALF_LIFE; and of a team's gangs that wait each counts for the
 * next one.
 *
 * TEAM_BY    namespace: whoever creates pods does not say which team they are of; absent: attribute
 * HALF_LIFE  seconds; absent: 3600
 * QUOTAS     {"research": {"nvidia.com/gpu": 8}}: what a team may have at a time; absent: anything
 * BORROW     0.5: so much more of its quota a team may have, while other teams leave as much of theirs; absent: 0
 * HISTORY    a file for what teams had; in a Worker a binding to the class History; absent: a restart forgets it
 * TOKEN      callers must have it as their bearer token; absent: anybody is answered
 *
 * @module
 */
import type {
  AdmitAnswer,
  AdmitRequest,
  Amounts,
  GangSpec,
  QueueSortAnswer,
  QueueSortRequest,
  QueueUnit,
  Running,
} from "../../packages/policy/types.ts";

/** What teams had until a moment ago. */
interface Past {
  /** In ms since the epoch: so far `recent` goes, and from then on teams have `share`. */
  readonly at: number;
  readonly share: ReadonlyMap<string, number>;
  readonly recent: ReadonlyMap<string, number>;
}

/** A gang that was let in and is not told as starting yet. */
interface Pledge {
  readonly team: string;
  readonly asks: Amounts;
  readonly until: number;
}

/** By cluster, where HISTORY names no other place. */
const histories = new Map<string, string>();
/** By cluster; Muster tells of these gangs a moment later, so that a restart may forget them. */
const pledges = new Map<string, Map<string, Pledge>>();
const pledgedMs = 60_000;

/** The share of a team, now or lately and with its gangs that go before, is the first thing in its keys. */
async function queueSort(request: QueueSortRequest, asked: Asked): Promise<QueueSortAnswer> {
  const { cluster, setting, binding } = asked;
  const teamOf = teamsBy(setting);
  const share = sharesOf(request, teamOf);
  const recent = await recentOf(share, {
    place: placeOf(binding, cluster),
    now: Date.parse(request.at ?? "") || Date.now(),
    halfLifeMs: 1000 * numberOf(setting, { name: "HALF_LIFE", absent: 3600, least: 1 }),
  });
  const used = new Map(
    [...new Set([...share.keys(), ...recent.keys()])].map((
      team,
    ) => [team, Math.max(share.get(team) ?? 0, recent.get(team) ?? 0)]),
  );
  const groups = [...Map.groupBy(request.units, groupIdOf)].map(([group, units]) => ({
    units,
    teams: new Set(units.map(({ id, gang }) => gang ? teamOf(gang) : id.split("/")[0]!)),
    rank: rankOf(group, units),
    asks: sumOf(
      new Map(units.map(({ id, gang, asks = {} }) => [gang?.name ?? id, dominantOf(asks, request)]))
        .values(),
    ),
  }));
  groups.sort((a, b) => a.rank < b.rank ? -1 : 1);
  const keys = groups.flatMap(({ units, teams, rank, asks }) => {
    const before = Math.max(...[...teams].map((team) => used.get(team) ?? 0));
    for (const team of teams) used.set(team, (used.get(team) ?? 0) + asks);
    const key = `${before.toFixed(6).padStart(12, "0")} ${rank}`.slice(0, 500);
    return units.map(({ id }) => ({ id, key }));
  });
  return { keys, askAgainSeconds: 10 };
}

/** A team that would have more than its quota waits. */
function admit(request: AdmitRequest, { cluster, setting }: Asked): AdmitAnswer {
  const teamOf = teamsBy(setting);
  const quotas = quotasOf(setting);
  const most = 1 + numberOf(setting, { name: "BORROW", absent: 0, least: 0 });
  const now = Date.parse(request.at ?? "") || Date.now();
  const running = [...request.running ?? [], ...request.starting ?? []];
  const runs = new Set(running.map(({ namespace, name }) => `${namespace}/${name}`));
  const pledged = pledges.get(cluster) ?? new Map<string, Pledge>();
  for (const [gang, { until }] of pledged) {
    if (until < now || runs.has(gang)) pledged.delete(gang);
  }
  const gangs = request.gangs.map(({ gang }) => {
    const id = `${gang.namespace}/${gang.name}`;
    return { id, team: teamOf(gang), asks: request.asks?.[id] ?? {} };
  });
  // Who has been let in stays in.
  if (gangs.every(({ id }) => pledged.has(id))) return { verdict: "allow" };
  const has = [
    ...running.map((each) => ({ team: teamOf(each), asks: each.requests })),
    ...pledged.values(),
  ];
  const usedBy = (resource: string, isCounted: (team: string) => boolean) =>
    sumOf(has.map(({ team, asks }) => isCounted(team) ? asks[resource] ?? 0 : 0));
  for (const { id, team, asks } of gangs) {
    for (const [resource, own] of Object.entries(quotas.get(team) ?? {})) {
      const wanted = sumOf(gangs.map((gang) => gang.team === team ? gang.asks[resource] ?? 0 : 0));
      if (wanted === 0) continue;
      const used = usedBy(resource, (other) => other === team);
      if (used + wanted <= own) continue;
      const lent = sumOf([...quotas.values()].map((quota) => quota[resource] ?? 0)) -
        usedBy(resource, (other) => quotas.get(other)?.[resource] !== undefined);
      if (used + wanted <= own * most && wanted <= lent) continue;
      const message = `team ${team} has ${used} of ${own} ${resource}${
        most > 1 ? `, and may borrow up to ${own * (most - 1)} that others leave` : ""
      }; ${id} asks for ${asks[resource] ?? 0}`;
      return { verdict: "wait", reason: "QuotaUsedUp", message, askAgainSeconds: 30 };
    }
  }
  for (const { id, team, asks } of gangs) pledged.set(id, { team, asks, until: now + pledgedMs });
  pledges.set(cluster, pledged);
  return { verdict: "allow" };
}

type TeamOf = (of: Pick<GangSpec | Running, "namespace" | "attributes">) => string;

function teamsBy(setting: Asked["setting"]): TeamOf {
  const isNamespace = setting("TEAM_BY") === "namespace";
  return ({ namespace, attributes }) => !isNamespace && attributes?.["team"] || namespace;
}

/** Within a team the higher priority goes first, then the older gang. */
function rankOf(group: string, units: readonly QueueUnit[]): string {
  const priority = Math.max(...units.map(({ priority }) => priority));
  const since = units.map(({ gang, queuedAt }) => gang?.createdAt ?? queuedAt).sort()[0];
  return [String(2 ** 31 - priority).padStart(10, "0"), since, group].join(" ");
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, number) => sum + number, 0);
}

function groupIdOf({ id, gang }: QueueUnit): string {
  return gang ? groupOf(gang) : `pod ${id}`;
}

function groupOf({ namespace, name, groups = [] }: GangSpec): string {
  return [...new Set([...groups, `${namespace}/${name}`])].sort().join(",");
}

/** The largest part that each team has of any resource. */
function sharesOf(request: QueueSortRequest, teamOf: TeamOf): Map<string, number> {
  const used = new Map<string, Map<string, number>>();
  for (const each of request.running ?? []) {
    const team = teamOf(each);
    const amounts = used.get(team) ?? new Map<string, number>();
    for (const [resource, amount] of Object.entries(each.requests)) {
      amounts.set(resource, (amounts.get(resource) ?? 0) + amount);
    }
    used.set(team, amounts);
  }
  return new Map(
    [...used].map(([team, amounts]) => [team, dominantOf(Object.fromEntries(amounts), request)]),
  );
}

/** The largest part that amounts are of any resource; one of which the nodes have nothing is no measure. */
function dominantOf(amounts: Amounts, { resources = [] }: QueueSortRequest): number {
  return Math.max(
    0,
    ...resources.filter(({ allocatable }) => allocatable > 0)
      .map(({ name, allocatable }) => (amounts[name] ?? 0) / allocatable),
  );
}

/** What teams had lately: it moves with the time alone, so that the same facts at the same time get the same answer. */
async function recentOf(
  share: ReadonlyMap<string, number>,
  { place, now, halfLifeMs }: { place: Place; now: number; halfLifeMs: number },
): Promise<ReadonlyMap<string, number>> {
  const { at, share: before, recent: kept } = pastFrom(await place.read()) ??
    { at: now, share, recent: new Map<string, number>() };
  if (now < at) return kept;
  const part = 2 ** (-(now - at) / halfLifeMs);
  const recent = new Map(
    [...new Set([...kept.keys(), ...before.keys()])].map((team) => {
      const had = before.get(team) ?? 0;
      return [team, had + ((kept.get(team) ?? 0) - had) * part] as const;
      // What no key shows is forgotten: anybody may make up teams.
    }).filter(([, used]) => used >= 1e-6),
  );
  await place.write(JSON.stringify({ at: now, share: [...share], recent: [...recent] }));
  return recent;
}

/** What cannot be read is forgotten. */
function pastFrom(text: string | undefined): Past | undefined {
  try {
    const { at, share, recent } = JSON.parse(text ?? "");
    return { at, share: new Map(share), recent: new Map(recent) };
  } catch {
    return undefined;
  }
}

/** Where the past of a cluster is kept. */
interface Place {
  read(): Promise<string | undefined> | string | undefined;
  write(text: string): Promise<unknown> | void;
}

function placeOf(binding: unknown, cluster: string): Place {
  if (typeof binding === "string") return fileAt(`${binding}.${encodeURIComponent(cluster)}`);
  if (typeof binding === "object" && binding !== null) return objectOf(binding, cluster);
  return {
    read: () => histories.get(cluster),
    write: (text) => void histories.set(cluster, text),
  };
}

/** A file of this machine; a write that is cut short leaves the one before. */
function fileAt(path: string): Place {
  const fs = Reflect.get(globalThis, "process").getBuiltinModule("node:fs");
  return {
    read: () => fs.existsSync(path) ? fs.readFileSync(path, "utf8") : undefined,
    write: (text) => {
      fs.writeFileSync(`${path}.new`, text);
      fs.renameSync(`${path}.new`, path);
    },
  };
}

// deno-lint-ignore no-explicit-any -- the types are those of the Workers runtime
function objectOf(history: any, cluster: string): Place {
  const object = history.get(history.idFromName(cluster));
  const ask = async (init?: RequestInit) =>
    await (await object.fetch("http://history/", init)).text();
  return { read: () => ask(), write: (body) => ask({ method: "PUT", body }) };
}

/** Keeps a text in a durable object. */
export class History {
  readonly #storage: {
    get(key: string): Promise<string | undefined>;
    put(key: string, text: string): Promise<void>;
  };

  constructor({ storage }: { storage: unknown }) {
    this.#storage = storage as never;
  }

  /** PUT keeps the body, anything else answers with it. */
  async fetch(request: Request): Promise<Response> {
    if (request.method === "PUT") await this.#storage.put("past", await request.text());
    return new Response(await this.#storage.get("past") ?? "");
  }
}

/** What is known beside the facts. */
interface Asked {
  readonly cluster: string;
  /** A variable: of a Worker, or of the process. */
  readonly setting: (name: string) => string | undefined;
  /** What HISTORY names. */
  readonly binding: unknown;
}

/** What is wrong is not the call. */
class WrongSetting extends Error {}

function numberOf(
  setting: Asked["setting"],
  { name, absent, least }: { name: string; absent: number; least: number },
): number {
  const value = Number(setting(name) ?? absent);
  if (value >= least && value < Infinity) return value;
  throw new WrongSetting(`${name} must be a number of ${least} or more`);
}

function quotasOf(setting: Asked["setting"]): Map<string, Amounts> {
  try {
    const quotas = Object.entries<Amounts>(JSON.parse(setting("QUOTAS") ?? "{}"));
    const amounts = quotas.flatMap(([, quota]) => Object.values(quota));
    if (amounts.every(Number.isFinite)) return new Map(quotas);
  } catch {
    // As if it said something else.
  }
  throw new WrongSetting('QUOTAS must be like {"research": {"nvidia.com/gpu": 8}}');
}

const largestBody = 8 * 1024 * 1024;

export default {
  /** Answers `POST /v1/queue-sort` and `POST /v1/admit`. */
  async fetch(request: Request, env: object = {}): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!["/v1/queue-sort", "/v1/admit"].includes(pathname)) return problem(404, "no such stage");
    if (request.method !== "POST") return problem(405, "a stage is asked by POST");
    const process: { env?: object } = Reflect.get(globalThis, "process") ?? {};
    const all: object = { ...process.env, ...env };
    const token: string = Reflect.get(all, "TOKEN") ?? "";
    if (token && request.headers.get("authorization") !== `Bearer ${token}`) {
      return problem(401, "a bearer token is needed");
    }
    const text = await request.text();
    if (text.length > largestBody) return problem(413, "the body is too large");
    const asked = {
      cluster: request.headers.get("x-muster-cluster") ?? "default",
      setting: (name: string) => Reflect.get(all, name),
      binding: Reflect.get(all, "HISTORY"),
    };
    try {
      const body = JSON.parse(text);
      return Response.json(
        pathname === "/v1/admit" ? admit(body, asked) : await queueSort(body, asked),
      );
    } catch (error) {
      return problem(error instanceof WrongSetting ? 500 : 400, (error as Error).message);
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
