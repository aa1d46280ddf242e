/**
 * The annotations of YuniKorn: a task group is a gang, and all of an application's task groups start together.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import type { Pod } from "../types.ts";
import { type Declaration, entered } from "./declaration.ts";

/** Prefix of YuniKorn's annotations. */
const yunikorn = "yunikorn.apache.org/";

const taskGroups = `annotation ${yunikorn}task-groups`;

/** Where a task group's quorum is written. */
export const taskGroupQuorum = `minMember of its task group in ${taskGroups}`;

/** The gang of a pod that names its application and its task group; no two of them give the same. */
export function taskGroupGang(pod: Pod): string | undefined {
  const application = applicationOf(pod);
  const taskGroup = pod.metadata.annotations?.[`${yunikorn}task-group-name`];
  return application && taskGroup ? gangName(application, taskGroup) : undefined;
}

/** What the list of task groups says of the pod's own, and of those it starts with. */
export function taskGroupDeclaration(pod: Pod): Declaration {
  const { namespace, annotations } = pod.metadata;
  const list = taskGroupsIn(annotations?.[`${yunikorn}task-groups`] ?? "");
  const own = list.find(({ name }) => name === annotations?.[`${yunikorn}task-group-name`]);
  const application = applicationOf(pod) ?? "";
  const gangs = list.map(({ name }) => `${namespace}/${gangName(application, name)}`);
  return own === undefined ? {} : {
    minMember: {
      text: entered(JSON.stringify(own.minMember) ?? "", limits.value),
      field: taskGroupQuorum,
    },
    ...(gangs.length > 1 && { groups: { text: JSON.stringify(gangs), field: taskGroups } }),
  };
}

interface TaskGroup {
  readonly name: string;
  readonly minMember?: unknown;
}

/** Those that have a name; of a text that can not be read, none. */
function taskGroupsIn(text: string): TaskGroup[] {
  if (text.length > limits.groupsText) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((group) => typeof group?.name === "string") : [];
  } catch {
    return [];
  }
}

function applicationOf({ metadata: { labels, annotations } }: Pod): string | undefined {
  return annotations?.[`${yunikorn}app-id`] ?? labels?.[`${yunikorn}app-id`] ??
    labels?.["applicationId"] ?? labels?.["spark-app-selector"];
}

/** A task group's name has no underscore: it becomes part of a pod's. */
function gangName(application: string, taskGroup: string): string {
  return `${application}_${taskGroup}`;
}
