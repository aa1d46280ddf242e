/**
 * Admit: whether a gang group that could start may.
 *
 * @module
 */
import { AdmitRequest } from "../shared/contract/cluster_schemas.ts";
import document from "./documents/admit.json" with { type: "json" };
import type * as wire from "../shared/contract/types.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import { validJson } from "../shared/http/valid.ts";

/** The stage's answer: every group may. Policies of one's own answer in its place. */
function answerAdmit(): wire.AdmitAnswer {
  return { verdict: "allow" };
}

/** The routes of the stage. */
export const admit = stageApp().post(
  "/v1/admit",
  validJson(AdmitRequest),
  (c) => c.json(answerAdmit(), 200),
);

export default /* @__PURE__ */ withDocuments(admit, document);
