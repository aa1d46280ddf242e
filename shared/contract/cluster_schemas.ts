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
  filledText,
  gangId,
  list,
  namespace,
  priority,
  resourceName,
  text,
  time,
} from "./values.ts";
import * as v from "./valibot.ts";

/** Amounts of resources. */
const Amounts = v.described(
  v.record(resourceName, amount, limits.resources),
  "milli-CPUs, bytes, and whole numbers of everything else",
);

/** What has room now. */
export const Running = v.named(
  "Running",
  v.object({
    namespace,
    name: v.optional(text),
    attributes: v.optional(attributes),
    pods: count,
    requests: Amounts,
  }),
  "What bound and held pods of a gang ask for together; without a name, those of a namespace that are in no gang that is listed",
);

/** The cluster, for policies that share it out. */
const clusterFacts = {
  at: v.described(
    v.optional(time),
    "When this is asked: a policy that looks at a clock looks at this one",
  ),
  resources: v.optional(list(ResourceAmounts, limits.clusterResources)),
  running: v.optional(list(Running, limits.running + limits.members)),
  starting: v.described(
    v.optional(list(Running, limits.running)),
    "Other gangs that were let in, or for which pods leave: what their members without a node ask for",
  ),
};

/** `POST /v1/admit`. */
export const AdmitRequest = v.named(
  "AdmitRequest",
  v.extended(Group, {
    ...clusterFacts,
    asks: v.described(
      v.optional(v.record(gangId, Amounts)),
      "By gang, what its members without a node ask for together",
    ),
  }),
  "A gang group that could start now: nothing but this stage's answer keeps it back",
);

/** `POST /v1/queue-sort`. */
export const QueueSortRequest = v.named(
  "QueueSortRequest",
  v.object({
    units: list(
      v.object({
        id: filledText(limits.gangId),
        gang: v.optional(GangSpec),
        priority,
        queuedAt: time,
        bound: v.optional(count),
        wholeAt: v.optional(count),
        asks: v.optional(Amounts),
      }),
      limits.members,
    ),
    ...clusterFacts,
  }),
);
