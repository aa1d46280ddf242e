/**
 * Errors as RFC 9457 problems.
 *
 * @module
 */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { type FieldError, fieldError, type Issue, wrongIn } from "../contract/check.ts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ConfigurationError } from "./configuration.ts";
import { failureMs, KeysUnavailable } from "./key_source.ts";

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

/** So many bad fields are named. */
const namedErrors = 100;

/** What is wrong, field by field, of the first ones. */
export function fieldErrors(issues: readonly Issue[]): FieldError[] {
  return issues.slice(0, namedErrors).map(fieldError);
}

/** Answers that fields of the body, or of the query, are bad, and which. */
export function badFields(
  c: Context,
  { where, issues }: { where: "body" | "query"; issues: readonly [Issue, ...Issue[]] },
): Response {
  return problem(c, 400, {
    title: "Bad request",
    detail: `The ${where} does not follow the contract of /openapi.json: ${wrongIn(issues)}`,
    errors: fieldErrors(issues),
  });
}

/** An object that is overloaded is left alone for so long. */
const overloadedSeconds = 2;

/** Too many calls at once are over after so long. */
const busySeconds = 1;

/** Turns whatever a handler threw into a problem. */
export function onError(error: Error, c: Context): Response {
  if (error instanceof HTTPException) {
    if (error.status === 503) c.header("retry-after", String(busySeconds));
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
  408: "Body too slow",
  413: "Body too large",
  415: "Not JSON",
  503: "Too many calls",
};
