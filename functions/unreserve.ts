/**
 * Unreserve: what becomes of a gang group that lost a held member.
 *
 * @module
 */
import { Decision, UnreserveRequest } from "../shared/contract/schemas.ts";
import type * as wire from "../shared/contract/types.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";

const route = stageRoute("/v1/unreserve", {
  summary: "Held members were lost",
  description:
    "Strict gangs: all held members go, unless the gang is satisfied without the lost one.",
  request: UnreserveRequest,
  answer: Decision,
});

/** The stage's answer. */
export function answerUnreserve(c: StageCall, { lost, ...group }: wire.UnreserveRequest) {
  const event = { stage: "unreserve", group, lost, settings: c.var.settings } as const;
  return askGroup(c, group, (object) => object.unreserve(event));
}

/** The routes of the stage. */
export const unreserve = stageApp().openapi(
  route,
  async (c) => c.json(await answerUnreserve(c, c.req.valid("json")), 200),
);

export default withDocuments(unreserve);
