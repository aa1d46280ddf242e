/**
 * What every stage function has in common: its environment, limits, errors and documents.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { HonoBase } from "hono/hono-base";
import { requestId } from "hono/request-id";
import { TrieRouter } from "hono/router/trie-router";
import { env } from "../store/platform.ts";
import { authenticate, authorize } from "./authenticate.ts";
import { configurationOf } from "./configuration.ts";
import { docsPage, type OpenApiDocument } from "./docs_page.ts";
import { failureLog } from "./failure_log.ts";
import { setLogLevel } from "./log.ts";
import { openCalls } from "./open_calls.ts";
import { namedHost } from "./named_host.ts";
import { readJson } from "./posted_json.ts";
import { notFound, onError } from "./problem.ts";
import type { StageEnv } from "./stage_env.ts";

/** Facts of 10,000 members fit; nothing that a relay sends is larger. */
const maxBodyBytes = 4 * 1024 * 1024;

/** A relay asks about each of its gang groups at most once at a time; those of a large cluster are in the thousands. */
const maxOpenCalls = 10_000;

/** An app for the routes of one stage, or of several; {@linkcode withDocuments} makes it run. */
export function stageApp(): HonoBase<StageEnv> {
  const app = new HonoBase<StageEnv>();
  app.router = new TrieRouter();
  return app;
}

/**
 * The whole app around stages: limits, errors, `/openapi.json`, its human page `/docs` and `/healthz`. The stages
 * themselves stay as they are, so that each can be part of several apps; `document` is what is said of them.
 *
 * Two things keep bundles small: whoever calls this calls it pure, so that the bundle of all stages leaves out the app of each;
 * and imports the document next to the schemas, where gzip, which looks back 32 kB, finds the words that both have.
 */
export function withDocuments(
  stages: HonoBase<StageEnv>,
  document: OpenApiDocument,
): HonoBase<StageEnv> {
  const app = stageApp();
  app.onError(onError);
  app.notFound(notFound);
  app.use(requestId(), failureLog, namedHost);
  app.use("/v1/*", environment(), authenticate, authorize);
  app.use("/v1/*", openCalls(maxOpenCalls), readJson(maxBodyBytes));
  app.route("/", stages);
  app.get("/openapi.json", (c) => c.json(document));
  app.get("/docs", (c) => c.html(String(docsPage(document))));
  app.get("/healthz", (c) => c.text("ok"));
  return app;
}

/** The store and the settings: a Worker's bindings, or those of the process that runs the app. */
export function environment(): MiddlewareHandler<StageEnv> {
  return createMiddleware<StageEnv>(async (c, next) => {
    const store = c.env?.GANGS ? c.env : env;
    c.set("store", store);
    const { settings, logLevel } = configurationOf(store);
    setLogLevel(logLevel);
    c.set("settings", settings);
    await next();
  });
}
