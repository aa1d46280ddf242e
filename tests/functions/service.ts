import { policy } from "../../functions/policy.ts";
import { type EmbeddedBindings, embeddedBindings } from "../../shared/store/embedded/bindings.ts";

/** An answer with its body read. */
export interface Answer {
  status: number;
  type: string | null;
  // deno-lint-ignore no-explicit-any -- what a body is, is what the tests are about
  body: any;
}

/** The policy functions over a store of their own that ends with the test. */
export class Service implements AsyncDisposable {
  readonly #dir = Deno.makeTempDirSync({ prefix: "muster-functions-" });
  readonly #bindings: EmbeddedBindings;

  constructor(vars: Record<string, string> = {}) {
    this.#bindings = embeddedBindings({ dir: this.#dir, vars });
  }

  /** Posts a body as JSON; a text as it is. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** Any request. */
  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await policy.request(path, init, this.#bindings);
    const text = await response.text();
    const type = response.headers.get("content-type");
    return {
      status: response.status,
      type,
      body: type?.includes("json") ? JSON.parse(text) : text,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bindings.close();
    await Deno.remove(this.#dir, { recursive: true });
  }
}
