/**
 * Permit: whether held members may bind.
 *
 * @module
 */
import { Decision, PermitRequest } from "../shared/contract/schemas.ts";
import type * as wire from "../shared/contract/types.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";

const route = stageRoute("/v1/permit", {
  summary: "May the held members bind",
  description:
    "Allows all held members once every gang of the group is satisfied; until then they wait for the deadline.",
  request: PermitRequest,
  answer: Decision,
});

/** The stage's answer. */
export function answerPermit(c: StageCall, group: wire.PermitRequest) {
  const event = { stage: "permit", group, settings: c.var.settings } as const;
  return askGroup(c, group, (object) => object.permit(event));
}

/** The routes of the stage. */
export const permit = stageApp().openapi(
  route,
  async (c) => c.json(await answerPermit(c, c.req.valid("json")), 200),
);

export default withDocuments(permit);
