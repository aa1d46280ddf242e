/**
 * The HTTP contract, version 1, of what every stage is told of a gang group: every schema once, for types, validation and
 * OpenAPI (DESIGN section 5). What one stage alone is told is in a module of its own, so that the bundles of the others, and
 * their start, go without.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { ClusterMap } from "./cluster_map.ts";
import { Composites, LeftOut } from "./composites.ts";
import { GangSpec } from "./gang_spec.ts";
import { GangTimes } from "./gang_times.ts";
import {
  amount,
  by,
  count,
  countFromOne,
  filledText,
  fullList,
  gangId,
  isUnique,
  list,
  resourceName,
  roleName,
  schedulerName,
  sentence,
  text,
} from "./values.ts";
import * as z from "./zod.ts";

/** A pod. */
export const PodRef = z.named(
  "PodRef",
  z.object(() => ({
    namespace: text,
    name: text,
    uid: filledText(limits.gangId),
    node: z.optional(text),
    role: z.optional(roleName),
  })),
  "A pod, and the node its bind call names",
);

/** Members by class. */
export const Census = z.named(
  "Census",
  z.object(() => ({
    pending: count,
    gated: count,
    bound: count,
    running: count,
    succeeded: count,
    failed: count,
    terminating: count,
    foreign: z.optional(count),
  })),
  "Members by class: each member that is not held is in exactly one, running is part of bound, " +
    "gated counts scheduling gates of others only, foreign those that wait for a scheduler that is not Muster's",
);

/** Members of a role. */
const RoleCensus = z.named(
  "RoleCensus",
  z.object(() => ({
    name: roleName,
    pending: count,
    gated: count,
    bound: count,
    succeeded: count,
    held: count,
  })),
  "Members of a role that has no roles within it; held ones are in no other class",
);

/** One gang now. */
export const GangFacts = z.named(
  "GangFacts",
  z.object(() => ({
    gang: GangSpec,
    census: Census,
    held: list(PodRef, limits.members),
    problem: z.optional(z.object(() => ({
      reason: filledText(limits.reason),
      message: sentence.check(z.minLength(1)),
    }))),
    parked: z.optional(z.boolean()),
    foreign: z.optional(z.object(() => ({
      pod: text,
      scheduler: schedulerName,
      served: list(schedulerName, limits.served),
    }))),
    preempted: z.described(
      z.optional(z.object(() => ({ members: countFromOne, by }))),
      "Members that had to leave for others since the gang was whole last",
    ),
    roles: z.optional(list(RoleCensus, limits.roles)),
  })),
  "One gang now; held is the complete list of its open bind calls, foreign one of the members that wait for a " +
    "scheduler that is not Muster's",
);

/** A resource of the whole cluster. */
export const ResourceAmounts = z.named(
  "ResourceAmounts",
  z.object(() => ({
    name: resourceName,
    allocatable: amount,
    bound: amount,
    held: amount,
  })),
  "What the nodes have of a resource for pods, and what bound and held pods ask of it: milli-CPUs, bytes, " +
    "and whole numbers of everything else",
);

/** A member, for whoever looks. */
export const GangPod = z.named(
  "GangPod",
  z.object(() => ({
    name: text,
    uid: text,
    node: z.optional(text),
    planned: z.described(
      z.optional(text),
      "The node on which it is held or to which it is to go, while it is bound to none",
    ),
    domain: z.described(
      z.optional(sentence),
      "The domain of the one or the other, where its gang declares a topology",
    ),
    state: z.enum([
      "pending",
      "gated",
      "held",
      "bound",
      "running",
      "succeeded",
      "failed",
      "terminating",
      "foreign",
    ]),
    requests: z.record(resourceName, amount),
  })),
  "A member; its requests are milli-CPUs, bytes, and whole numbers of everything else",
);

/** All gangs of a gang group. */
export const Group = z.named(
  "Group",
  z.object(() => ({
    relay: z.object(() => ({ id: text, epoch: count })),
    gangs: fullList(GangFacts, limits.groupGangs).check(
      z.refine((gangs) => gangs.reduce((sum, { held }) => sum + held.length, 0) <= limits.members, {
        error: `must not have more than ${limits.members} held members in all`,
        abort: true,
      }),
      z.refine((gangs) => isUnique(gangs.map(({ gang }) => `${gang.namespace}/${gang.name}`)), {
        error: "must name each gang once",
      }),
      z.refine((gangs) => isUnique(gangs.flatMap(({ held }) => held.map(({ uid }) => uid))), {
        error: "must name each held member once",
      }),
    ),
    composites: z.described(
      z.optional(Composites),
      "Which of the gangs are needed; absent: all, and so are those that no composite names",
    ),
    leftOut: z.described(
      z.optional(LeftOut),
      "What the group can do without and has no room now: for what is said, no decision reads it",
    ),
    resources: z.described(
      z.optional(list(ResourceAmounts, limits.clusterResources)),
      "For the page: no decision reads them",
    ),
    map: z.described(
      z.optional(ClusterMap),
      "For the page: no decision reads it. Absent: it is as it was told last",
    ),
    pods: z.described(
      z.optional(z.record(gangId, list(GangPod, limits.shownPods))),
      "By gang, its first members by name, for whoever looks: no decision reads them",
    ),
    times: z.described(
      z.optional(z.record(gangId, GangTimes)),
      "By gang, when it ran and is going to: no decision reads it",
    ),
  })),
  "The facts of a whole gang group. epoch grows with every set of facts the relay takes; the same " +
    "call with the same epoch and facts gets the same answer, one with other facts is decided by them",
);
