/**
 * The gangs of a cluster, and why each is where it is.
 *
 * @module
 */
import type { Run } from "../shared/contract/types.ts";
import { integer, shortText } from "../shared/contract/values.ts";
import * as v from "../shared/contract/valibot.ts";
import document from "./documents/gangs.json" with { type: "json" };
import type * as core from "../shared/core/gang/gang_times.ts";
import { gangDetail } from "../shared/http/gang_detail.ts";
import { indexObject } from "../shared/http/group_store.ts";
import { problem } from "../shared/http/problem.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import { validQuery } from "../shared/http/valid.ts";

/** A page of so many lines stays well under a megabyte, and keeps the index for some milliseconds. */
const longestPage = 500;

/** Which gangs are asked for. */
export const GangsQuery = v.object({
  limit: pageLength("gangs on a page"),
  continue: v.described(
    v.optional(shortText(507)),
    "what the page before says; absent: the first page",
  ),
});

/** Which runs are asked for. */
export const RunsQuery = v.object({
  limit: pageLength("runs on a page"),
  continue: v.described(
    v.optional(wholeNumber(Number.MAX_SAFE_INTEGER)),
    "what the page before says; absent: the first page",
  ),
});

/** The routes of the stage. */
export const gangs = stageApp()
  .get("/v1/gangs", validQuery(GangsQuery), async (c) => {
    const { limit, continue: after } = c.req.valid("query");
    return c.json(await indexObject(c).list({ limit, ...(after !== undefined && { after }) }), 200);
  })
  .get("/v1/runs", validQuery(RunsQuery), async (c) => {
    const { limit, continue: after } = c.req.valid("query");
    const page = await indexObject(c).runs({ limit, ...(after !== undefined && { after }) });
    return c.json({ ...page, runs: page.runs.map(shownRun) }, 200);
  })
  .get("/v1/gangs/:namespace/:name", async (c) => {
    const { namespace, name } = c.req.param();
    const id = `${namespace}/${name}`;
    const gang = await gangDetail(c, id);
    if (gang) return c.json(gang, 200);
    const detail = `No gang "${id}" is known: /v1/gangs lists all`;
    return problem(c, 404, { title: "Gang not found", detail }) as never;
  });

function pageLength(description: string) {
  return v.described(v.optional(wholeNumber(longestPage), longestPage), description);
}

/** As a query says it. */
function wholeNumber(largest: number) {
  return v.pipe(
    v.custom((text) => /^\d+$/.test(String(text)), "must be a whole number"),
    v.toNumber(),
    integer,
    v.minValue(1),
    v.maxValue(largest),
  );
}

function shownRun({ pattern: _, isLearnt: __, ...run }: core.Run): Run {
  const timeOf = (at: number) => new Date(at).toISOString();
  return {
    ...run,
    createdAt: timeOf(run.createdAt),
    startedAt: timeOf(run.startedAt),
    endedAt: timeOf(run.endedAt),
  };
}

export default /* @__PURE__ */ withDocuments(gangs, document);
