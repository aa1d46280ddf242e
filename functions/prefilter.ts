/**
 * PreFilter: whether the scheduler may try a gang group now.
 *
 * @module
 */
import { Admission, PrefilterRequest } from "../shared/contract/schemas.ts";
import type * as wire from "../shared/contract/types.ts";
import { askPrefilter } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";

const route = stageRoute("/v1/prefilter", {
  summary: "May the scheduler try this gang group now",
  description:
    "Asked when something about a gang changes. Rejects what can not become whole now, with the reason.",
  request: PrefilterRequest,
  answer: Admission,
});

/** The stage's answer. */
export function answerPrefilter(c: StageCall, { fit, ahead, ...group }: wire.PrefilterRequest) {
  const event = { stage: "prefilter", group, fit, ahead, settings: c.var.settings } as const;
  return askPrefilter(c, event);
}

/** The routes of the stage. */
export const prefilter = stageApp().openapi(
  route,
  async (c) => c.json(await answerPrefilter(c, c.req.valid("json")), 200),
);

export default withDocuments(prefilter);
