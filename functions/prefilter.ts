/**
 * PreFilter: whether the scheduler may try a gang group now, by the rule of shared/core/stage/prefilter.ts.
 *
 * @module
 */
import { PrefilterRequest } from "../shared/contract/prefilter_request.ts";
import document from "./documents/prefilter.json" with { type: "json" };
import type * as wire from "../shared/contract/types.ts";
import { askPrefilter } from "../shared/http/group_store.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";
import { validJson } from "../shared/http/valid.ts";

/** The stage's answer. */
export function answerPrefilter(
  c: StageCall,
  { fit, refused, ahead, estimate, policy, untried, atGate, ...group }: wire.PrefilterRequest,
) {
  const { settings } = c.var;
  const told = { group, fit, refused, ahead, estimate, policy, untried, atGate };
  return askPrefilter(c, { stage: "prefilter", ...told, settings });
}

/** The routes of the stage. */
export const prefilter = stageApp().post(
  "/v1/prefilter",
  validJson(PrefilterRequest),
  async (c) => c.json(await answerPrefilter(c, c.req.valid("json")), 200),
);

export default /* @__PURE__ */ withDocuments(prefilter, document);
