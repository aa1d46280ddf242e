/**
 * Whether a call follows the contract, at a price that does not grow with what is wrong with it.
 *
 * @module
 */
import * as v from "./valibot.ts";

/** In a call of more values only the first wrong one is looked for: naming one costs more than reading many. */
const fewValues = 2000;

/** Of one value only the first rule that it breaks is named. What was there instead is not: it can be long, or secret. */
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

/** Where an issue is, name by name. */
export function pathOf({ path }: Pick<v.BaseIssue<unknown>, "path">): PropertyKey[] {
  return path?.map(({ key }) => key as PropertyKey) ?? [];
}

function rule({ type, expected, received }: v.BaseIssue<unknown>): string {
  if (received === "undefined") return "is missing";
  const isLength = type === "min_length" || type === "max_length";
  return `must be ${isLength ? "of a length " : ""}${expected}`;
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
