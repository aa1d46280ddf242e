/**
 * Whether a call follows the contract, at a price that does not grow with what is wrong with it.
 *
 * @module
 */
import { count, shortened } from "../core/words/text.ts";
import * as v from "./valibot.ts";

/** In a call of more values only the first wrong one is looked for: naming one costs more than reading many. */
const fewValues = 2000;

/** Of one value only the first rule that it breaks is named. */
const everything: v.Config<v.BaseIssue<unknown>> = { abortPipeEarly: true, message: rule };
const firstOnly: v.Config<v.BaseIssue<unknown>> = { abortEarly: true, message: rule };

/** What is wrong with a value: of a small one everything, of a large one what was found first. */
export function check<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.SafeParseResult<Schema> {
  const first = v.safeParse(schema, value, firstOnly);
  return first.success || !isSmall(value) ? first : v.safeParse(schema, value, everything);
}

/**
 * The value, as its schema has it.
 *
 * @throws what `fail` makes of what is wrong with it.
 */
export function inContract<Schema extends v.GenericSchema>(
  value: unknown,
  { schema, fail }: { schema: Schema; fail: (wrong: string) => Error },
): v.InferOutput<Schema> {
  const { success, output, issues } = check(schema, value);
  if (success) return output;
  throw fail(wrongIn(issues));
}

/** What is wrong with a value, by the field that was found first. */
export function wrongIn([first, ...others]: readonly [Issue, ...Issue[]]): string {
  const { path, message } = fieldError(first);
  const more = others.length > 0 ? ` (and ${count(others.length, "more field")})` : "";
  return `${path === "" ? "it" : `"${path}"`} ${message}${more}`;
}

/** What is said of a bad field. */
export type Issue = Pick<v.BaseIssue<unknown>, "path" | "message" | "input">;

/** A bad field, by its path. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** A field by its path, `gangs[0].gang.minMember`, what is wrong with it, and what it is: a value may be long, and is cut. */
export function fieldError(issue: Issue): FieldError {
  const { message, input } = issue;
  return {
    path: pathOf(issue).map(pathPart).join("").replace(/^\./, ""),
    message: input === undefined ? message : `${message}: current value is ${valueText(input)}`,
  };
}

/** Where an issue is, name by name. */
export function pathOf({ path }: Pick<Issue, "path">): PropertyKey[] {
  return path?.map(({ key }) => key as PropertyKey) ?? [];
}

/** Of a caller's own words, in a path or as a value, so many letters are said. */
const longestWord = 64;

function pathPart(part: PropertyKey): string {
  return typeof part === "number" ? `[${part}]` : `.${shortened(String(part), longestWord)}`;
}

function valueText(value: unknown): string {
  if (typeof value === "string") return textIn(value);
  if (Array.isArray(value)) return `a list of ${count(value.length, "item")}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function textIn(value: string): string {
  const text = JSON.stringify(shortened(value, longestWord));
  return value.length > longestWord ? `${text}, of a length of ${value.length}` : text;
}

function rule({ type, expected, received }: v.BaseIssue<unknown>): string {
  if (received === "undefined") return "is missing";
  const isLength = type === "min_length" || type === "max_length";
  return `must be ${isLength ? "of a length " : ""}${expectedText(expected ?? "")}`;
}

const kinds = new Map([
  ["Array", "a list"],
  ["Object", "an object"],
  ["boolean", "true or false"],
  ["number", "a number"],
  ["string", "a text"],
]);

/** What valibot expects, in words: `a number`, `>= 1`, `"Strict" or "NonStrict"`. */
function expectedText(expected: string): string {
  const words = expected.replace(/^\((.*)\)$/, "$1").replaceAll(" | ", " or ");
  return kinds.get(expected) ?? words.replace(/^([<>]=?)/, "$1 ");
}

function isSmall(value: unknown): boolean {
  const values = [value];
  for (let index = 0; index < values.length; index++) {
    const one = values[index];
    if (typeof one !== "object" || one === null) continue;
    for (const inner in one) {
      if (values.push((one as Record<string, unknown>)[inner]) > fewValues) return false;
    }
  }
  return true;
}
