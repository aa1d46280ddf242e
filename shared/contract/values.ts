/**
 * The values that the contract's schemas are made of, each with its largest size.
 *
 * @module
 */
import {
  gangNamePattern,
  isGangId,
  isNodeLabel,
  isRoleName,
  limits,
  namespacePattern,
} from "../core/gang/limits.ts";
import * as z from "./zod.ts";

/** A number of things. */
export const count = z.int().check(z.nonnegative());
/** A number of things, of which there is one at least. */
export const countFromOne = z.int().check(z.minimum(1));
/** An amount of a resource. */
export const amount = z.number().check(z.nonnegative());
/** A time from now on, in seconds. */
export const seconds = z.number().check(z.nonnegative());
/** A length of time, in seconds. */
export const duration = z.number().check(z.positive());
/** Of a pod or a gang, as Kubernetes has it. */
export const priority = z.int().check(z.minimum(-(2 ** 31)), z.maximum(2 ** 31 - 1));
/** An RFC 3339 time. */
export const time = z.iso.datetime({ offset: true }).check(z.maxLength(40));
/** A name of Kubernetes. */
export const text = filledText(253);
/** What is said of something. */
export const sentence = shortText(limits.sentence);
/** `pod`, its `namespace/name`, and some words more. */
export const by = z.described(filledText(limits.gangId + 64), "Who had the room instead, in words");
/** A namespace. */
export const namespace = stringOf(
  z.maxLength(limits.namespace, { abort: true }),
  z.regex(namespacePattern, "must be a namespace's name"),
);
/** A gang, within its namespace. */
export const gangName = stringOf(
  z.maxLength(limits.gangName, { abort: true }),
  z.regex(gangNamePattern, "must be a name that a gang can be declared by"),
);
/** A gang, as `namespace/name`. */
export const gangId = ruledText(limits.gangId, isGangId, "must be namespace/name");
/** A label of nodes. */
export const nodeLabel = ruledText(limits.nodeLabel, isNodeLabel, "must be a node label");
/** The path of a role. */
export const roleName = ruledText(limits.roleName, isRoleName, "must be the path of a role");
/** A scheduler. */
export const schedulerName = shortText(limits.schedulerName);
/** A resource. */
export const resourceName = filledText(limits.resourceName);

/** A text of at most so many letters. */
export function shortText(longest: number): z.ZodMiniString<string> {
  return stringOf(z.maxLength(longest));
}

/** As {@linkcode shortText}, of one letter at least. */
export function filledText(longest: number): z.ZodMiniString<string> {
  return stringOf(z.minLength(1), z.maxLength(longest));
}

function ruledText(
  longest: number,
  isRight: (text: string) => boolean,
  rule: string,
): z.ZodMiniString<string> {
  return stringOf(z.maxLength(longest, { abort: true }), z.refine(isRight, { error: rule }));
}

/** What {@linkcode list} makes. */
export type List<Item extends z.ZodMiniType> = z.ZodMiniType<
  readonly z.output<Item>[],
  readonly z.input<Item>[]
>;

/** A list whose length is looked at before its content is; nobody changes one. */
export function list<Item extends z.ZodMiniType>(item: Item, longest: number): List<Item> {
  return arrayOf(item, z.maxLength(longest, { abort: true }));
}

/** As {@linkcode list}, of one item at least. */
export function fullList<Item extends z.ZodMiniType>(item: Item, longest: number): List<Item> {
  return arrayOf(item, z.maxLength(longest, { abort: true }), z.minLength(1));
}

/** A record whose size is looked at before its content is; undefined is no record. */
export function fewRecord<Key extends z.ZodMiniType<string, string>, Value extends z.ZodMiniType>(
  key: Key,
  value: Value,
  most: number,
) {
  return z.pipe(z.transform(few(most)), z.record(key, value));
}

// `z.string().check(…)` makes one schema more, which costs each start of an isolate.

function stringOf(...checks: z.core.$ZodCheck<string>[]): z.ZodMiniString<string> {
  const schema: z.ZodMiniType = new z.ZodMiniString({ type: "string", checks });
  return schema as z.ZodMiniString<string>;
}

function arrayOf<Item extends z.ZodMiniType>(
  element: Item,
  ...checks: z.core.$ZodCheck<never>[]
): List<Item> {
  const schema: z.ZodMiniType = new z.ZodMiniArray({ type: "array", element, checks });
  return schema as List<Item>;
}

/** Whether no text is there twice. */
export function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

/** Keeps a record from having more entries: it has no limit of its own. */
function few(most: number): (record: unknown, ctx: z.core.ParsePayload) => unknown {
  return (record, ctx) => {
    if (typeof record !== "object" || record === null) return record;
    if (Object.keys(record).length <= most) return record;
    ctx.issues.push({
      code: "custom",
      message: `must not have more than ${most} entries`,
      input: record,
    });
    return z.NEVER;
  };
}
