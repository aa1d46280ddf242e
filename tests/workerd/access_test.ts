import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";
import { musterWorker, startWorkerd } from "../../cli/workerd.ts";
import { issuer, TokenMaker } from "../functions/token_maker.ts";

Deno.test("edge bundle: credentials are asked for on workerd as they are under Deno", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-access-" });
  const token = "token-0123456789abcdef0123456789abcdef";
  const east = await TokenMaker.create("east");
  const { worker } = await bundleWorkers(edgeEntries, join(dir, "dist"));
  const withVars = (vars: Record<string, string>) => ({
    ...musterWorker,
    bundle: worker!.path,
    vars,
  });
  const workerd = await startWorkerd({
    dir: join(dir, "workerd"),
    workers: {
      open: withVars({}),
      closed: withVars({ MUSTER_LOOPBACK: "" }),
      guarded: withVars({
        MUSTER_TOKENS: JSON.stringify({ west: [token] }),
        MUSTER_ISSUERS: JSON.stringify([
          { issuer, audience: "muster", cluster: "east", jwks: { keys: [east.publicJwk] } },
        ]),
      }),
    },
  });
  const statusOf = async (name: string, credential?: string) => {
    const response = await fetch(`${workerd.urlOf(name)}/v1/gangs`, {
      ...(credential && { headers: { authorization: `Bearer ${credential}` } }),
    });
    await response.body?.cancel();
    return response.status;
  };
  try {
    assertEquals(await statusOf("open"), 200);
    assertEquals(await statusOf("closed"), 503);
    // The first requests arrive together: a Worker must not wait for what another request has begun.
    const credentials = Array.from({ length: 8 }, () => [token, "nobody's"]).flat();
    const genuine = await east.token();
    assertEquals(
      await Promise.all(
        [...credentials, genuine, genuine].map((one) => statusOf("guarded", one)),
      ),
      [...credentials.map((one) => one === token ? 200 : 401), 200, 200],
    );
    assertEquals(await statusOf("guarded", await east.token({ aud: "vault" })), 401);
    assertEquals(await statusOf("guarded"), 401);
  } finally {
    await workerd.stop();
    await Deno.remove(dir, { recursive: true });
  }
});
