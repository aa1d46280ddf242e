/**
 * Unreserve: what becomes of a gang group that lost a held member, by the rule of shared/core/stage/unreserve.ts.
 *
 * @module
 */
import { UnreserveRequest } from "../shared/contract/unreserve_request.ts";
import document from "./documents/unreserve.json" with { type: "json" };
import type * as wire from "../shared/contract/types.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";
import { validJson } from "../shared/http/valid.ts";

/** The stage's answer. */
export function answerUnreserve(c: StageCall, { lost, ...group }: wire.UnreserveRequest) {
  const { settings } = c.var;
  return askGroup(
    c,
    group,
    (object, group) => object.unreserve({ stage: "unreserve", group, lost, settings }),
  );
}

/** The routes of the stage. */
export const unreserve = stageApp().post(
  "/v1/unreserve",
  validJson(UnreserveRequest),
  async (c) => c.json(await answerUnreserve(c, c.req.valid("json")), 200),
);

export default /* @__PURE__ */ withDocuments(unreserve, document);
