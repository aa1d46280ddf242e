/**
 * The routes of the contract, as documents tell of them.
 *
 * @module
 */
import { GangsQuery, RunsQuery } from "../../functions/gangs.ts";
import { AdmitRequest, QueueSortRequest } from "../../shared/contract/cluster_schemas.ts";
import { GangDetail, GangList, RunList } from "../../shared/contract/gang_views.ts";
import { PermitRequest } from "../../shared/contract/permit_request.ts";
import { PostfilterRequest } from "../../shared/contract/postfilter_request.ts";
import { PrefilterRequest } from "../../shared/contract/prefilter_request.ts";
import { UnreserveRequest } from "../../shared/contract/unreserve_request.ts";
import * as answers from "../../shared/contract/stage_answers.ts";
import type * as v from "../../shared/contract/valibot.ts";

/** A route. */
export interface Route {
  readonly method: "get" | "post";
  /** `/v1/gangs/{namespace}/{name}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** What is posted. */
  readonly body?: v.GenericSchema;
  readonly query?: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** What is answered, and what that is in words. */
  readonly answer: v.GenericSchema;
  readonly answers: string;
  /** What else may be answered, by status: problems. */
  readonly problems: Readonly<Record<number, string>>;
}

/** How a call may fail because of who calls. */
const accessProblems = {
  401: "no credential, or one that is not accepted",
  403: "a credential of another cluster, or one whose scope is less",
  503: "not configured, too many calls, or neither the store nor an issuer's keys can be had now",
};

const stageProblems = {
  ...accessProblems,
  400: "a bad request, with the path of the bad field",
  408: "a body that did not arrive in time",
  413: "a body over the limit",
  415: "a body that is not application/json",
};

/** The routes by the module of `functions/` that serves them, in the order in which all are served. */
export const routes = {
  queue_sort: [stage("/v1/queue-sort", {
    summary: "In which order are these units scheduled",
    description:
      "String order of the keys is scheduling order; every unit of a gang group gets the same key.",
    request: QueueSortRequest,
    answer: answers.QueueSortAnswer,
  })],
  prefilter: [stage("/v1/prefilter", {
    summary: "May the scheduler try this gang group now",
    description:
      "Asked when something about a gang changes. Rejects what can not become whole now, with the reason.",
    request: PrefilterRequest,
    answer: answers.Admission,
  })],
  permit: [stage("/v1/permit", {
    summary: "May the held members bind",
    description:
      "Allows all held members once every gang of the group is satisfied; until then they wait for the deadline.",
    request: PermitRequest,
    answer: answers.Decision,
  })],
  postfilter: [stage("/v1/postfilter", {
    summary: "The scheduler could not place members",
    description:
      "Strict gangs: the round fails once quorum is out of reach, and siblings learn the root cause.",
    request: PostfilterRequest,
    answer: answers.Decision,
  })],
  unreserve: [stage("/v1/unreserve", {
    summary: "Held members were lost",
    description:
      "Strict gangs: all held members go, unless the gang is satisfied without the lost one.",
    request: UnreserveRequest,
    answer: answers.Decision,
  })],
  admit: [stage("/v1/admit", {
    summary: "May a gang group start that could",
    description:
      "Asked last, and only where a policy of the cluster's own answers it: Muster's own allows whatever could start.",
    request: AdmitRequest,
    answer: answers.AdmitAnswer,
  })],
  gangs: [
    {
      method: "get",
      path: "/v1/gangs",
      summary: "All gangs, page by page",
      description:
        "A line per gang, by namespace and name. Reads the index only. A gang whose members are held may be " +
        "shown as it was a moment before: ask for it alone.",
      query: GangsQuery,
      answer: GangList,
      answers: "the gangs",
      problems: { 400: "a bad parameter", ...accessProblems },
    },
    {
      method: "get",
      path: "/v1/runs",
      summary: "Gangs that ran, page by page",
      description:
        "What is remembered of gangs that have ended: 20,000 at most, and none for more than 90 days.",
      query: RunsQuery,
      answer: RunList,
      answers: "the runs",
      problems: { 400: "a bad parameter", ...accessProblems },
    },
    {
      method: "get",
      path: "/v1/gangs/{namespace}/{name}",
      summary: "One gang",
      description:
        "Its phase, members, deadline, place in the queue and who is ahead, last decisions, why it is pending and what would help.",
      answer: GangDetail,
      answers: "the gang",
      problems: { 404: "no such gang", ...accessProblems },
    },
  ],
} as const satisfies Record<string, readonly Route[]>;

/** `POST /v1/<stage>` from one schema to another. */
function stage(
  path: string,
  about: {
    summary: string;
    description: string;
    request: v.GenericSchema;
    answer: v.GenericSchema;
  },
): Route {
  const { request, ...rest } = about;
  return {
    ...rest,
    method: "post",
    path,
    body: request,
    answers: "the answer",
    problems: stageProblems,
  };
}
