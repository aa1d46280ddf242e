/**
 * PreFilter: whether the scheduler may try a gang group now.
 *
 * @module
 */
import { Admission, PrefilterRequest } from "../shared/contract/schemas.ts";
import { askPrefilter } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";

const route = stageRoute("/v1/prefilter", {
  summary: "May the scheduler try this gang group now",
  description:
    "Asked when something about a gang changes. Rejects what can not become whole now, with the reason.",
  request: PrefilterRequest,
  answer: Admission,
});

/** The routes of the stage. */
export const prefilter = stageApp().openapi(route, async (c) => {
  const { fit, ahead, ...group } = c.req.valid("json");
  const event = { stage: "prefilter", group, fit, ahead, settings: c.var.settings } as const;
  return c.json(await askPrefilter(c, event), 200);
});

export default withDocuments(prefilter);
