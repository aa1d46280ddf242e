/**
 * What objects hold that nobody reads: on a large cluster most of the memory that their copies would take.
 *
 * @module
 */

import type { Pod } from "./types.ts";

type Parsed = Record<string, unknown>;
type Ended = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** The largest parts of pods, nodes and Jobs, by where they stand. */
const unread = {
  metadata: ["managedFields"],
  spec: ["volumes", "template"],
  status: [
    ...["images", "initContainerStatuses", "volumesInUse"],
    ...["capacity", "nodeInfo", "addresses"],
  ],
} as const;
const unreadOfContainers = ["env", "envFrom", "volumeMounts", "command", "args"] as const;
/** Of pods; PodGroups have others, which are kept for whoever wrote them. */
const readConditions = ["PodScheduled", "Ready", "DisruptionTarget"];

/** Frees them, of an object that has just been parsed and is nobody else's. */
export function dropUnread(object: object): void {
  const parts = object as { [part in keyof typeof unread]?: Parsed };
  drop(parts.metadata, unread.metadata);
  drop(parts.spec, unread.spec);
  drop(parts.status, unread.status);
  const containers = parts.spec?.["containers"] as Parsed[] | undefined;
  for (const container of containers ?? []) drop(container, unreadOfContainers);
  if (containers) dropConditions(parts.status);
  dropContainers(parts.status);
  // Of a node, whose taints say the same.
  if (parts.status?.["allocatable"]) drop(parts.status, ["conditions"]);
}

function dropConditions(status: Parsed | undefined): void {
  const conditions = status?.["conditions"] as { type: string }[] | undefined;
  if (!conditions) return;
  status!["conditions"] = conditions.filter(({ type }) => readConditions.includes(type));
}

/** Of the containers of a pod it is read when they ended, once all have. */
function dropContainers(status: Parsed | undefined): void {
  const containers = status?.["containerStatuses"] as Ended[] | undefined;
  if (!containers) return;
  const times = containers.map(({ state }) => state?.terminated?.finishedAt);
  const isOver = times.every((time) => time !== undefined);
  status!["containerStatuses"] = isOver
    ? times.map((finishedAt) => ({ state: { terminated: { finishedAt } } }))
    : undefined;
}

/** A field that is deleted costs its object more than one that is undefined. */
function drop(part: Parsed | undefined, fields: readonly string[]): void {
  for (const field of fields) if (part?.[field] !== undefined) part[field] = undefined;
}
