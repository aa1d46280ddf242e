/**
 * Chromium, where there is one, and the page for it to read.
 *
 * @module
 */
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { policy } from "../../functions/policy.ts";
import { embeddedBindings } from "../../shared/store/embedded/bindings.ts";

/** The same browser by two names; the first that is there is used. */
const program = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(exists);

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Whether a test that needs a browser can run; under CI there must be one. */
export function hasBrowser(): boolean {
  if (!program && Deno.env.get("CI") === "true") {
    throw new Error("Cannot test the page: there is no browser: install chromium");
  }
  return program !== undefined;
}

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts Chromium with a profile of its own, which ends with it. */
export function startBrowser(): Promise<Browser> {
  if (!program) throw new Error("Cannot start a browser: there is none: install chromium");
  return chromium.launch({ executablePath: program, args: flags });
}

/** What breaks the rules of WCAG 2.2, level AA, and axe's own best practices, in the document that is shown. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // The page's own policy lets no script of others in, so it goes in as the browser's.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate("axe.run({ resultTypes: ['violations'] })") as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
  );
}

/** The functions on loopback, over a store of their own. */
export class PageServer implements AsyncDisposable {
  readonly #dir = Deno.makeTempDirSync({ prefix: "muster-page-" });
  readonly #bindings;
  readonly #server;
  /** The store answers nothing but errors. */
  isStoreDown = false;

  constructor(vars: Record<string, string> = {}) {
    this.#bindings = embeddedBindings({
      dir: this.#dir,
      vars: { ...vars, MUSTER_LOG_LEVEL: "error" },
    });
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request, { remoteAddr }) =>
        policy.fetch(request, { ...this.#bindings, INDEX: this.#index(), remoteAddr }),
    );
  }

  /** Base URL, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Tells the functions something, as a relay does. */
  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
    const response = await fetch(this.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  }

  /** Asked anew for each call, also by a stream that has begun before. */
  #index() {
    const { INDEX } = this.#bindings;
    const getByName = (name: string) => {
      if (this.isStoreDown) throw new Error("The store is down");
      return INDEX.getByName(name);
    };
    return { ...INDEX, getByName };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await this.#bindings.close();
    await Deno.remove(this.#dir, { recursive: true });
  }
}
