/**
 * How gangs may be named, and how much may be said of them: the same for what users write and for what the functions take.
 *
 * @module
 */

/** The largest sizes, in UTF-16 units, entries or seconds. */
export const limits = {
  /** An RFC 1123 label. */
  namespace: 63,
  /** Of a pod or a node: an RFC 1123 name. */
  objectName: 253,
  /** An RFC 1123 name; label values are shorter. */
  gangName: 253,
  /** `namespace/name`. */
  gangId: 317,
  /** Gangs of a gang group. */
  groupGangs: 100,
  /** All names of a gang group together: each of its gangs repeats them, and all of them fit one call. */
  groupNames: 16_000,
  /** The same as a JSON list. */
  groupsText: 20_000,
  /** Composites that tell which gangs of a gang group are needed. */
  groupComposites: 300,
  /** Members that a gang group holds at a time, or that one call is about; units of a queue. */
  members: 10_000,
  /** Members that are shown one by one, as many as are read at a glance; those of a gang group together. */
  shownPods: 100,
  shownPodsOfGroup: 1_000,
  /** Any other value of a declaration. */
  value: 64,
  /** The longest duration that Go can write, 292 years: times beyond it are no dates. */
  waitSeconds: 9_223_372_036,
  /** Pods that are named of those that leave for a gang. */
  leavingNames: 10,
  /** Places on the map of a cluster, levels of their domains, and gangs that it names: in all, and at one place. */
  mapPlaces: 100,
  mapLevels: 4,
  mapGangs: 100,
  placeGangs: 6,
  /** Entries of minResources. */
  resources: 32,
  /** Resources of the whole cluster that are told of. */
  clusterResources: 50,
  /** A prefix of 253, a slash, and a name of 63. */
  resourceName: 317,
  quantity: 64,
  /** Of a node: a prefix of 253, a slash, and a name of 63. */
  nodeLabel: 317,
  /** Domains of a topology that are told. */
  domains: 3,
  /** Levels of a topology that one gang or role prefers. */
  preferredLevels: 16,
  /** Roles of a gang. */
  roles: 64,
  /** The path of a role. */
  roleName: 253,
  /** Roles one within another. */
  roleLevels: 8,
  /** What is said of the roles of a gang in one text. */
  rolesText: 4_000,
  /** As much of a scheduler's name as is quoted. */
  schedulerName: 64,
  /** Names of Muster's scheduler that are told. */
  served: 3,
  /** What is said of a gang, a pod or a call. */
  sentence: 1_000,
  /** What a gang says to a policy: entries, and the length of each key and value. */
  attributes: 16,
  attributeKey: 63,
  attributeValue: 256,
  /** What runs, gang by gang; and by namespace beyond that. */
  running: 2_000,
  /** A key of queue-sort. */
  queueKey: 512,
  /** What is quoted of what a policy says. */
  policyWord: 300,
  /** What is quoted of what somebody else says: the scheduler, the API server, the functions. */
  quotation: 500,
  /** What a problem is called. */
  reason: 64,
} as const;

/** What a gang may be called in at least one dialect: an RFC 1123 name, or a label value. */
export const gangNamePattern = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?$/;

/** What a role may be called: label values, joined by slashes. */
const roleNamePattern =
  /^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?(\/[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?)*$/;

/** A node label: an optional prefix, a slash, and a name. */
const nodeLabelPattern =
  /^([a-z0-9]([-.a-z0-9]*[a-z0-9])?\/)?[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$/;

/** An RFC 1123 label. */
export const namespacePattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** Whether some dialect can declare a gang of this name. */
export function isGangName(text: string): boolean {
  return text.length <= limits.gangName && gangNamePattern.test(text);
}

/** Whether a role can be called so. */
export function isRoleName(text: string): boolean {
  return text.length <= limits.roleName && roleNamePattern.test(text) &&
    text.split("/").length <= limits.roleLevels;
}

/** Whether a text can be a node label. */
export function isNodeLabel(text: string): boolean {
  return text.length <= limits.nodeLabel && nodeLabelPattern.test(text);
}

/** Whether a text is the `namespace/name` of a gang that some dialect can declare. */
export function isGangId(text: string): boolean {
  if (text.length > limits.gangId) return false;
  const [namespace = "", name = "", ...more] = text.split("/");
  return more.length === 0 && namespace.length <= limits.namespace &&
    namespacePattern.test(namespace) && isGangName(name);
}

/** Whether minResources are few and short enough. */
export function isResourcesSize(list: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(list);
  return entries.length <= limits.resources &&
    entries.every(([name, amount]) =>
      name !== "" && name.length <= limits.resourceName && amount.length <= limits.quantity
    );
}

/** Whether names of gangs are few and short enough for one gang group. */
export function isGroupSize(names: readonly string[]): boolean {
  return names.length <= limits.groupGangs &&
    names.reduce((sum, name) => sum + name.length, 0) <= limits.groupNames;
}
