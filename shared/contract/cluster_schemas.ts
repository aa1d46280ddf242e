/**
 * The stages that are told of the whole cluster: queue-sort, and admit.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { attributes, GangSpec } from "./gang_spec.ts";
import { Group, ResourceAmounts } from "./schemas.ts";
import {
  amount,
  count,
  fewRecord,
  filledText,
  gangId,
  list,
  namespace,
  priority,
  resourceName,
  text,
  time,
} from "./values.ts";
import * as z from "./zod.ts";

/** Amounts of resources. */
const Amounts = z.described(
  fewRecord(resourceName, amount, limits.resources),
  "milli-CPUs, bytes, and whole numbers of everything else",
);

/** What has room now. */
export const Running = z.named(
  "Running",
  z.object(() => ({
    namespace,
    name: z.optional(text),
    attributes: z.optional(attributes),
    pods: count,
    requests: Amounts,
  })),
  "What bound and held pods of a gang ask for together; without a name, those of a namespace that are in no gang that is listed",
);

/** The cluster, for policies that share it out. */
const clusterFacts = {
  at: z.described(
    z.optional(time),
    "When this is asked: a policy that looks at a clock looks at this one",
  ),
  resources: z.optional(list(ResourceAmounts, limits.clusterResources)),
  running: z.optional(list(Running, limits.running + limits.members)),
  starting: z.described(
    z.optional(list(Running, limits.running)),
    "Other gangs that were let in, or for which pods leave: what their members without a node ask for",
  ),
};

/** `POST /v1/admit`. */
export const AdmitRequest = z.named(
  "AdmitRequest",
  z.extended(Group, {
    ...clusterFacts,
    asks: z.described(
      z.optional(z.record(gangId, Amounts)),
      "By gang, what its members without a node ask for together",
    ),
  }),
  "A gang group that could start now: nothing but this stage's answer keeps it back",
);

/** `POST /v1/queue-sort`. */
export const QueueSortRequest = z.named(
  "QueueSortRequest",
  z.object(() => ({
    units: list(
      z.object(() => ({
        id: filledText(limits.gangId),
        gang: z.optional(GangSpec),
        priority,
        queuedAt: time,
        bound: z.optional(count),
        wholeAt: z.optional(count),
        asks: z.optional(Amounts),
      })),
      limits.members,
    ),
    ...clusterFacts,
  })),
);
