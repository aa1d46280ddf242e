/**
 * QueueSort: the order in which units are scheduled.
 *
 * @module
 */
import { QueueSortAnswer, QueueSortRequest } from "../shared/contract/schemas.ts";
import { groupId } from "../shared/core/facts.ts";
import { queueKeys } from "../shared/core/order.ts";
import { indexObject } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";

const route = stageRoute("/v1/queue-sort", {
  summary: "In which order are these units scheduled",
  description:
    "String order of the keys is scheduling order; every unit of a gang group gets the same key.",
  request: QueueSortRequest,
  answer: QueueSortAnswer,
});

/** The routes of the stage. */
export const queueSort = stageApp().openapi(route, async (c) => {
  const { units } = c.req.valid("json");
  const groups = [...new Set(units.flatMap(({ gang }) => gang ? [groupId(gang)] : []))];
  const failedAt = new Map(await indexObject(c).queueTimes(groups, c.var.settings));
  return c.json({ keys: queueKeys(units, { failedAt, settings: c.var.settings }) }, 200);
});

export default withDocuments(queueSort);
