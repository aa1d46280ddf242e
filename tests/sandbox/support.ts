import { deadline } from "./deadline.ts";
import type { Pod, PodManifest, PodSpec } from "../../tools/sandbox/objects.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../tools/sandbox/sandbox.ts";

/** Sanitizers that the tests of the sandbox run under. */
export const STRICT = { sanitizeOps: true, sanitizeResources: true };

/** Runs a test in a sandbox with short back-offs and stops it afterwards. */
export async function withSandbox(
  test: (sandbox: Sandbox) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  const sandbox = await startSandbox({
    podInitialBackoffSeconds: 0.02,
    podMaxBackoffSeconds: 0.08,
    ...options,
  });
  try {
    await test(sandbox);
  } finally {
    await sandbox.stop();
  }
}

/** A pod that asks for GPUs. */
export function gpuPod(name: string, gpus: number, spec: Partial<PodSpec> = {}): PodManifest {
  const limits = { "nvidia.com/gpu": gpus };
  return {
    metadata: { name },
    spec: { containers: [{ name: "main", resources: { limits } }], ...spec },
  };
}

/** One pod of a list by name. */
export function named(pods: Pod[], name: string): Pod | undefined {
  return pods.find((pod) => pod.metadata.name === name);
}

/** The answer of an extender: what it says, or a promise of it. */
type Answer = unknown | Promise<unknown>;

/** An extender that lets every node pass, holds every bind call, and changes no preemption. */
export class BareExtender {
  /** Bodies of the calls so far, by verb. */
  readonly calls: Record<string, Record<string, unknown>[]> = { filter: [], preempt: [], bind: [] };
  /** Held bind calls by pod name; resolve with the answer's `Error`, "" to accept without binding. */
  readonly held = new Map<string, (error: string) => void>();
  /** Bind calls that the scheduler hung up on. */
  readonly dropped: string[] = [];
  filter: (body: Record<string, unknown>) => Answer = (body) => ({ NodeNames: body.NodeNames });
  preempt: (body: Record<string, unknown>) => Answer = (body) => ({
    NodeNameToMetaVictims: body.NodeNameToMetaVictims,
  });
  #server: Deno.HttpServer<Deno.NetAddr>;
  #watchers = new Set<() => void>();
  #closed = false;

  constructor() {
    const listen = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(listen, (request) => this.#answer(request));
  }

  /** What a scheduler is given as its extender. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/extender`;
  }

  /** Resolves as soon as the predicate holds after some call; throws after five seconds. */
  async until(what: string, predicate: () => boolean): Promise<void> {
    let look = () => {};
    const done = new Promise<void>((resolve) => {
      look = () => predicate() && resolve();
      this.#watchers.add(look);
      look();
    });
    await deadline(done, `the extender sees ${what}`);
    this.#watchers.delete(look);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const answer of this.held.values()) answer("the extender stops");
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const verb = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const body = await request.json() as Record<string, unknown>;
    this.calls[verb]?.push(body);
    if (verb !== "bind") {
      const answer = verb === "filter" ? this.filter(body) : this.preempt(body);
      this.#changed();
      return Response.json(await answer);
    }
    if (this.#closed) return Response.json({ Error: "the extender stops" });
    const name = String(body.PodName);
    const error = await new Promise<string>((resolve) => {
      this.held.set(name, resolve);
      request.signal.addEventListener("abort", () => {
        if (this.held.get(name) === resolve) this.dropped.push(name);
        resolve("the scheduler hung up");
        this.#changed();
      });
      this.#changed();
    });
    this.held.delete(name);
    return Response.json({ Error: error });
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look();
  }
}
