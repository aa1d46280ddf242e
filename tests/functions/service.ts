import { assertEquals } from "@std/assert";
import { policy } from "../../functions/policy.ts";
import { type EmbeddedBindings, embeddedBindings } from "../../shared/store/embedded/bindings.ts";
import { Twin } from "./twin.ts";

/** An answer with its body read. */
export interface Answer {
  status: number;
  type: string | null;
  // deno-lint-ignore no-explicit-any -- what a body is, is what the tests are about
  body: any;
}

/**
 * The policy functions over a store of their own, called from loopback unless told otherwise; ends with the test. Every request
 * goes to two of them at the same moment, over the embedded store and on workerd, and they must answer alike.
 */
export class Service implements AsyncDisposable {
  /** Lines that were logged since the service was made. */
  readonly log: string[] = [];
  // deno-lint-ignore no-console -- where the functions log
  readonly #consoleError = console.error;
  readonly #dir = Deno.makeTempDirSync({ prefix: "muster-functions-" });
  readonly #bindings: EmbeddedBindings;
  readonly #twin: Twin;

  constructor(given: Record<string, string> = {}) {
    const vars = { MUSTER_LOOPBACK: "true", ...given };
    this.#bindings = embeddedBindings({ dir: this.#dir, vars });
    this.#twin = new Twin(vars);
    // deno-lint-ignore no-console -- as above
    console.error = (line: string) => {
      this.log.push(line);
      if (JSON.parse(line).status >= 500) this.#consoleError(line);
    };
  }

  /** Posts a body as JSON; a text as it is. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** Any request; a path is one on localhost. */
  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await this.fetch(path, init);
    const text = await response.text();
    const type = response.headers.get("content-type");
    return {
      status: response.status,
      type,
      body: type?.includes("json") ? JSON.parse(text) : text,
    };
  }

  /** Any request, sent from an address; absent: the host does not tell. */
  async fetch(path: string, init: RequestInit = {}, from?: string): Promise<Response> {
    const origin = from === undefined ? {} : { remoteAddr: { hostname: from } };
    const [ourBody, theirBody] = init.body instanceof ReadableStream
      ? init.body.tee()
      : [init.body, init.body];
    const now = Date.now();
    using _time = standingStill(now);
    const ours = await policy.request(path, { ...init, body: ourBody ?? null }, {
      ...this.#bindings,
      ...origin,
    });
    const theirs = await this.#twin.fetch(path, { ...init, body: theirBody ?? null }, {
      origin,
      now,
    });
    assertEquals(await told(ours.clone()), await told(theirs), `${path}: embedded, then workerd`);
    return ours;
  }

  /**
   * Calls the alarm of a gang group's object on workerd. The embedded store calls its own when its time, which must be a fake
   * one, comes.
   */
  ring(group: string): Promise<void> {
    return this.#twin.ring(group, Date.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // deno-lint-ignore no-console -- as above
    console.error = this.#consoleError;
    await this.#bindings.close();
    await Deno.remove(this.#dir, { recursive: true });
  }
}

/** What of an answer must be the same everywhere. */
async function told(response: Response) {
  const { status, headers } = response;
  const [type, challenge] = ["content-type", "www-authenticate"].map((name) => headers.get(name));
  const text = await response.text();
  return {
    status,
    type,
    challenge,
    body: type?.includes("json") && text ? withoutName(JSON.parse(text)) : text,
  };
}

/** Each index has a name of its own. */
function withoutName(body: { index?: string }): object {
  return { ...body, index: typeof body.index };
}

/** Lets the time be `now` until it is disposed of. */
function standingStill(now: number): Disposable {
  const genuine = Date.now;
  Date.now = () => now;
  return { [Symbol.dispose]: () => Date.now = genuine };
}
