import * as v from "valibot";
import { isProfileName, profiles } from "../../shared/core/gang/settings.ts";
import { quantity } from "../../shared/kubernetes/counting/quantity.ts";

/** The flags of `deno task cluster`. */
export interface ClusterOptions {
  dir: string;
  nodes: number;
  gpus: number;
  cpus: number;
  memory: string;
  profile: string;
  withoutAdmission: boolean;
  withoutMuster: boolean;
}

function count(least: number) {
  const message = `must be a whole number from ${least} to 1000`;
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, message),
    v.toNumber(),
    v.minValue(least, message),
    v.maxValue(1000, message),
  );
}

const names = Object.keys(profiles).map((name) => `"${name}"`).join(", ");

const schema = v.object({
  dir: v.pipe(v.string(), v.minLength(1, "must name a folder")),
  nodes: count(0),
  gpus: count(0),
  cpus: count(1),
  memory: v.pipe(
    v.string(),
    v.check(isPositiveQuantity, 'must be a quantity such as "64Gi"'),
  ),
  profile: v.pipe(v.string(), v.check(isProfileName, `must be one of ${names}`)),
  withoutAdmission: v.optional(v.boolean(), false),
  withoutMuster: v.optional(v.boolean(), false),
});

/** Reads the values of the flags, as text; the problems of all of them are told at once, a line each. */
export function parseClusterOptions(
  values: Record<string, unknown>,
): { options: ClusterOptions } | { problems: string[] } {
  const { success, output, issues } = v.safeParse(schema, values);
  if (success) return { options: output };
  const problems = issues.map((issue) => {
    const name = String(issue.path?.[0].key);
    return `--${name} ${issue.message}: current value is "${values[name]}"`;
  });
  return { problems: [...new Set(problems)] };
}

function isPositiveQuantity(text: string): boolean {
  try {
    return quantity(text) > 0;
  } catch {
    return false;
  }
}
