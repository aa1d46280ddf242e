/**
 * Tells which cluster a caller speaks for.
 *
 * @module
 */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { clusterName, clusterNameRule } from "./access.ts";
import { configurationOf } from "./configuration.ts";
import { isFromLoopback } from "./loopback.ts";
import { problem } from "./problem.ts";
import type { StageEnv } from "./stage_env.ts";

/**
 * Lets a call pass for one cluster: the credential's, where credentials are configured; otherwise, for callers on
 * loopback only, the one that they name.
 */
export const authenticate = createMiddleware<StageEnv>(async (c, next) => {
  const { access } = configurationOf(c.var.store);
  const named = c.req.header("x-muster-cluster");
  if (access.isLoopbackOnly && isLocal(c)) {
    const cluster = named ?? "default";
    if (!clusterName.test(cluster)) {
      const detail = `Header x-muster-cluster ${clusterNameRule}`;
      return problem(c, 400, { title: "Bad request", detail });
    }
    c.set("cluster", cluster);
    return await next();
  }
  if (access.isLoopbackOnly) {
    return problem(c, 503, {
      title: "Not configured",
      detail: "No credential is configured, so only callers on loopback are served: " +
        "set MUSTER_TOKENS or MUSTER_ISSUERS (docs/security.md)",
    });
  }

  const token = bearerToken(c.req.header("authorization"));
  if (token === undefined) {
    return notAuthenticated(c, {
      detail: 'The call has no credential: send "authorization: Bearer <token>"',
    });
  }
  const known = await access.tokens.clusterOf(token);
  const verdict = known === undefined ? await access.issuers.verify(token) : { cluster: known };
  if ("refused" in verdict) {
    return verdict.refused === "forbidden"
      ? problem(c, 403, { title: "Not permitted", detail: verdict.why })
      : notAuthenticated(c, { error: "invalid_token", detail: verdict.why });
  }
  const { cluster } = verdict;
  c.set("cluster", cluster);
  if (named !== undefined && named !== cluster) {
    return problem(c, 403, {
      title: "Not your cluster",
      detail: `The credential speaks for cluster "${cluster}", but header x-muster-cluster ` +
        "names another: leave the header out or use that cluster's credential",
    });
  }
  await next();
});

function isLocal(c: Context<StageEnv>): boolean {
  return isFromLoopback(c.req, {
    remote: c.env?.remoteAddr?.hostname,
    isLoopbackSocket: c.var.store.MUSTER_LOOPBACK === "true",
  });
}

/** RFC 6750, section 2.1. */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

/** A 401 with the challenge of RFC 6750, section 3. */
function notAuthenticated(
  c: Context<StageEnv>,
  { error, detail }: { error?: string; detail: string },
): Response {
  const challenge = error && `, error="${error}", error_description="${detail}"`;
  c.header("www-authenticate", `Bearer realm="muster"${challenge ?? ""}`);
  return problem(c, 401, { title: "Not authenticated", detail });
}
