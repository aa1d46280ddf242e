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
import * as v from "./valibot.ts";

/** Of 2⁵³ at most, as JSON can say it. */
export const integer = v.pipe(v.number(), v.safeInteger("must be a whole number"));
/** A number of things. */
export const count = v.pipe(integer, v.minValue(0));
/** A number of things, of which there is one at least. */
export const countFromOne = v.pipe(integer, v.minValue(1));
/** JSON writes an infinite one as 1e999. */
const finite = v.pipe(v.number(), v.finite("must be a finite number"));
/** An amount of a resource. */
export const amount = v.pipe(finite, v.minValue(0));
/** A time from now on, in seconds. */
export const seconds = v.pipe(finite, v.minValue(0));
/** A length of time, in seconds. */
export const duration = v.pipe(finite, v.gtValue(0));
/** Of a pod or a gang, as Kubernetes has it. */
export const priority = v.pipe(integer, v.minValue(-(2 ** 31)), v.maxValue(2 ** 31 - 1));
/** An RFC 3339 time. */
export const time = v.pipe(
  v.string(),
  v.maxLength(40),
  v.isoTimestamp("must be an RFC 3339 time"),
  v.check(isTime, "must be an RFC 3339 time"),
);
/** A name of Kubernetes. */
export const text = filledText(253);
/** What is said of something. */
export const sentence = shortText(limits.sentence);
/** `pod`, its `namespace/name`, and some words more. */
export const by = v.described(filledText(limits.gangId + 64), "Who had the room instead, in words");
/** A namespace. */
export const namespace = v.pipe(
  v.string(),
  v.maxLength(limits.namespace),
  v.regex(namespacePattern, "must be a namespace's name"),
);
/** A gang, within its namespace. */
export const gangName = v.pipe(
  v.string(),
  v.maxLength(limits.gangName),
  v.regex(gangNamePattern, "must be a name that a gang can be declared by"),
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
export function shortText(longest: number) {
  return v.pipe(v.string(), v.maxLength(longest));
}

/** As {@linkcode shortText}, of one letter at least. */
export function filledText(longest: number) {
  return v.pipe(v.string(), v.minLength(1), v.maxLength(longest));
}

function ruledText(longest: number, isRight: (text: string) => boolean, rule: string) {
  return v.pipe(v.string(), v.maxLength(longest), v.check(isRight, rule));
}

/**
 * RFC 3339 has no space, no zone without a colon, and no 30th of February, as valibot's timestamps and dates of
 * JavaScript have.
 */
function isTime(text: string): boolean {
  const day = new Date(text.slice(0, 10)).getUTCDate();
  return /^.{10}T\S*(Z|:\d\d)$/.test(text) && day === Number(text.slice(8, 10)) &&
    !Number.isNaN(Date.parse(text));
}

/** What {@linkcode list} makes. */
export type List<Item extends v.GenericSchema> = v.GenericSchema<
  readonly v.InferInput<Item>[],
  readonly v.InferOutput<Item>[]
>;

/** A list whose length is looked at before its content is; nobody changes one. */
export function list<Item extends v.GenericSchema>(item: Item, longest: number): List<Item> {
  return v.pipe(short<Item>(longest), v.array(item), v.maxLength(longest)) as List<Item>;
}

/** As {@linkcode list}, of one item at least. */
export function fullList<Item extends v.GenericSchema>(item: Item, longest: number): List<Item> {
  return v.pipe(list(item, longest), v.minLength(1));
}

/** Keeps lists from being longer, and says nothing of what is none. */
function short<Item extends v.GenericSchema>(longest: number) {
  return v.custom<v.InferInput<Item>[]>(
    (value) => !Array.isArray(value) || value.length <= longest,
    `must not have more than ${longest} items`,
  );
}

/** Whether no text is there twice. */
export function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}
