/**
 * The gangs of a cluster, and why each is where it is.
 *
 * @module
 */
import { createRoute, z } from "@hono/zod-openapi";
import { GangDetail, GangList, ProblemDetails } from "../shared/contract/schemas.ts";
import { groupObject, indexObject } from "../shared/http/group_store.ts";
import { problem } from "../shared/http/problem.ts";
import { accessProblems } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";

const list = createRoute({
  method: "get",
  path: "/v1/gangs",
  summary: "All gangs",
  description: "A line per gang, by namespace and name. Reads the index only.",
  responses: {
    200: { description: "the gangs", content: { "application/json": { schema: GangList } } },
    ...accessProblems,
  },
});

const detail = createRoute({
  method: "get",
  path: "/v1/gangs/{namespace}/{name}",
  summary: "One gang",
  description:
    "Its phase, members, deadline, place in the queue, last decisions, and why it is pending.",
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
  .openapi(list, async (c) => c.json({ gangs: await indexObject(c).list() }, 200))
  .openapi(detail, async (c) => {
    const { namespace, name } = c.req.valid("param");
    const id = `${namespace}/${name}`;
    const index = indexObject(c);
    const line = await index.find(id);
    if (!line) {
      const detail = `No gang "${id}" is known: /v1/gangs lists all`;
      return problem(c, 404, { title: "Gang not found", detail }) as never;
    }
    const place = await index.place(id, c.var.settings);
    const story = await groupObject(c, line.summary.group).describe(id);
    return c.json({
      spec: line.spec,
      decisions: [],
      ...line.summary,
      ...(place && { place }),
      ...story,
    }, 200);
  });

export default withDocuments(gangs);
