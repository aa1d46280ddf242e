/**
 * All stages in one app.
 *
 * @module
 */
import { page } from "../page/page.ts";
import { stageApp, withDocuments } from "../shared/http/stage_app.ts";
import { admit } from "./admit.ts";
import { gangs } from "./gangs.ts";
import { permit } from "./permit.ts";
import { postfilter } from "./postfilter.ts";
import { prefilter } from "./prefilter.ts";
import { queueSort } from "./queue_sort.ts";
import { unreserve } from "./unreserve.ts";
import document from "./documents/policy.json" with { type: "json" };

const stages = stageApp()
  .route("/", queueSort)
  .route("/", prefilter)
  .route("/", permit)
  .route("/", postfilter)
  .route("/", unreserve)
  .route("/", admit)
  .route("/", gangs);

/** The type of the app, for a typed client. */
export type AppType = typeof stages;

/** The policy endpoints, and the page. */
export const policy = withDocuments(stageApp().route("/", stages).route("/", page), document);
