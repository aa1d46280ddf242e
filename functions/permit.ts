/**
 * Permit: whether held members may bind, by the rule of shared/core/stage/permit.ts.
 *
 * @module
 */
import { PermitRequest } from "../shared/contract/permit_request.ts";
import document from "./documents/permit.json" with { type: "json" };
import type * as wire from "../shared/contract/types.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";
import { validJson } from "../shared/http/valid.ts";

/** The stage's answer. */
export function answerPermit(c: StageCall, group: wire.PermitRequest) {
  const { settings } = c.var;
  return askGroup(c, group, (object, group) => object.permit({ stage: "permit", group, settings }));
}

/** The routes of the stage. */
export const permit = stageApp().post(
  "/v1/permit",
  validJson(PermitRequest),
  async (c) => c.json(await answerPermit(c, c.req.valid("json")), 200),
);

export default /* @__PURE__ */ withDocuments(permit, document);
