/**
 * Permit: whether held members may bind.
 *
 * @module
 */
import { Decision, PermitRequest } from "../shared/contract/schemas.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";

const route = stageRoute("/v1/permit", {
  summary: "May the held members bind",
  description:
    "Allows all held members once every gang of the group is satisfied; until then they wait for the deadline.",
  request: PermitRequest,
  answer: Decision,
});

/** The routes of the stage. */
export const permit = stageApp().openapi(route, async (c) => {
  const group = c.req.valid("json");
  const event = { stage: "permit", group, settings: c.var.settings } as const;
  return c.json(await askGroup(c, group, (object) => object.permit(event)), 200);
});

export default withDocuments(permit);
