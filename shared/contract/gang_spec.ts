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
  fewRecord,
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
import * as z from "./zod.ts";

/** The longest duration that Go can write, 292 years: times beyond it are no dates. */
const longestWaitSeconds = 9_223_372_036;

/** What its users say to a policy. */
export const attributes = z.described(
  fewRecord(
    filledText(limits.attributeKey),
    shortText(limits.attributeValue),
    limits.attributes,
  ),
  "What its users say to a policy (annotations policy.muster.scheduling/<key>): no stage of Muster reads it",
);

/** Which members count towards quorum (S3). */
export const MatchPolicy = z.enum(["once-satisfied", "waiting-and-running", "only-waiting"]);

/** Where members are to run together. */
const Topology = z.named(
  "Topology",
  z.object(() => ({
    required: z.optional(nodeLabel),
    preferred: z.optional(list(nodeLabel, limits.preferredLevels)),
    slice: z.optional(z.object(() => ({ key: nodeLabel, members: countFromOne }))),
  })),
  "Where members are to run together: keys are node labels, the most wanted first",
);

/** A part of a gang that has a minimum and a place of its own. */
const Role = z.named(
  "Role",
  z.object(() => ({
    name: roleName,
    min: count,
    topology: z.optional(Topology),
  })),
  "A part of a gang by its path (decode/leaders is within decode); min counts members, or the roles within it",
);

/** What a gang asks for. */
export const GangSpec = z.named(
  "GangSpec",
  z.object(() => ({
    namespace,
    name: gangName,
    uid: z.optional(text),
    minMember: countFromOne,
    totalMember: z.optional(countFromOne),
    mode: z.optional(z.enum(["Strict", "NonStrict"])),
    waitSeconds: z.optional(duration.check(z.maximum(longestWaitSeconds))),
    matchPolicy: z.optional(MatchPolicy),
    groups: z.optional(
      list(gangId, limits.groupGangs).check(
        z.refine(isGroupSize, { error: `must not be longer than ${limits.groupNames} in all` }),
      ),
    ),
    minResources: z.optional(
      fewRecord(resourceName, shortText(limits.quantity), limits.resources),
    ),
    queue: z.described(
      z.optional(text),
      "The queue that its PodGroup names, where that is Volcano's or KAI's: shown only",
    ),
    priority: z.optional(priority),
    disruption: z.optional(z.enum(["gang", "member"])),
    topology: z.optional(Topology),
    roles: z.optional(
      list(Role, limits.roles).check(
        z.refine((roles) => isUnique(roles.map(({ name }) => name)), {
          error: "must name each role once",
        }),
      ),
    ),
    attributes: z.optional(attributes),
    createdAt: time,
  })),
  "What a gang asks for",
);
