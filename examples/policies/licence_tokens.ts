/**
 * Licences: a gang starts when the licence server has as many tokens as it names.
 *
 * A gang names them by the annotation `policy.muster.scheduling/licences: "matlab=2 ansys=1"`.
 *
 * LICENCE_SERVER  a URL that answers {"matlab": {"total": 10, "used": 7}, ...}: what is used counts wherever it is used
 * LICENCES        {"matlab": 10}, where there is no server: then only what runs in the cluster counts
 * TOKEN           callers must have it as their bearer token; absent: anybody is answered
 *
 * @module
 */
import type { AdmitAnswer, AdmitRequest, GangSpec } from "../../packages/policy/types.ts";

/** Tokens by feature. */
type Tokens = Map<string, number>;

/** Let in, and not told as starting yet: by cluster and gang, until when, in ms since the epoch. A restart may forget them. */
const pledges = new Map<string, Map<string, { tokens: Tokens; until: number }>>();
const pledgedMs = 60_000;

async function admit(
  { gangs, running = [], starting = [], at }: AdmitRequest,
  { cluster, setting }: Asked,
): Promise<AdmitAnswer> {
  const now = Date.parse(at ?? "") || Date.now();
  const runs = new Set(
    [...running, ...starting].map(({ namespace, name }) => `${namespace}/${name}`),
  );
  const pledged = pledges.get(cluster) ?? new Map();
  for (const [gang, { until }] of pledged) {
    if (until < now || runs.has(gang)) pledged.delete(gang);
  }
  const asked = gangs.map(({ gang }) => ({
    id: `${gang.namespace}/${gang.name}`,
    tokens: tokensOf(gang),
  }));
  // Who has been let in stays in.
  if (asked.every(({ id, tokens }) => tokens.size === 0 || pledged.has(id))) {
    return { verdict: "allow" };
  }
  const inCluster = sumOf(running.map(tokensOf));
  const has = new Set(running.map(({ namespace, name }) => `${namespace}/${name}`));
  const comes = starting.filter(({ namespace, name }) => !has.has(`${namespace}/${name}`));
  const promised = sumOf([
    ...comes.map(tokensOf),
    ...[...pledged.values()].map(({ tokens }) => tokens),
  ]);
  const server = await serverTokens(setting);
  for (const [feature, needed] of sumOf(asked.map(({ tokens }) => tokens))) {
    const { total = 0, used = 0 } = server.get(feature) ?? {};
    const free = total - Math.max(used, inCluster.get(feature) ?? 0) - (promised.get(feature) ?? 0);
    if (needed <= free) continue;
    const message =
      `needs ${needed} licences of ${feature}, and ${Math.max(0, free)} of ${total} ` +
      "are free";
    return { verdict: "wait", reason: "LicencesUsedUp", message, askAgainSeconds: 15 };
  }
  for (const { id, tokens } of asked) pledged.set(id, { tokens, until: now + pledgedMs });
  pledges.set(cluster, pledged);
  return { verdict: "allow" };
}

/** What cannot be read is not asked for. */
function tokensOf({ attributes }: Pick<GangSpec, "attributes">): Tokens {
  const words = (attributes?.["licences"] ?? "").split(/[\s,]+/);
  return new Map(words.flatMap((word) => {
    const [, feature, count] = /^([\w.-]+)=([1-9]\d{0,5})$/.exec(word) ?? [];
    return feature && count ? [[feature, Number(count)]] : [];
  }));
}

function sumOf(all: readonly Tokens[]): Tokens {
  const sum: Tokens = new Map();
  for (const tokens of all) {
    for (const [feature, count] of tokens) sum.set(feature, (sum.get(feature) ?? 0) + count);
  }
  return sum;
}

type Server = Map<string, { total: number; used: number }>;

/** Fails where the server does: then Muster lets gangs wait, or not, as --stage-failure says. */
async function serverTokens(setting: Asked["setting"]): Promise<Server> {
  const url = setting("LICENCE_SERVER");
  try {
    return url === undefined
      ? tokensIn(JSON.parse(setting("LICENCES") ?? "{}"), (total) => ({ total, used: 0 }))
      : tokensIn(await licencesAt(url), (counts) => counts);
  } catch (error) {
    const who = url === undefined ? "LICENCES" : "the licence server";
    throw new ServerFailed(`${who} can not be used: ${(error as Error).message}`);
  }
}

async function licencesAt(url: string): Promise<object> {
  const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
  if (response.ok) return await response.json();
  await response.body?.cancel();
  throw new Error(`HTTP ${response.status}`);
}

// deno-lint-ignore no-explicit-any -- whatever somebody's server says
function tokensIn(all: object, read: (said: any) => { total: number; used: number }): Server {
  return new Map(
    Object.entries(all).map(([feature, said]) => {
      const { total, used } = read(said);
      if (Number.isFinite(total) && Number.isFinite(used)) return [feature, { total, used }];
      throw new Error(`"${feature}" has no numbers`);
    }),
  );
}

/** It is not the call that is wrong. */
class ServerFailed extends Error {}

/** What is known beside the facts. */
interface Asked {
  readonly cluster: string;
  /** A variable: of a Worker, or of the process. */
  readonly setting: (name: string) => string | undefined;
}

const largestBody = 8 * 1024 * 1024;

export default {
  /** Answers `POST /v1/admit`. */
  async fetch(request: Request, env: object = {}): Promise<Response> {
    if (new URL(request.url).pathname !== "/v1/admit") return problem(404, "no such stage");
    if (request.method !== "POST") return problem(405, "a stage is asked by POST");
    const process: { env?: object } = Reflect.get(globalThis, "process") ?? {};
    const setting = (name: string) => Reflect.get({ ...process.env, ...env }, name);
    const token = setting("TOKEN");
    if (token && request.headers.get("authorization") !== `Bearer ${token}`) {
      return problem(401, "a bearer token is needed");
    }
    const text = await request.text();
    if (text.length > largestBody) return problem(413, "the body is too large");
    try {
      const cluster = request.headers.get("x-muster-cluster") ?? "default";
      return Response.json(await admit(JSON.parse(text), { cluster, setting }));
    } catch (error) {
      const { message } = error as Error;
      return problem(error instanceof ServerFailed ? 503 : 400, message);
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
