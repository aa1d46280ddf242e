import { z } from "zod";
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

function count(least: number): z.ZodType<number> {
  const message = `must be a whole number from ${least} to 1000`;
  return z.string().regex(/^\d+$/, message).transform(Number)
    .pipe(z.number().min(least, message).max(1000, message));
}

const names = Object.keys(profiles).map((name) => `"${name}"`).join(", ");

const schema = z.object({
  dir: z.string().min(1, "must name a folder"),
  nodes: count(0),
  gpus: count(0),
  cpus: count(1),
  memory: z.string().refine(isPositiveQuantity, 'must be a quantity such as "64Gi"'),
  profile: z.string().refine(isProfileName, `must be one of ${names}`),
  withoutAdmission: z.boolean().default(false),
  withoutMuster: z.boolean().default(false),
});

/** Reads the values of the flags, as text; the problems of all of them are told at once, a line each. */
export function parseClusterOptions(
  values: Record<string, unknown>,
): { options: ClusterOptions } | { problems: string[] } {
  const result = schema.safeParse(values);
  if (result.success) return { options: result.data };
  const problems = result.error.issues.map((issue) => {
    const name = String(issue.path[0]);
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
