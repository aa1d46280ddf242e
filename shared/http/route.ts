/**
 * How the routes of the contract are declared.
 *
 * @module
 */
import { createRoute, type z } from "@hono/zod-openapi";
import { check } from "../contract/check.ts";
import { ProblemDetails } from "../contract/schemas.ts";

/** How a call may fail because of who calls. */
export const accessProblems = {
  401: { description: "no credential, or one that is not accepted", content: problemJson() },
  403: {
    description: "a credential of another cluster, or one whose scope is less",
    content: problemJson(),
  },
  503: {
    description: "not configured, or neither the store nor an issuer's keys can be had now",
    content: problemJson(),
  },
} as const;

const problems = {
  ...accessProblems,
  400: { description: "a bad request, with the path of the bad field", content: problemJson() },
  413: { description: "a body over the limit", content: problemJson() },
  415: { description: "a body that is not application/json", content: problemJson() },
} as const;

/** `POST /v1/<stage>` from one schema to another. */
export function stageRoute<
  const Path extends string,
  Request extends z.ZodType,
  Answer extends z.ZodType,
>(
  path: Path,
  about: { summary: string; description: string; request: Request; answer: Answer },
) {
  const { summary, description, request, answer } = about;
  // What the validator of the route calls.
  request.safeParseAsync = (body) => Promise.resolve(check(request, body));
  return createRoute({
    method: "post",
    path,
    summary,
    description,
    request: { body: { required: true, content: { "application/json": { schema: request } } } },
    responses: {
      200: { description: "the answer", content: { "application/json": { schema: answer } } },
      ...problems,
    },
  });
}

function problemJson() {
  return { "application/problem+json": { schema: ProblemDetails } } as const;
}
