/**
 * Tests of the page in Chromium.
 *
 * @module
 */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { hasBrowser, PageServer, startBrowser } from "./browser.ts";

/** What a test looks at: a server of its own, and pages of a browser that has never been there. */
export interface Visit {
  server: PageServer;
  /** Opens a path; whatever the browser complains of, and every dialog, is a problem. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  problems: string[];
}

/** Shown by a page that follows what happens. */
export const live = "#live.on";

/** How the tests of a file are told; one browser is for all of them, outside of what their sanitizers watch. */
export function browserTests() {
  const isSkipped = !hasBrowser();
  let browser: Browser;

  Deno.test.beforeAll(async () => {
    // deno-lint-ignore no-console -- for whoever runs the tests
    if (isSkipped) console.log("skipped: the page in a browser, for there is no chromium");
    else browser = await startBrowser();
  });

  Deno.test.afterAll(async () => {
    if (!isSkipped) await browser.close();
  });

  return function browserTest(
    name: string,
    body: (visit: Visit) => Promise<void>,
    vars: Record<string, string> = {},
  ): void {
    Deno.test({
      name: `page in a browser: ${name}`,
      ignore: isSkipped,
      // What the driver of the browser awaits belongs to no test.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        await using server = new PageServer(vars);
        const problems: string[] = [];
        const contexts: { close(): Promise<void> }[] = [];
        const open: Visit["open"] = async (path, options = {}) => {
          const context = await browser.newContext({
            viewport: { width: 1280, height: 900 },
            ...options,
          });
          contexts.push(context);
          const page = await context.newPage();
          page.setDefaultTimeout(60_000);
          page.on("console", (message) => problems.push(message.text()));
          page.on("pageerror", (error) => problems.push(error.message));
          page.on("dialog", async (dialog) => {
            problems.push(`dialog: ${dialog.message()}`);
            await dialog.dismiss();
          });
          await page.goto(server.url + path);
          return page;
        };
        try {
          await body({ server, open, problems });
        } finally {
          for (const context of contexts) await context.close();
        }
      },
    });
  };
}

/** Keeps what was seen, for whoever wants to see it. */
export async function screenshot(page: Page, about: string): Promise<void> {
  const folder = Deno.env.get("MUSTER_SCREENSHOTS");
  if (!folder) return;
  const name = about.replace(/\W+/g, "_").slice(-60);
  await page.screenshot({ path: `${folder}/${name}_${crypto.randomUUID().slice(0, 4)}.png` });
}
