/**
 * The gangs of a cluster, and why each is where it is.
 *
 * @module
 */
import { createRoute, z } from "@hono/zod-openapi";
import { GangDetail, GangList, ProblemDetails } from "../shared/contract/schemas.ts";
import { gangDetail } from "../shared/http/gang_detail.ts";
import { indexObject } from "../shared/http/group_store.ts";
import { problem } from "../shared/http/problem.ts";
import { accessProblems } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";

/** A page of so many lines stays well under a megabyte, and keeps the index for some milliseconds. */
const longestPage = 500;

const list = createRoute({
  method: "get",
  path: "/v1/gangs",
  summary: "All gangs, page by page",
  description:
    "A line per gang, by namespace and name. Reads the index only. A gang whose members are held may be " +
    "shown as it was a moment before: ask for it alone.",
  request: {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(longestPage).default(longestPage).openapi({
        description: "gangs on a page",
      }),
      continue: z.string().max(507).optional().openapi({
        description: "what the page before says; absent: the first page",
      }),
    }),
  },
  responses: {
    200: { description: "the gangs", content: { "application/json": { schema: GangList } } },
    400: {
      description: "a bad parameter",
      content: { "application/problem+json": { schema: ProblemDetails } },
    },
    ...accessProblems,
  },
});

const detail = createRoute({
  method: "get",
  path: "/v1/gangs/{namespace}/{name}",
  summary: "One gang",
  description:
    "Its phase, members, deadline, place in the queue and who is ahead, last decisions, why it is pending and what would help.",
  request: { params: z.object({ namespace: z.string(), name: z.string() }) },
  responses: {
    200: { description: "the gang", content: { "application/json": { schema: GangDetail } } },
    404: {
      description: "no such gang",
      content: { "application/problem+json": { schema: ProblemDetails } },
    },
    ...accessProblems,
  },
});

/** The routes of the stage. */
export const gangs = stageApp()
  .openapi(list, async (c) => {
    const { limit, continue: after } = c.req.valid("query");
    return c.json(await indexObject(c).list({ limit, ...(after !== undefined && { after }) }), 200);
  })
  .openapi(detail, async (c) => {
    const { namespace, name } = c.req.valid("param");
    const id = `${namespace}/${name}`;
    const gang = await gangDetail(c, id);
    if (gang) return c.json(gang, 200);
    const detail = `No gang "${id}" is known: /v1/gangs lists all`;
    return problem(c, 404, { title: "Gang not found", detail }) as never;
  });

export default withDocuments(gangs);
