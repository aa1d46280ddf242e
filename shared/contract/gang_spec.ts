/**
 * What a gang asks for, on the wire.
 *
 * @module
 */
import { isGroupSize, limits } from "../core/gang/limits.ts";
import {
  count,
  countFromOne,
  duration,
  filledText,
  gangId,
  gangName,
  isUnique,
  list,
  namespace,
  nodeLabel,
  priority,
  resourceName,
  roleName,
  shortText,
  text,
  time,
} from "./values.ts";
import * as v from "./valibot.ts";

/** What its users say to a policy. */
export const attributes = v.described(
  v.record(
    filledText(limits.attributeKey),
    shortText(limits.attributeValue),
    limits.attributes,
  ),
  "What its users say to a policy (annotations policy.muster.scheduling/<key>): no stage of Muster reads it",
);

/** Which members count towards quorum (S3). */
export const MatchPolicy = v.picklist(["once-satisfied", "waiting-and-running", "only-waiting"]);

/** Where members are to run together. */
const Topology = v.named(
  "Topology",
  v.object({
    required: v.optional(nodeLabel),
    preferred: v.optional(list(nodeLabel, limits.preferredLevels)),
    slice: v.optional(v.object({ key: nodeLabel, members: countFromOne })),
  }),
  "Where members are to run together: keys are node labels, the most wanted first",
);

/** A part of a gang that has a minimum and a place of its own. */
const Role = v.named(
  "Role",
  v.object({
    name: roleName,
    min: count,
    topology: v.optional(Topology),
  }),
  "A part of a gang by its path (decode/leaders is within decode); min counts members, or the roles within it",
);

/** What a gang asks for. */
export const GangSpec = v.named(
  "GangSpec",
  v.object({
    namespace,
    name: gangName,
    uid: v.optional(text),
    minMember: countFromOne,
    totalMember: v.optional(countFromOne),
    mode: v.optional(v.picklist(["Strict", "NonStrict"])),
    waitSeconds: v.optional(v.pipe(duration, v.maxValue(limits.waitSeconds))),
    matchPolicy: v.optional(MatchPolicy),
    groups: v.optional(
      v.pipe(
        list(gangId, limits.groupGangs),
        v.check(isGroupSize, `must not be longer than ${limits.groupNames} in all`),
      ),
    ),
    minResources: v.optional(
      v.record(resourceName, shortText(limits.quantity), limits.resources),
    ),
    queue: v.described(
      v.optional(text),
      "The queue that its PodGroup names, where that is Volcano's or KAI's: shown only",
    ),
    priority: v.optional(priority),
    disruption: v.optional(v.picklist(["gang", "member"])),
    topology: v.optional(Topology),
    roles: v.optional(
      v.pipe(
        list(Role, limits.roles),
        v.check((roles) => isUnique(roles.map(({ name }) => name)), "must name each role once"),
      ),
    ),
    attributes: v.optional(attributes),
    createdAt: time,
  }),
  "What a gang asks for",
);
