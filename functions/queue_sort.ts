/**
 * QueueSort: the order in which units are scheduled, by the rule of shared/core/queue/order.ts.
 *
 * @module
 */
import { QueueSortRequest } from "../shared/contract/cluster_schemas.ts";
import document from "./documents/queue_sort.json" with { type: "json" };
import type * as wire from "../shared/contract/types.ts";
import { groupId } from "../shared/core/gang/facts.ts";
import { queueKeys } from "../shared/core/queue/order.ts";
import { indexObject } from "../shared/http/group_store.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";
import { validJson } from "../shared/http/valid.ts";

/** The stage's answer. */
export async function answerQueueSort(
  c: StageCall,
  { units }: wire.QueueSortRequest,
): Promise<wire.QueueSortAnswer> {
  // Who asks about nobody wants to know whether the index still is the one that has been told of its gangs.
  if (units.length === 0) return { keys: [], index: await indexObject(c).identity() };
  const groups = [...new Set(units.flatMap(({ gang }) => gang ? [groupId(gang)] : []))];
  const failedAt = new Map(await indexObject(c).queueTimes(groups, c.var.settings));
  return { keys: queueKeys(units, { failedAt, settings: c.var.settings }) };
}

/** The routes of the stage. */
export const queueSort = stageApp().post(
  "/v1/queue-sort",
  validJson(QueueSortRequest),
  async (c) => c.json(await answerQueueSort(c, c.req.valid("json")), 200),
);

export default /* @__PURE__ */ withDocuments(queueSort, document);
