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
import * as v from "./valibot.ts";

/** A pod. */
export const PodRef = v.named(
  "PodRef",
  v.object({
    namespace: text,
    name: text,
    uid: filledText(limits.gangId),
    node: v.optional(text),
    role: v.optional(roleName),
  }),
  "A pod, and the node its bind call names",
);

/** Members by class. */
export const Census = v.named(
  "Census",
  v.object({
    pending: count,
    gated: count,
    bound: count,
    running: count,
    succeeded: count,
    failed: count,
    terminating: count,
    foreign: v.optional(count),
  }),
  "Members by class: each member that is not held is in exactly one, running is part of bound, " +
    "gated counts scheduling gates of others only, foreign those that wait for a scheduler that is not Muster's",
);

/** Members of a role. */
const RoleCensus = v.named(
  "RoleCensus",
  v.object({
    name: roleName,
    pending: count,
    gated: count,
    bound: count,
    succeeded: count,
    held: count,
  }),
  "Members of a role that has no roles within it; held ones are in no other class",
);

/** One gang now. */
export const GangFacts = v.named(
  "GangFacts",
  v.object({
    gang: GangSpec,
    census: Census,
    held: list(PodRef, limits.members),
    problem: v.optional(v.object({
      reason: filledText(limits.reason),
      message: v.pipe(sentence, v.minLength(1)),
    })),
    parked: v.optional(v.boolean()),
    foreign: v.optional(v.object({
      pod: text,
      scheduler: schedulerName,
      served: list(schedulerName, limits.served),
    })),
    preempted: v.described(
      v.optional(v.object({ members: countFromOne, by })),
      "Members that had to leave for others since the gang was whole last",
    ),
    roles: v.optional(list(RoleCensus, limits.roles)),
  }),
  "One gang now; held is the complete list of its open bind calls, foreign one of the members that wait for a " +
    "scheduler that is not Muster's",
);

/** A resource of the whole cluster. */
export const ResourceAmounts = v.named(
  "ResourceAmounts",
  v.object({
    name: resourceName,
    allocatable: amount,
    bound: amount,
    held: amount,
  }),
  "What the nodes have of a resource for pods, and what bound and held pods ask of it: milli-CPUs, bytes, " +
    "and whole numbers of everything else",
);

/** A member, for whoever looks. */
export const GangPod = v.named(
  "GangPod",
  v.object({
    name: text,
    uid: text,
    node: v.optional(text),
    planned: v.described(
      v.optional(text),
      "The node on which it is held or to which it is to go, while it is bound to none",
    ),
    domain: v.described(
      v.optional(sentence),
      "The domain of the one or the other, where its gang declares a topology",
    ),
    state: v.picklist([
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
    requests: v.record(resourceName, amount),
  }),
  "A member; its requests are milli-CPUs, bytes, and whole numbers of everything else",
);

/** All gangs of a gang group. */
export const Group = v.named(
  "Group",
  v.object({
    relay: v.object({ id: text, epoch: count }),
    gangs: v.pipe(
      fullList(GangFacts, limits.groupGangs),
      v.check(
        (gangs) => gangs.reduce((sum, { held }) => sum + held.length, 0) <= limits.members,
        `must not have more than ${limits.members} held members in all`,
      ),
      v.check(
        (gangs) => isUnique(gangs.map(({ gang }) => `${gang.namespace}/${gang.name}`)),
        "must name each gang once",
      ),
      v.check(
        (gangs) => isUnique(gangs.flatMap(({ held }) => held.map(({ uid }) => uid))),
        "must name each held member once",
      ),
    ),
    composites: v.described(
      v.optional(Composites),
      "Which of the gangs are needed; absent: all, and so are those that no composite names",
    ),
    leftOut: v.described(
      v.optional(LeftOut),
      "What the group can do without and has no room now: for what is said, no decision reads it",
    ),
    resources: v.described(
      v.optional(list(ResourceAmounts, limits.clusterResources)),
      "For the page: no decision reads them",
    ),
    map: v.described(
      v.optional(ClusterMap),
      "For the page: no decision reads it. Absent: it is as it was told last",
    ),
    pods: v.described(
      v.optional(v.record(gangId, list(GangPod, limits.shownPods))),
      "By gang, its first members by name, for whoever looks: no decision reads them",
    ),
    times: v.described(
      v.optional(v.record(gangId, GangTimes)),
      "By gang, when it ran and is going to: no decision reads it",
    ),
  }),
  "The facts of a whole gang group. epoch grows with every set of facts the relay takes; the same " +
    "call with the same epoch and facts gets the same answer, one with other facts is decided by them",
);
