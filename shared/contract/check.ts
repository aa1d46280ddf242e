/**
 * Whether a call follows the contract, at a price that does not grow with what is wrong with it.
 *
 * @module
 */
import type * as z from "./zod.ts";

/** In a call of more values only the first wrong one is looked for: naming one costs more than reading many. */
const fewValues = 2000;

/** Stops at the first wrong value. */
const firstOnly: object = { abortEarly: true };

/** What zod says of a value: of a small one everything that is wrong, of a large one what was found first. */
export function check<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.util.SafeParseResult<z.output<Schema>> {
  const first = schema.safeParse(value, firstOnly);
  return first.success || !isSmall(value) ? first : schema.safeParse(value);
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
