/**
 * Who may call the functions, as variables say it: `MUSTER_TOKENS` and `MUSTER_ISSUERS`.
 *
 * @module
 */
import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import { check, pathOf } from "../contract/check.ts";
import type { Variables } from "../contract/settings.ts";
import * as v from "../contract/valibot.ts";
import { Issuers, type IssuerSettings } from "./issuers.ts";
import { isLoopbackName } from "./loopback.ts";
import { TokenTable } from "./token_table.ts";

/** The credentials that are accepted. */
export interface Access {
  readonly tokens: TokenTable;
  readonly issuers: Issuers;
  /** Those that a credential speaks for. */
  readonly clusters: ReadonlySet<string>;
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

const scopedRule = 'must be {"token": "<token>", "scope": "read"}, or a text';

/** The ServiceAccount of the relay in deploy/base. */
const relaySubject = "system:serviceaccount:muster-system:muster-relay";
/** The one of people and dashboards in deploy/overlays/edge. */
const readerSubject = "system:serviceaccount:muster-system:muster-reader";

// Schemas are functions: an isolate makes the one of a variable that it is given. No message may quote a value: it may be a token.

function tokenLists() {
  const token = v.pipe(
    v.string(),
    v.minLength(minTokenLength, `must have at least ${minTokenLength} characters`),
    v.regex(bearerToken, "must consist of letters, digits and -._~+/, with = at its end only"),
  );
  const scopedToken = v.strictObject({ token, scope: v.picklist(["read", "full"]) }, scopedRule);
  const entry = v.union(
    [token, scopedToken],
    ({ input }) => typeof input === "object" && input !== null ? scopedRule : "must be a text",
  );
  return v.record(
    v.pipe(v.string(), v.regex(clusterName, `A cluster's name ${clusterNameRule}`)),
    v.pipe(v.array(entry, "must be a list of tokens"), v.minLength(1, "must name a token")),
  );
}

function issuerList() {
  const text = v.pipe(v.string(), v.minLength(1, "must not be empty"));
  const texts = v.array(text, "must be a list of texts");
  const settings = v.strictObject(
    {
      issuer: text,
      audience: text,
      cluster: v.pipe(v.string(), v.regex(clusterName, clusterNameRule)),
      subjects: v.optional(
        v.pipe(texts, v.minLength(1, "must name a subject")),
        [relaySubject],
      ),
      readSubjects: v.optional(texts, [readerSubject]),
      jwksUrl: v.optional(
        v.pipe(
          v.string(),
          v.check(isSafeUrl, "must be an https URL, or an http one on loopback"),
        ),
      ),
      jwks: v.optional(v.custom<JSONWebKeySet>(
        isPublicKeySet,
        'must be a set of public keys: {"keys": [{"kty": "RSA", ...}]}',
      )),
    },
    ({ expected }) =>
      expected === "never"
        ? "is no field of an issuer"
        : expected === "Object"
        ? "must be an object"
        : "is missing",
  );
  const settingsOfOne = v.pipe(
    settings,
    v.check(
      ({ jwksUrl, jwks }) => (jwksUrl === undefined) !== (jwks === undefined),
      "must have either jwksUrl or jwks",
    ),
  );
  return v.pipe(v.array(settingsOfOne), v.minLength(1, "must name an issuer"));
}

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
    own.map((entry) => ({
      cluster,
      ...(typeof entry === "string" ? { token: entry, scope: "full" as const } : entry),
    }))
  );
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) {
    wrong.push("MUSTER_TOKENS has a token twice: give every cluster tokens of its own");
  }
  const issuers = read<IssuerSettings[]>(variables, {
    name: "MUSTER_ISSUERS",
    form: '[{"issuer": …, "audience": …, "cluster": …, "jwksUrl": …}]',
    schema: issuerList,
    wrong,
  });
  if (issuers && new Set(issuers.map(trustOf)).size < issuers.length) {
    wrong.push(
      "MUSTER_ISSUERS has an issuer with the same audience and keys twice: a token would speak for two clusters",
    );
  }
  if (wrong.length > 0) throw new RangeError(`Cannot use these credentials: ${wrong.join("; ")}`);
  return {
    tokens: new TokenTable(tokens),
    issuers: new Issuers(issuers ?? []),
    clusters: new Set([...tokens, ...issuers ?? []].map(({ cluster }) => cluster)),
    isLoopbackOnly: !clusters && !issuers,
  };
}

/** What makes a token genuine. */
function trustOf({ issuer, audience, jwksUrl, jwks }: IssuerSettings): string {
  return JSON.stringify([issuer, audience, jwksUrl ?? jwks]);
}

function isSafeUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackName(hostname));
  return isSafe && username === "" && password === "";
}

/** `d` and `k` are what a private and a shared key have. */
function isPublicKeySet(value: unknown): boolean {
  try {
    createLocalJWKSet(value as JSONWebKeySet);
    return (value as JSONWebKeySet).keys.every((key) => !("d" in key) && !("k" in key));
  } catch {
    return false;
  }
}

/** A variable's JSON; undefined where it is absent or wrong. */
function read<T>(
  variables: Variables,
  { name, form, schema, wrong }: {
    name: string;
    form: string;
    schema: () => v.GenericSchema<unknown, T>;
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
  const { success, output, issues } = check(schema(), json);
  if (success) return output;
  wrong.push(...issues.map((issue) => {
    const where = [name, ...pathOf(issue).map((part) => JSON.stringify(part))].join(" at ");
    return `${where}: ${issue.message}`;
  }));
  return undefined;
}
