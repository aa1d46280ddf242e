/**
 * Who may call the functions, as variables say it: `MUSTER_TOKENS`.
 *
 * @module
 */
import { z } from "zod";
import type { Variables } from "../contract/settings.ts";
import { TokenTable } from "./token_table.ts";

/** The credentials that are accepted. */
export interface Access {
  readonly tokens: TokenTable;
  /** No credential is configured: only callers on loopback are served. */
  readonly isLoopbackOnly: boolean;
}

/** What names a cluster: the UID of its namespace kube-system, or any plain name. */
export const clusterName = /^[\w.-]{1,63}$/;
/** Said of a name that is not one. */
export const clusterNameRule = "must be 1 to 63 letters, digits, dots, dashes or underscores";

const minTokenLength = 32;
/** RFC 6750, section 2.1. */
const bearerToken = /^[\w.~+/-]+=*$/;

// No message may quote a value: it may be a token.
const token = z.string("must be a text")
  .min(minTokenLength, `must have at least ${minTokenLength} characters`)
  .regex(bearerToken, "must consist of letters, digits and -._~+/, with = at its end only");
const tokenLists = z.record(
  z.string().regex(clusterName, `a cluster's name ${clusterNameRule}`),
  z.array(token, "must be a list of tokens").nonempty("must name a token"),
  "must be an object",
);

/**
 * Reads the variables.
 *
 * @throws {RangeError} that names everything that is wrong at once, and quotes no secret.
 */
export function accessFrom(variables: Variables): Access {
  const wrong: string[] = [];
  const clusters = read(variables, {
    name: "MUSTER_TOKENS",
    form: '{"<cluster>": ["<token>"]}',
    schema: tokenLists,
    wrong,
  });
  const tokens = Object.entries(clusters ?? {}).flatMap(([cluster, own]) =>
    own.map((token) => ({ token, cluster }))
  );
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) {
    wrong.push("MUSTER_TOKENS has a token twice: give every cluster tokens of its own");
  }
  if (wrong.length > 0) throw new RangeError(`Cannot use these credentials: ${wrong.join("; ")}`);
  return { tokens: new TokenTable(tokens), isLoopbackOnly: clusters === undefined };
}

/** A variable's JSON; undefined where it is absent or wrong. */
function read<T>(
  variables: Variables,
  { name, form, schema, wrong }: {
    name: string;
    form: string;
    schema: z.ZodType<T>;
    wrong: string[];
  },
): T | undefined {
  const text = variables[name];
  if (text === undefined || text === "") return undefined;
  let json;
  try {
    json = JSON.parse(String(text));
  } catch {
    // The error would quote what it could not read.
    wrong.push(`${name} is not JSON: write ${form}`);
    return undefined;
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  wrong.push(...parsed.error.issues.map(({ path, message, code, ...issue }) => {
    const why = code === "invalid_key" ? keyMessage(issue) : message;
    return `${[name, ...path.map((part) => JSON.stringify(part))].join(" at ")}: ${why}`;
  }));
  return undefined;
}

function keyMessage(issue: object): string {
  return (issue as { issues?: { message: string }[] }).issues?.[0]?.message ?? "is no key";
}
