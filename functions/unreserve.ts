/**
 * Unreserve: what becomes of a gang group that lost a held member.
 *
 * @module
 */
import { Decision, UnreserveRequest } from "../shared/contract/schemas.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";

const route = stageRoute("/v1/unreserve", {
  summary: "Held members were lost",
  description:
    "Strict gangs: all held members go, unless the gang is satisfied without the lost one.",
  request: UnreserveRequest,
  answer: Decision,
});

/** The routes of the stage. */
export const unreserve = stageApp().openapi(route, async (c) => {
  const { lost, ...group } = c.req.valid("json");
  const event = { stage: "unreserve", group, lost, settings: c.var.settings } as const;
  return c.json(await askGroup(c, group, (object) => object.unreserve(event)), 200);
});

export default withDocuments(unreserve);
