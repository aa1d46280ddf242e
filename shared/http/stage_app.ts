/**
 * What every stage function has in common: its environment, limits, errors and documents.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { requestId } from "hono/request-id";
import { env } from "../store/platform.ts";
import { authenticate, authorize } from "./authenticate.ts";
import { configurationOf } from "./configuration.ts";
import { docsPage } from "./docs_page.ts";
import { failureLog } from "./failure_log.ts";
import { log, setLogLevel } from "./log.ts";
import { namedHost } from "./named_host.ts";
import { badFields, notFound, onError } from "./problem.ts";
import { readJson } from "./request_body.ts";
import type { StageCall, StageEnv } from "./stage_env.ts";

/** Facts of 10,000 members fit; nothing that a relay sends is larger. */
const maxBodyBytes = 4 * 1024 * 1024;

const bearerScheme = {
  type: "http",
  scheme: "bearer",
  description:
    "A token of MUSTER_TOKENS, or one of an issuer in MUSTER_ISSUERS. It speaks for one cluster, and with scope read it asks " +
    "no stage. Where no credential is configured, callers on loopback are served without one.",
} as const;

/** An app for the routes of one stage, or of several; {@linkcode withDocuments} makes it run. */
export function stageApp(): OpenAPIHono<StageEnv> {
  return new OpenAPIHono<StageEnv>({
    defaultHook: (result, c) => result.success ? undefined : badFields(c, result.error.issues),
  });
}

/**
 * The whole app around stages: limits, errors, `/openapi.json`, its human page `/docs` and `/healthz`. The stages
 * themselves stay as they are, so that each can be part of several apps.
 */
export function withDocuments(stages: OpenAPIHono<StageEnv>): OpenAPIHono<StageEnv> {
  const app = new OpenAPIHono<StageEnv>();
  app.onError(onError);
  app.notFound(notFound);
  app.use(requestId(), failureLog, namedHost);
  app.use("/v1/*", environment(), authenticate, authorize, readJson(maxBodyBytes));
  app.route("/", stages);
  app.doc31("/openapi.json", {
    openapi: "3.1.0",
    info: {
      title: "Muster policy functions",
      version: "1",
      description:
        "The stages of gang scheduling over the facts of a gang group. Errors are RFC 9457 problems.",
      license: { name: "Apache-2.0" },
    },
    // The empty one: callers on loopback, where no credential is configured.
    security: [{ bearer: [] }, {}],
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", bearerScheme);
  app.get(
    "/docs",
    async (c) => c.html(docsPage(await (await app.request("/openapi.json")).json())),
  );
  app.get("/healthz", (c) => c.text("ok"));
  return app;
}

/** Runs work after the answer, off its path. */
export function afterAnswer(c: StageCall, work: Promise<unknown>): void {
  const logged = work.catch((error) => {
    log("error", `Cannot update the index: ${error.message}`);
  });
  try {
    c.executionCtx.waitUntil(logged);
  } catch {
    // Outside of a Worker there is no execution context, and the process keeps running by itself.
  }
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
