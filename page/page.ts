/**
 * The page: what gangs do and why, for a browser.
 *
 * @module
 */
import type { Context } from "hono";
import { csrf } from "hono/csrf";
import { etag } from "hono/etag";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { secureHeaders } from "hono/secure-headers";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as v from "valibot";
import { bearerToken, identify } from "../shared/http/authenticate.ts";
import { gangDetail } from "../shared/http/gang_detail.ts";
import { indexObject } from "../shared/http/group_store.ts";
import { openCalls } from "../shared/http/open_calls.ts";
import { onError } from "../shared/http/problem.ts";
import { readBody } from "../shared/http/request_body.ts";
import { environment, stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageEnv } from "../shared/http/stage_env.ts";
import { changeStream } from "./change_stream.ts";
import { pageDocument, problemDocument } from "./document.ts";
import { gangStory } from "./gang_story.ts";
import { nodeMap } from "./node_map.ts";
import icon from "./icon.svg" with { type: "text" };
import script from "./live.js" with { type: "text" };
import { overview } from "./overview.ts";
import document from "./document.json" with { type: "json" };
import { beginSession, endSession, pathOfPage, sessionToken, signInDocument } from "./sign_in.ts";
import style from "./style.css" with { type: "text" };

/** As many gangs as somebody looks through, in each of the lists of a document. */
const rowsOfList = 100;

/** Readers are people: who finds no place is one of very many, or no reader. */
const maxOpenCalls = 500;

/** Nobody knows yet who they are: they take no place of those who are signed in. */
const maxOpenSignIns = 100;

/** A token is the only thing that a form sends. */
const maxFormBytes = 16 * 1024;

/** What a reader may ask for; whatever else the address says is left aside. */
const query = v.object({
  phase: v.fallback(
    v.optional(v.picklist(["Pending", "Scheduling", "Running", "Finished", "Failed"])),
    undefined,
  ),
  namespace: v.fallback(v.pipe(v.string(), v.maxLength(63)), ""),
  search: v.fallback(v.pipe(v.string(), v.maxLength(317), v.trim(), v.toLowerCase()), ""),
  from: v.fallback(
    v.pipe(v.string(), v.digits(), v.toNumber(), v.maxValue(1e6)),
    0,
  ),
  after: v.fallback(v.pipe(v.string(), v.maxLength(507)), ""),
});

/** Nothing is loaded from elsewhere or runs that is not a file of the page, whatever a name may say. */
const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: "DENY",
  // Whether its host has TLS alone is not for the page to say.
  strictTransportSecurity: false,
});

/** Serves callers that may see a cluster; asks others to sign in. */
const access = createMiddleware<StageEnv>(async (c, next) => {
  const refusal = await identify(c, sessionToken(c) ?? bearerToken(c));
  if (!refusal) return await next();
  const { status, title, detail } = refusal;
  const path = pathOfPage(c.req.path + new URL(c.req.url).search);
  if (status !== 401) return c.html(problemDocument({ title, detail }), status as never);
  const problem = sessionToken(c) === undefined ? undefined : detail;
  return c.html(signInDocument({ path, problem }), 401);
});

/** The routes of the page. */
export const page = stageApp();

page.onError(async (error, c) => {
  const { status } = onError(error, c);
  const { title = "Not available", detail } = (c as Context<StageEnv>).var.problem ?? {};
  const document = problemDocument({ title, detail, isLive: c.req.method === "GET" });
  return await c.html(document, status as ContentfulStatusCode);
});

page.get("/", (c) => c.redirect("/page"));
page.use("/page/*", headers);
for (
  const [name, text, type] of [
    ["style.css", style, "text/css"],
    ["live.js", script, "text/javascript"],
    ["icon.svg", icon, "image/svg+xml"],
  ] as const
) {
  page.get(
    `/page/${name}`,
    etag(),
    (c) =>
      c.body(text, 200, { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache" }),
  );
}

page.use("/page/*", async (c, next) => {
  c.header("cache-control", "no-store");
  await next();
});

page.post(
  "/page/sign-in",
  csrf(),
  openCalls(maxOpenSignIns),
  readBody(maxFormBytes),
  environment(),
  async (c) => {
    const form = await c.req.parseBody().catch((error: Error) => {
      throw new HTTPException(400, { message: `The form can not be read: ${error.message}` });
    });
    const token = String(form["token"] ?? "").trim();
    const path = pathOfPage(c.req.query("to"));
    const refusal = await identify(c, token);
    if (refusal) {
      return c.html(
        signInDocument({ path, problem: refusal.detail }),
        refusal.status as ContentfulStatusCode,
      );
    }
    beginSession(c, token);
    return c.redirect(path, 303);
  },
);

page.post("/page/sign-out", csrf(), (c) => {
  endSession(c);
  return c.redirect("/page", 303);
});

page.use("/page/*", environment(), access, openCalls(maxOpenCalls));

page.get("/page", async (c) => {
  const asked = { ...v.parse(query, c.req.query()), limit: rowsOfList };
  const look = await indexObject(c).look(asked);
  const content = overview(look, { ...asked, now: Date.now() });
  return c.html(pageDocument({ title: "Gangs", content, ...frameOf(c) }));
});

page.get("/page/gangs/:namespace/:name", async (c) => {
  const { namespace, name } = c.req.param();
  const id = `${namespace}/${name}`;
  const gang = await gangDetail(c, id);
  if (!gang) {
    const detail = `No gang "${id}" is known: its last pod is gone, or it was never seen`;
    return c.html(problemDocument({ title: "Gang not found", detail, ...frameOf(c) }), 404);
  }
  return c.html(pageDocument({ title: id, content: gangStory(gang, Date.now()), ...frameOf(c) }));
});

page.get("/page/nodes", async (c) => {
  const map = await indexObject(c).map();
  return c.html(pageDocument({ title: "Nodes", content: nodeMap(map, Date.now()), ...frameOf(c) }));
});

page.get("/page/changes", (c) => changeStream(c, () => indexObject(c).version()));

page.get("/page/*", (c) => c.html(problemDocument({ title: "Not found", ...frameOf(c) }), 404));

function frameOf(c: Context<StageEnv>) {
  return { cluster: c.var.cluster, isSignedIn: sessionToken(c) !== undefined, isLive: true };
}

export default /* @__PURE__ */ withDocuments(page, document);
