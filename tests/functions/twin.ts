import { join } from "node:path";
import { bundleWorkers } from "../../cli/worker_bundle.ts";
import { musterWorker, startWorkerd, type Workerd } from "../../cli/workerd.ts";
import type { TwinRequest } from "./twin_worker.ts";

let dir: string;
let workerd: Workerd;
let spaces = 0;

// One workerd for all tests of a file, outside of what their sanitizers watch.
Deno.test.beforeAll(async () => {
  dir = await Deno.makeTempDir({ prefix: "muster-twin-" });
  const entry = new URL("twin_worker.ts", import.meta.url).pathname;
  const { twin: { path: bundle } } = await bundleWorkers({ twin: entry }, dir);
  const workers = { twin: { ...musterWorker, bundle } };
  workerd = await startWorkerd({ dir: join(dir, "workerd"), workers });
});

Deno.test.afterAll(async () => {
  await workerd.stop();
  await Deno.remove(dir, { recursive: true });
});

/** The policy functions on workerd, over objects of their own. */
export class Twin {
  readonly #space = `${++spaces}`;
  readonly #vars: Record<string, string>;

  constructor(vars: Record<string, string>) {
    this.#vars = vars;
  }

  /** Answers a request with these bindings beside its own, at a time in ms since the epoch. */
  fetch(
    path: string,
    init: RequestInit,
    { origin, now }: Pick<TwinRequest, "origin" | "now">,
  ): Promise<Response> {
    const url = /^https?:/.test(path) ? path : `http://localhost${path}`;
    return this.#ask({ url, origin, now }, init);
  }

  /** Calls the alarm of a gang group's object, at a time in ms since the epoch. */
  async ring(group: string, now: number): Promise<void> {
    const response = await this.#ask({ url: "", origin: {}, now, ring: `default|${group}` }, {});
    const text = await response.text();
    if (!response.ok) throw new Error(`The alarm of "${group}" failed: ${text}`);
  }

  #ask(about: Omit<TwinRequest, "space" | "vars">, init: RequestInit): Promise<Response> {
    const asked: TwinRequest = { ...about, space: this.#space, vars: this.#vars };
    const headers = new Headers(init.headers);
    headers.set("x-twin", encodeURIComponent(JSON.stringify(asked)));
    // As long as it is, whatever a test says in process.
    headers.delete("content-length");
    return fetch(workerd.urlOf("twin"), { ...init, headers, redirect: "manual" });
  }
}
