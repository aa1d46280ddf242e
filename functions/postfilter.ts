/**
 * PostFilter: what becomes of a round when the scheduler can not place a member, by the rule of shared/core/stage/postfilter.ts.
 *
 * @module
 */
import { PostfilterRequest } from "../shared/contract/postfilter_request.ts";
import document from "./documents/postfilter.json" with { type: "json" };
import type * as wire from "../shared/contract/types.ts";
import { askGroup } from "../shared/http/group_store.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import type { StageCall } from "../shared/http/stage_env.ts";
import { validJson } from "../shared/http/valid.ts";

/** The stage's answer. */
export function answerPostfilter(c: StageCall, { failed, ...group }: wire.PostfilterRequest) {
  const { settings } = c.var;
  return askGroup(
    c,
    group,
    (object, group) => object.postfilter({ stage: "postfilter", group, failed, settings }),
  );
}

/** The routes of the stage. */
export const postfilter = stageApp().post(
  "/v1/postfilter",
  validJson(PostfilterRequest),
  async (c) => c.json(await answerPostfilter(c, c.req.valid("json")), 200),
);

export default /* @__PURE__ */ withDocuments(postfilter, document);
