/**
 * How a browser, which sends no bearer token of its own accord, becomes a caller: its reader gives a token once, and a cookie
 * that no script can read carries it to the page and nowhere else.
 *
 * @module
 */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import type { CookieOptions } from "hono/utils/cookie";
import { isLoopbackName } from "../shared/http/loopback.ts";
import type { StageEnv } from "../shared/http/stage_env.ts";
import { type Html, pageDocument } from "./document.ts";

const cookieName = "muster-token";

/** The token of the session; undefined where there is none. */
export function sessionToken(c: Context<StageEnv>): string | undefined {
  return getCookie(c, cookieName);
}

/** Begins a session, which ends with the browser's. */
export function beginSession(c: Context<StageEnv>, token: string): void {
  setCookie(c, cookieName, token, cookieOptions(c));
}

/** Ends the session. */
export function endSession(c: Context<StageEnv>): void {
  deleteCookie(c, cookieName, cookieOptions(c));
}

/**
 * Only loopback is safe without TLS. A host behind a proxy sees neither TLS nor perhaps its own name, but the browser says where
 * it is.
 */
function cookieOptions(c: Context<StageEnv>): CookieOptions {
  const origin = c.req.header("origin") ?? "";
  const { hostname } = new URL(URL.canParse(origin) ? origin : c.req.url);
  const secure = !isLoopbackName(hostname);
  return { path: "/page", httpOnly: true, sameSite: "Strict", secure };
}

/** Where a session leads to: a path of the page as a URL has it, whatever was asked for. */
export function pathOfPage(path: string | undefined): string {
  const isUrl = path !== undefined && /^[!-~]+$/.test(path);
  return isUrl && /^\/page(\/nodes|\/gangs\/[^/]+\/[^/]+)?(\?|$)/.test(path) ? path : "/page";
}

/** Asks for a token; `problem` says why the last one was refused. */
export function signInDocument(
  { path, problem }: { path: string; problem?: string | undefined },
): Html {
  return pageDocument({
    title: "Sign in",
    content: html`
      <section class="notice">
        <h1>Sign in</h1>
        <p>
          This page shows the gangs of one cluster to whoever has a token of it: one of the list
          <code>MUSTER_TOKENS</code>, or one that the cluster has issued.
        </p>
        <form method="post" action="/page/sign-in?to=${encodeURIComponent(path)}" class="sign-in">
          <label for="token">Token</label>
          <input id="token" name="token" type="password" autocomplete="off" required${problem ===
              undefined
            ? ""
            : html`
              aria-invalid="true" aria-describedby="problem"
            `}>
          ${problem === undefined
            ? ""
            : html`<p id="problem" role="alert" class="problem">${problem}.</p>`}
          <button>Sign in</button>
        </form>
        <p
          class="note">The token is kept in a cookie until the browser is closed, or until you sign out.</p>
      </section>
    `,
  });
}
