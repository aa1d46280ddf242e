/**
 * Fair share: whoever has used the least of the cluster goes first; and, if you like, quotas with borrowing.
 *
 * A team is the attribute `team` of a gang, or its namespace. Its share is dominant: the largest part that it has of any
 * resource. What ran counts too, for half as much after each HALF_LIFE.
 *
 * HALF_LIFE  seconds; absent: 3600
 * QUOTAS     {"research": {"nvidia.com/gpu": 8}}: what a team may have at a time; absent: anything
 * BORROW     0.5: so much more of its quota a team may have; absent: 0
 * HISTORY    a file for what teams had; in a Worker a binding to the class History; absent: a restart forgets it
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

/** The share of a team, now or lately, is the first thing in its keys. */
async function queueSort(
  request: QueueSortRequest,
  { cluster, setting, binding }: Asked,
): Promise<QueueSortAnswer> {
  const share = sharesOf(request);
  const recent = await recentOf(share, {
    place: placeOf(binding, cluster),
    now: Date.parse(request.at ?? "") || Date.now(),
    halfLifeMs: Number(setting("HALF_LIFE") ?? 3600) * 1000,
  });
  const groups = new Map<string, QueueUnit[]>();
  for (const unit of request.units) {
    const group = unit.gang ? groupOf(unit.gang) : `pod ${unit.id}`;
    groups.set(group, [...groups.get(group) ?? [], unit]);
  }
  const keys = [...groups].flatMap(([group, units]) => {
    const teams = units.map(({ id, gang }) => gang ? teamOf(gang) : id.split("/")[0]!).sort();
    const used = Math.max(share.get(teams[0]!) ?? 0, recent.get(teams[0]!) ?? 0);
    const priority = Math.max(...units.map(({ priority }) => priority));
    const since = units.map(({ gang, queuedAt }) => gang?.createdAt ?? queuedAt).sort()[0];
    const key = [used.toFixed(6).padStart(12, "0"), 2 ** 31 - priority, since, group].join(" ")
      .slice(0, 500);
    return units.map(({ id }) => ({ id, key }));
  });
  return { keys, askAgainSeconds: 10 };
}

/** A team that would have more than its quota waits. */
function admit(request: AdmitRequest, { cluster, setting }: Asked): AdmitAnswer {
  const quotas: Record<string, Amounts> = JSON.parse(setting("QUOTAS") ?? "{}");
  const most = 1 + Number(setting("BORROW") ?? 0);
  const now = Date.parse(request.at ?? "") || Date.now();
  const runs = new Set(
    [...request.running ?? [], ...request.starting ?? []]
      .map(({ namespace, name }) => `${namespace}/${name}`),
  );
  const pledged = pledges.get(cluster) ?? new Map<string, Pledge>();
  for (const [gang, { until }] of pledged) {
    if (until < now || runs.has(gang)) pledged.delete(gang);
  }
  const gangs = request.gangs.map(({ gang }) => ({ id: `${gang.namespace}/${gang.name}`, gang }));
  // Who has been let in stays in.
  if (gangs.every(({ id }) => pledged.has(id))) return { verdict: "allow" };
  for (const { id, gang } of gangs) {
    const team = teamOf(gang);
    const quota = Object.hasOwn(quotas, team) ? quotas[team]! : {};
    const asks = request.asks?.[id] ?? {};
    const others = [
      ...[...request.running ?? [], ...request.starting ?? []]
        .filter((each) => teamOf(each) === team).map(({ requests }) => requests),
      ...[...pledged.values()].filter((pledge) => pledge.team === team).map(({ asks }) => asks),
    ];
    for (const [resource, own] of Object.entries(quota)) {
      const used = others.reduce((sum, amounts) => sum + (amounts[resource] ?? 0), 0);
      if (used + (asks[resource] ?? 0) <= own * most) continue;
      const message = `team ${team} has ${used} of ${own * most} ${resource}, and ${id} asks for ${
        asks[resource]
      }`;
      return { verdict: "wait", reason: "QuotaUsedUp", message, askAgainSeconds: 30 };
    }
  }
  for (const { id, gang } of gangs) {
    pledged.set(id, {
      team: teamOf(gang),
      asks: request.asks?.[id] ?? {},
      until: now + pledgedMs,
    });
  }
  pledges.set(cluster, pledged);
  return { verdict: "allow" };
}

function teamOf({ namespace, attributes }: Pick<GangSpec | Running, "namespace" | "attributes">) {
  return attributes?.["team"] || namespace;
}

function groupOf({ namespace, name, groups = [] }: GangSpec): string {
  return [...new Set([...groups, `${namespace}/${name}`])].sort().join(",");
}

/** The largest part that each team has of any resource. */
function sharesOf({ running = [], resources = [] }: QueueSortRequest): Map<string, number> {
  const used = new Map<string, Map<string, number>>();
  for (const each of running) {
    const team = teamOf(each);
    const amounts = used.get(team) ?? new Map<string, number>();
    for (const [resource, amount] of Object.entries(each.requests)) {
      amounts.set(resource, (amounts.get(resource) ?? 0) + amount);
    }
    used.set(team, amounts);
  }
  return new Map([...used].map(([team, amounts]) => [
    team,
    Math.max(
      0,
      ...resources.map(({ name, allocatable }) => (amounts.get(name) ?? 0) / allocatable),
    ),
  ]));
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
  const recent = new Map([...kept.keys(), ...before.keys()].map((team) => {
    const had = before.get(team) ?? 0;
    return [team, had + ((kept.get(team) ?? 0) - had) * part];
  }));
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

const largestBody = 8 * 1024 * 1024;

export default {
  /** Answers `POST /v1/queue-sort` and `POST /v1/admit`. */
  async fetch(request: Request, env: object = {}): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!["/v1/queue-sort", "/v1/admit"].includes(pathname)) return problem(404, "no such stage");
    if (request.method !== "POST") return problem(405, "a stage is asked by POST");
    const text = await request.text();
    if (text.length > largestBody) return problem(413, "the body is too large");
    const process: { env?: object } = Reflect.get(globalThis, "process") ?? {};
    const all: object = { ...process.env, ...env };
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
