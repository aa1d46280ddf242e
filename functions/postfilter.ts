/**
 * PostFilter: what becomes of a round when the scheduler can not place a member.
 *
 * @module
 */
import { Decision, PostfilterRequest } from "../shared/contract/schemas.ts";
import type * as wire from "../shared/contract/types.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageRoute } from "../shared/http/route.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";

const route = stageRoute("/v1/postfilter", {
  summary: "The scheduler could not place members",
  description:
    "Strict gangs: the round fails once quorum is out of reach, and siblings learn the root cause.",
  request: PostfilterRequest,
  answer: Decision,
});

/** The stage's answer. */
export function answerPostfilter(c: StageCall, { failed, ...group }: wire.PostfilterRequest) {
  const event = { stage: "postfilter", group, failed, settings: c.var.settings } as const;
  return askGroup(c, group, (object) => object.postfilter(event));
}

/** The routes of the stage. */
export const postfilter = stageApp().openapi(
  route,
  async (c) => c.json(await answerPostfilter(c, c.req.valid("json")), 200),
);

export default withDocuments(postfilter);
