/**
 * The HTTP contract, version 1: every schema once, for types, validation and OpenAPI (DESIGN section 5).
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import {
  gangNamePattern,
  isGangId,
  isGroupSize,
  limits,
  namespacePattern,
} from "../core/gang/limits.ts";
import { reasons } from "../core/words/reason.ts";

/** The longest duration that Go can write, 292 years: times beyond it are no dates. */
const longestWaitSeconds = 9_223_372_036;

const count = z.number().int().nonnegative();
const amount = z.number().nonnegative();
const time = z.iso.datetime({ offset: true }).max(40);
const text = z.string().min(1).max(253);
const sentence = z.string().max(limits.sentence);
/** `pod`, its `namespace/name`, and some words more. */
const by = z.string().min(1).max(limits.gangId + 64).openapi({
  description: "Who had the room instead, in words",
});
const namespace = z.string().max(limits.namespace, { abort: true })
  .regex(namespacePattern, "must be a namespace's name");
const gangName = z.string().max(limits.gangName, { abort: true })
  .regex(gangNamePattern, "must be a name that a gang can be declared by");
const gangId = z.string().max(limits.gangId, { abort: true })
  .refine(isGangId, { error: "must be namespace/name" });
const schedulerName = z.string().max(limits.schedulerName);
const resourceName = z.string().min(1).max(limits.resourceName);

type List<Item extends z.ZodType> = z.ZodType<
  readonly z.output<Item>[],
  readonly z.input<Item>[]
>;

/** A list whose length is looked at before its content is; nobody changes one. */
function list<Item extends z.ZodType>(item: Item, longest: number): List<Item> {
  return z.array(item).max(longest, { abort: true });
}

/** As {@linkcode list}, of one item at least. */
function fullList<Item extends z.ZodType>(item: Item, longest: number): List<Item> {
  return z.array(item).max(longest, { abort: true }).min(1);
}

/** As {@linkcode list}: a record has no such limit. */
function fewResources(amounts: unknown, ctx: z.RefinementCtx): unknown {
  if (typeof amounts !== "object" || amounts === null) return amounts;
  if (Object.keys(amounts).length <= limits.resources) return amounts;
  ctx.addIssue(`must not have more than ${limits.resources} entries`);
  return z.NEVER;
}

function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

const MatchPolicy = z.enum(["once-satisfied", "waiting-and-running", "only-waiting"]);

/** What a gang asks for. */
export const GangSpec = z.object({
  namespace,
  name: gangName,
  uid: text.optional(),
  minMember: z.number().int().min(1),
  totalMember: z.number().int().min(1).optional(),
  mode: z.enum(["Strict", "NonStrict"]).optional(),
  waitSeconds: z.number().positive().max(longestWaitSeconds).optional(),
  matchPolicy: MatchPolicy.optional(),
  groups: list(gangId, limits.groupGangs)
    .refine(isGroupSize, { error: `must not be longer than ${limits.groupNames} in all` })
    .optional(),
  minResources: z.preprocess(
    fewResources,
    z.record(resourceName, z.string().max(limits.quantity)),
  ).optional(),
  priority: z.number().int().min(-(2 ** 31)).max(2 ** 31 - 1).optional(),
  createdAt: time,
}).openapi("GangSpec", { description: "What a gang asks for" });

/** A pod. */
export const PodRef = z.object({
  namespace: text,
  name: text,
  uid: z.string().min(1).max(limits.gangId),
  node: text.optional(),
}).openapi("PodRef", { description: "A pod, and the node its bind call names" });

/** Members by class. */
export const Census = z.object({
  pending: count,
  gated: count,
  bound: count,
  running: count,
  succeeded: count,
  failed: count,
  terminating: count,
  foreign: count.optional(),
}).openapi("Census", {
  description:
    "Members by class: each member that is not held is in exactly one, running is part of bound, " +
    "gated counts scheduling gates of others only, foreign those that wait for a scheduler that is not Muster's",
});

/** One gang now. */
export const GangFacts = z.object({
  gang: GangSpec,
  census: Census,
  held: list(PodRef, limits.members),
  problem: z.object({
    reason: z.string().min(1).max(limits.reason),
    message: sentence.min(1),
  }).optional(),
  parked: z.boolean().optional(),
  foreign: z.object({
    pod: text,
    scheduler: schedulerName,
    served: list(schedulerName, limits.served),
  }).optional(),
  preempted: z.object({ members: count.min(1), by }).optional().openapi({
    description: "Members that had to leave for others since the gang was whole last",
  }),
}).openapi("GangFacts", {
  description:
    "One gang now; held is the complete list of its open bind calls, foreign one of the members that wait for a " +
    "scheduler that is not Muster's",
});

/** A resource of the whole cluster. */
export const ResourceAmounts = z.object({
  name: resourceName,
  allocatable: amount,
  bound: amount,
  held: amount,
}).openapi("ResourceAmounts", {
  description:
    "What the nodes have of a resource for pods, and what bound and held pods ask of it: milli-CPUs, bytes, " +
    "and whole numbers of everything else",
});

/** All gangs of a gang group. */
export const Group = z.object({
  relay: z.object({ id: text, epoch: count }),
  gangs: fullList(GangFacts, limits.groupGangs)
    .refine((gangs) => gangs.reduce((sum, { held }) => sum + held.length, 0) <= limits.members, {
      error: `must not have more than ${limits.members} held members in all`,
      abort: true,
    })
    .refine((gangs) => isUnique(gangs.map(({ gang }) => `${gang.namespace}/${gang.name}`)), {
      error: "must name each gang once",
    })
    .refine((gangs) => isUnique(gangs.flatMap(({ held }) => held.map(({ uid }) => uid))), {
      error: "must name each held member once",
    }),
  resources: list(ResourceAmounts, limits.clusterResources).optional().openapi({
    description: "Now and then, for the page: no decision reads them",
  }),
}).openapi("Group", {
  description:
    "The facts of a whole gang group. epoch grows with every set of facts the relay takes; the same " +
    "call with the same epoch and facts gets the same answer, one with other facts is decided by them",
});

/** How much of the group fits. */
export const Fit = z.object({
  members: count,
  of: count,
  byPreemption: count.optional(),
  shortOf: z.string().max(limits.resourceName).optional(),
  isForMinResources: z.boolean().optional(),
  minResources: z.object({ asks: amount, free: amount, members: count }).optional(),
  impossible: z.object({
    scope: z.enum(["member", "gang", "minResources"]),
    resource: z.string().max(limits.resourceName).optional(),
    asks: amount,
    largest: amount,
  }).optional(),
}).openapi("Fit", { description: "How many of the members that still need a node find room now" });

/** `POST /v1/prefilter`. */
export const PrefilterRequest = Group.extend({
  fit: Fit.optional(),
  ahead: z.object({ gang: gangId, since: time }).optional(),
}).openapi("PrefilterRequest");

/** `POST /v1/permit`. */
export const PermitRequest = Group.openapi("PermitRequest");

/** `POST /v1/postfilter`. */
export const PostfilterRequest = Group.extend({
  failed: list(
    z.object({
      uid: text,
      message: sentence,
      name: text.optional(),
      gang: gangId.optional(),
    }),
    limits.members,
  ),
}).openapi("PostfilterRequest");

/** `POST /v1/unreserve`. */
export const UnreserveRequest = Group.extend({
  lost: fullList(
    z.object({
      pod: PodRef,
      cause: z.enum(["aborted", "bind-failed", "deleted", "gone"]),
      gang: gangId.optional(),
      by: by.optional(),
    }),
    limits.members,
  ),
}).openapi("UnreserveRequest");

/** `POST /v1/queue-sort`. */
export const QueueSortRequest = z.object({
  units: list(
    z.object({
      id: z.string().min(1).max(limits.gangId),
      gang: GangSpec.optional(),
      priority: z.number().int().min(-(2 ** 31)).max(2 ** 31 - 1),
      queuedAt: time,
      bound: count.optional(),
      wholeAt: count.optional(),
    }),
    limits.members,
  ),
}).openapi("QueueSortRequest");

const Reason = z.enum(reasons).openapi("Reason", {
  description: "Shared by answers, events, logs and metrics",
});
const message = z.string().openapi({ description: "One sentence a person can act on" });

const whole = z.record(z.string(), count).optional().openapi({
  description:
    "Gangs that were whole once, with the largest minMember at which they were: queue-sort is told it as wholeAt",
});

/** Answer of prefilter. */
export const Admission = z.object({
  verdict: z.enum(["allow", "reject"]),
  reason: Reason,
  message,
  help: z.string().optional().openapi({
    description: "What would help, where that does not follow from the reason",
  }),
  need: count.optional(),
  needs: z.record(z.string(), count).optional(),
  retryAfterSeconds: z.number().nonnegative().optional(),
  whole,
  matchPolicy: MatchPolicy.optional().openapi({
    description: "How gangs are counted that name no policy",
  }),
  askAgain: z.string().optional(),
}).openapi("Admission", { description: "Whether the scheduler may try the group's members now" });

/** Answer of permit, postfilter and unreserve. */
export const Decision = z.object({
  verdict: z.enum(["allow", "wait", "reject"]),
  allow: z.array(z.string()),
  wait: z.array(z.string()),
  reject: z.array(z.string()),
  need: count.optional(),
  deadline: time.optional(),
  askAgainSeconds: z.number().nonnegative().optional(),
  park: z.boolean().optional(),
  failedAt: time.optional(),
  whole,
  reason: Reason,
  message,
}).openapi("Decision", { description: "What should be true of the held members, uid by uid" });

/** Answer of queue-sort. */
export const QueueSortAnswer = z.object({
  keys: z.array(z.object({ id: z.string(), key: z.string() })),
}).openapi("QueueSortAnswer", { description: "String order of the keys is scheduling order" });

/** What a gang looks like in `GET /v1/gangs`. */
export const GangSummary = z.object({
  namespace: z.string(),
  name: z.string(),
  group: z.string(),
  phase: z.enum(["Pending", "Scheduling", "Running", "Finished", "Failed"]),
  minMember: z.number().int(),
  members: Census.extend({ held: count }),
  reason: Reason,
  message,
  since: time.optional().openapi({ description: "Since when the reason is the same" }),
  queueKey: z.string().optional().openapi({
    description: "In lists: string order is the order of the gangs that are not bound yet",
  }),
  updatedAt: time,
}).openapi("GangSummary");

/** Answer of `GET /v1/gangs`. */
export const GangList = z.object({
  gangs: z.array(GangSummary),
  continue: z.string().optional().openapi({
    description: "Asks for the next page; absent on the last",
  }),
}).openapi("GangList");

/** Answer of `GET /v1/gangs/{namespace}/{name}`. */
export const GangDetail = GangSummary.extend({
  spec: GangSpec,
  deadline: time.optional(),
  failedAt: time.optional(),
  place: z.number().int().min(1).optional().openapi({
    description: "Place among the gangs that are not bound yet",
  }),
  ahead: z.array(z.string()).optional().openapi({
    description: "The gangs before it in the queue, the nearest first, ten at most",
  }),
  help: z.string().optional().openapi({ description: "What would help a gang that waits" }),
  decisions: z.array(z.object({
    at: time,
    stage: z.enum(["prefilter", "permit", "postfilter", "unreserve"]),
    verdict: z.string(),
    reason: Reason,
    message: z.string(),
  })).openapi({
    description: "The last decisions that differed from the one before, newest first",
  }),
}).openapi("GangDetail");

/** RFC 9457. */
export const ProblemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
}).openapi("ProblemDetails", { description: "An RFC 9457 problem; errors names the bad fields" });
