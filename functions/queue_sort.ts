/**
 * QueueSort: the order in which units are scheduled.
 *
 * @module
 */
import { QueueSortAnswer, QueueSortRequest } from "../shared/contract/schemas.ts";
import type * as wire from "../shared/contract/types.ts";
import { groupId } from "../shared/core/gang/facts.ts";
import { queueKeys } from "../shared/core/queue/order.ts";
import { indexObject } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";

const route = stageRoute("/v1/queue-sort", {
  summary: "In which order are these units scheduled",
  description:
    "String order of the keys is scheduling order; every unit of a gang group gets the same key.",
  request: QueueSortRequest,
  answer: QueueSortAnswer,
});

/** The stage's answer. */
export async function answerQueueSort(c: StageCall, { units }: wire.QueueSortRequest) {
  const groups = [...new Set(units.flatMap(({ gang }) => gang ? [groupId(gang)] : []))];
  const failedAt = new Map(await indexObject(c).queueTimes(groups, c.var.settings));
  return { keys: queueKeys(units, { failedAt, settings: c.var.settings }) };
}

/** The routes of the stage. */
export const queueSort = stageApp().openapi(
  route,
  async (c) => c.json(await answerQueueSort(c, c.req.valid("json")), 200),
);

export default withDocuments(queueSort);
