/**
 * Tells which cluster a caller speaks for, and what it may do.
 *
 * @module
 */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { clusterName, clusterNameRule } from "./access.ts";
import { configurationOf } from "./configuration.ts";
import { loopbackRefusal } from "./loopback.ts";
import { problem } from "./problem.ts";
import type { Refusal } from "./refusal.ts";
import type { StageEnv } from "./stage_env.ts";

/** Lets a call pass for one cluster, as {@linkcode identify} says. */
export const authenticate = createMiddleware<StageEnv>(async (c, next) => {
  const refusal = await identify(c, bearerToken(c));
  if (!refusal) return await next();
  const { status, title, detail } = refusal;
  return problem(c, status, { title, detail });
});

/** Lets only credentials of full scope ask a stage: it keeps what it is told, and the relay follows its answers. */
export const authorize = createMiddleware<StageEnv>(async (c, next) => {
  const { method, path } = c.req;
  if (c.var.scope === "full" || method === "GET" || method === "HEAD") return await next();
  c.header("www-authenticate", `${realm}, error="insufficient_scope", scope="full"`);
  return problem(c, 403, {
    title: "Not permitted",
    detail: `The credential has scope "read", but ${method} ${path} needs scope "full": ` +
      "use the relay's credential (docs/security.md)",
  });
});

/**
 * Whether a caller with this token, if any, is served, and for which cluster: the credential's, where credentials are
 * configured; otherwise, for callers on loopback only, the one that they name. Gives why it is not served, for the answer and
 * the log.
 */
export async function identify(
  c: Context<StageEnv>,
  token: string | undefined,
): Promise<Refusal | undefined> {
  const refusal = await refusalOf(c, token);
  if (!refusal) return undefined;
  const { title, detail, challenge } = refusal;
  c.set("problem", { title, detail });
  if (challenge !== undefined) c.header("www-authenticate", challenge);
  return refusal;
}

async function refusalOf(
  c: Context<StageEnv>,
  token: string | undefined,
): Promise<Refusal | undefined> {
  const { access } = configurationOf(c.var.store);
  const named = c.req.header("x-muster-cluster");
  if (access.isLoopbackOnly) {
    const refusal = loopbackRefusal(c.req.raw, {
      remote: c.env?.remoteAddr?.hostname,
      isLoopbackSocket: c.var.store.MUSTER_LOOPBACK === "true",
    });
    if (refusal) return refusal;
    const cluster = named ?? "default";
    if (!clusterName.test(cluster)) {
      const detail = `Header x-muster-cluster ${clusterNameRule}`;
      return { status: 400, title: "Bad request", detail };
    }
    c.set("cluster", cluster);
    c.set("scope", "full");
    return undefined;
  }

  if (token === undefined) {
    return notAuthenticated({
      detail: 'The call has no credential: send "authorization: Bearer <token>"',
    });
  }
  const verdict = await access.tokens.callerOf(token) ?? await access.issuers.verify(token);
  if ("refused" in verdict) {
    return verdict.refused === "forbidden"
      ? { status: 403, title: "Not permitted", detail: verdict.why }
      : notAuthenticated({ error: "invalid_token", detail: verdict.why });
  }
  const { cluster, scope } = verdict;
  c.set("cluster", cluster);
  c.set("scope", scope);
  if (named === undefined || named === cluster) return undefined;
  return {
    status: 403,
    title: "Not your cluster",
    detail: `The credential speaks for cluster "${cluster}", but header x-muster-cluster ` +
      "names another: leave the header out or use that cluster's credential",
  };
}

/** The token of a call, as RFC 6750, section 2.1 has it. */
export function bearerToken(c: Context<StageEnv>): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

const realm = 'Bearer realm="muster"';

/** A 401 with the challenge of RFC 6750, section 3. */
function notAuthenticated({ error, detail }: { error?: string; detail: string }): Refusal {
  const why = error === undefined ? "" : `, error="${error}", error_description="${detail}"`;
  return { status: 401, title: "Not authenticated", detail, challenge: realm + why };
}
