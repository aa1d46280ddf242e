/**
 * A policy of your own for Muster: answer a stage in a function, and serve it wherever `fetch` handlers run.
 *
 * ```ts
 * export default definePolicy({
 *   admit: ({ gangs }) =>
 *     gangs.every(({ gang }) => gang.priority !== 0)
 *       ? { verdict: "allow" }
 *       : { verdict: "wait", reason: "Unpaid", message: "give it a priority" },
 * });
 * ```
 *
 * @module
 */
import { type Check, groupCheck, queueCheck } from "./checks.ts";
import type { AdmitAnswer, AdmitRequest, QueueSortAnswer, QueueSortRequest } from "./types.ts";

export type * from "./types.ts";

/** What is known beside the facts. */
export interface Context {
  /** The cluster that asks: whatever is remembered is remembered of one of them. */
  readonly cluster: string;
  /** A variable of the Worker, or of the process. */
  readonly setting: (name: string) => string | undefined;
}

/** An answer, at once or later. */
export type Answer<T> = T | Promise<T>;

/** The stages that a policy answers. */
export interface PolicyStages {
  /** In which order gangs start. */
  readonly queueSort?: (request: QueueSortRequest, context: Context) => Answer<QueueSortAnswer>;
  /** Whether a gang group may start that could. */
  readonly admit?: (request: AdmitRequest, context: Context) => Answer<AdmitAnswer>;
}

/** What Deno (`deno serve`), workerd and Cloudflare take as the default export of a module. */
export interface Policy {
  readonly fetch: (request: Request, env?: object) => Promise<Response>;
}

/** No relay sends more. */
const largestBody = 8 * 1024 * 1024;

/**
 * Serves the stages that are given at `POST /v1/<stage>`. A call that does not follow the contract is a 400 that says what is
 * wrong with which field; a function that throws is a 500, and Muster does what `--stage-failure` says. Where the variable
 * `TOKEN` is set, whoever does not have it as a bearer token (`--stage-token-file`) is answered with a 401.
 */
export function definePolicy({ queueSort, admit }: PolicyStages): Policy {
  const stages = new Map<string, { check: Check; answer: Serve }>();
  if (queueSort) stages.set("/v1/queue-sort", { check: queueCheck, answer: queueSort as Serve });
  if (admit) stages.set("/v1/admit", { check: groupCheck, answer: admit as Serve });
  return {
    fetch: async (request, env = {}) => {
      const { pathname } = new URL(request.url);
      const stage = stages.get(pathname);
      if (!stage) return problem(404, `nothing answers "${pathname}"`);
      if (request.method !== "POST") return problem(405, "a stage is asked by POST");
      const context = contextOf(request, env);
      const token = context.setting("TOKEN");
      if (token && request.headers.get("authorization") !== `Bearer ${token}`) {
        return problem(401, "a bearer token is needed");
      }
      const text = await request.text();
      if (text.length > largestBody) {
        return problem(413, `the body is over ${largestBody} characters long`);
      }
      const body = parse(text);
      const wrong = body === undefined ? "the body is no JSON" : stage.check(body, "");
      if (wrong) return problem(400, `The call does not follow the contract: ${wrong}`);
      try {
        return Response.json(await stage.answer(body, context));
      } catch (error) {
        return problem(500, (error as Error).message);
      }
    },
  };
}

type Serve = (body: unknown, context: Context) => Answer<unknown>;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function contextOf(request: Request, env: object): Context {
  const process: { env?: object } = Reflect.get(globalThis, "process") ?? {};
  const all = { ...process.env, ...env };
  return {
    cluster: request.headers.get("x-muster-cluster") ?? "default",
    setting: (name) => Reflect.get(all, name),
  };
}

function problem(status: number, detail: string): Response {
  return new Response(JSON.stringify({ title: "Not answered", status, detail }), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}
