/**
 * Where the members of a gang are to run, and of which parts it is made that have a minimum of their own.
 *
 * @module
 */

/** Where members are to run together; keys are node labels. */
export interface Topology {
  /** All of them in one domain of that key, or none is bound. */
  readonly required?: string | undefined;
  /** In one domain if possible, the most wanted key first. */
  readonly preferred?: readonly string[] | undefined;
  /** Each so many members in one domain of that key. */
  readonly slice?: { readonly key: string; readonly members: number } | undefined;
}

/** Members of a gang, or roles below, that have a minimum and a place of their own. */
export interface Role {
  /** Path: `workers`, or `decode/leaders` for one within another. */
  readonly name: string;
  /** Of its members, or, where roles are within it, of these. */
  readonly min: number;
  readonly topology?: Topology | undefined;
}

/** A gang group whose gangs are not simply all needed: a tree, its leaves are gangs (`namespace/name`). Native composite PodGroups. */
export interface Composite {
  readonly name: string;
  /** So many of its children; absent: all. */
  readonly min?: number | undefined;
  readonly topology?: Topology | undefined;
  readonly children: readonly (Composite | string)[];
}

/** A composite as the facts of its gang group tell it, where not all that is in it is needed. */
export interface CompositeFacts {
  readonly name: string;
  /** One of those before it, which it is in; absent: it is at the top. */
  readonly within?: string | undefined;
  /** So many of the gangs and composites in it are needed; absent: all. */
  readonly min?: number | undefined;
  /** `namespace/name`. */
  readonly gangs: readonly string[];
}

/** Members of a role that has no roles within it. */
export interface RoleCensus {
  readonly name: string;
  readonly pending: number;
  /** Behind scheduling gates of others. */
  readonly gated: number;
  readonly bound: number;
  readonly succeeded: number;
  readonly held: number;
}
