/**
 * Errors as RFC 9457 problems.
 *
 * @module
 */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ConfigurationError } from "./configuration.ts";
import { failureMs, KeysUnavailable } from "./key_source.ts";

/** A bad field, by its path. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** What is wrong with a request. */
export interface Problem {
  readonly title: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

/** Answers `application/problem+json`. */
export function problem(c: Context, status: ContentfulStatusCode, about: Problem): Response {
  c.set("problem", about);
  return c.json({ type: "about:blank", status, ...about }, status, {
    "content-type": "application/problem+json",
  });
}

/** What a zod error says, field by field: `gangs[0].gang.minMember`. */
export function fieldErrors(
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): FieldError[] {
  return issues.map(({ path, message }) => ({
    path: path.map((part) => typeof part === "number" ? `[${part}]` : `.${String(part)}`).join("")
      .replace(/^\./, ""),
    message,
  }));
}

/** An object that is overloaded is left alone for so long. */
const overloadedSeconds = 2;

/** Turns whatever a handler threw into a problem. */
export function onError(error: Error, c: Context): Response {
  if (error instanceof HTTPException) {
    return problem(c, error.status as ContentfulStatusCode, {
      title: titles[error.status] ?? "Request failed",
      detail: error.message,
    });
  }
  if (error instanceof ConfigurationError) {
    return problem(c, 503, {
      title: "Not configured",
      detail: "The variables of the functions can not be used: their log says what is wrong",
    });
  }
  if (error instanceof KeysUnavailable) {
    c.header("retry-after", String(failureMs / 1000));
    return problem(c, 503, {
      title: "Keys not available",
      detail: "The keys that verify the token can not be fetched now: try again",
    });
  }
  // What Cloudflare says of an object that has more calls before it than it takes.
  if ((error as { overloaded?: boolean }).overloaded) {
    c.header("retry-after", String(overloadedSeconds));
    return problem(c, 503, {
      title: "Store overloaded",
      detail: "The gang store has more calls than it can answer: ask again later",
    });
  }
  return problem(c, 503, {
    title: "Store not available",
    detail: "The gang store did not answer: try again",
  });
}

/** Names the path that does not exist and where the existing ones are listed. */
export function notFound(c: Context): Response {
  return problem(c, 404, {
    title: "Not found",
    detail: `Nothing answers ${c.req.method} "${c.req.path}": see /openapi.json for what does`,
  });
}

const titles: Record<number, string> = {
  400: "Bad request",
  413: "Body too large",
  415: "Not JSON",
};
