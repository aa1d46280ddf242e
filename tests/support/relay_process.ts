import type { Backfill } from "../../shared/core/gang/backfill.ts";
import { AbortError } from "p-retry";
import { OwnStage } from "../../cli/policy/own_stage.ts";
import { OwnStages } from "../../cli/policy/own_stages.ts";
import { Shadows } from "../../cli/policy/shadows.ts";
import type { StageAddress } from "../../cli/policy/stage_call.ts";
import { askerOf } from "../../cli/policy/stage_flags.ts";
import { StageReport } from "../../cli/policy/stage_report.ts";
import { loadConnection } from "../../shared/client/connection.ts";
import type { Fetch } from "../../shared/client/fetch.ts";
import { stagesOverHttp } from "../../shared/client/http_stages.ts";
import { type Relay, startRelay } from "../../relay/relay.ts";
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import type { Decisions } from "../../shared/core/attend/decisions.ts";
import type { Changes } from "./changes.ts";
import type { PolicyCalls } from "./policy_calls.ts";

/** A scheduler of Muster's that tries no pod. */
export const idleScheduler = "idle";

/** What a relay is started with. */
export interface RelayProcessOptions {
  readonly kubeconfig: string;
  readonly policy: PolicyCalls;
  readonly changes: Changes;
  /** 0 picks a free one. */
  readonly port: number;
  readonly longestHoldSeconds: number;
  readonly backfill: Backfill;
  readonly evicts: boolean;
  readonly isOptIn: boolean;
  /** Stages that a policy of one's own answers, without which gangs wait: what answers is {@linkcode PolicyCalls} too. */
  readonly ownStages: readonly StageName[];
  /** What is decided by. */
  readonly decisions: Decisions;
  /** Every line that it logs. */
  readonly logged: (line: LogLine) => void;
}

/** What a relay logs. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields?: Record<string, unknown> | undefined;
}

/** A relay with its server and its ways out, so that it can end as a process ends: asked to, or killed. */
export class RelayProcess {
  /** Names of the pods whose bind calls are open now. */
  readonly binding: string[] = [];
  /** Errors that it answered bind calls with, as `pod: error`. */
  readonly refusedBindings: string[] = [];
  /** What it wrote to the API server: method and path. */
  readonly written: string[] = [];
  readonly #changes: Changes;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #abort = new AbortController();
  #relay!: Relay;
  #server!: Deno.HttpServer<Deno.NetAddr>;

  private constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** Starts a relay; resolves when it answers. */
  static async start(options: RelayProcessOptions): Promise<RelayProcess> {
    const started = new RelayProcess(options.changes);
    started.#relay = await startRelay({
      connection: await loadConnection(options.kubeconfig),
      fetch: (url, init) => {
        if (init.method !== "GET") started.written.push(`${init.method} ${new URL(url).pathname}`);
        return started.#out(() => fetch(url, init));
      },
      watchFetch: fetch,
      away: () => {},
      functionsUrl: "http://in-process",
      stages: (cluster, about) => {
        const fetch: Fetch = (input, init) => started.#out(() => options.policy.fetch(input, init));
        const builtIn = stagesOverHttp("http://localhost", { cluster, fetch });
        if (options.ownStages.length === 0) return builtIn;
        const report = new StageReport({ registry: about.registry, log: () => {} });
        const own = options.ownStages.map((stage) => {
          const address: StageAddress = { stage, url: "http://localhost", timeoutMs: 10_000 };
          const ask = askerOf(address, { cluster, fetch });
          return new OwnStage({ ...address, failureMode: "wait", ask }, report);
        });
        const shadows = new Shadows([], report);
        return new OwnStages(builtIn, { facts: about.facts, own, shadows });
      },
      log: (level, message, fields) => options.logged({ level, message, fields }),
      decisions: () => options.decisions,
      schedulerNames: ["default-scheduler", "muster", idleScheduler],
      longestHoldSeconds: options.longestHoldSeconds,
      backfill: options.backfill,
      levels: [],
      expectedSeconds: undefined,
      isOptIn: options.isOptIn,
      evicts: options.evicts,
    });
    started.#server = Deno.serve({
      hostname: "127.0.0.1",
      port: options.port,
      signal: started.#abort.signal,
      onListen: () => {},
    }, (request) => started.#answer(request));
    return started;
  }

  get port(): number {
    return this.#server.addr.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends it as SIGTERM does. */
  async stop(): Promise<void> {
    await this.#relay.stop();
    await this.#server.shutdown();
    await this.#settled();
  }

  /** Ends it as a kill does: connections break, and nothing more is written or asked. */
  async kill(): Promise<void> {
    this.#abort.abort();
    await this.#server.finished;
    await this.#relay.stop();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    while (this.#writes.size > 0) await Promise.allSettled([...this.#writes]);
  }

  #out(send: () => Promise<Response>): Promise<Response> {
    // The dead do not try again.
    if (this.#abort.signal.aborted) return Promise.reject(new AbortError("killed"));
    const sent = send();
    this.#writes.add(sent);
    const done = () => this.#writes.delete(sent);
    sent.then(done, done);
    return sent;
  }

  async #answer(request: Request): Promise<Response> {
    if (!request.url.endsWith("/extender/bind")) return await this.#relay.app.fetch(request);
    const { PodName } = await request.clone().json().catch(() => undefined) ?? {};
    this.binding.push(PodName);
    this.#changes.happened();
    try {
      const response = await this.#relay.app.fetch(request);
      const { Error: error } = await response.clone().json();
      if (error) this.refusedBindings.push(`${PodName}: ${error}`);
      return response;
    } finally {
      this.binding.splice(this.binding.indexOf(PodName), 1);
      this.#changes.happened();
    }
  }
}
