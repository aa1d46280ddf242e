import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { Functions } from "../support/functions.ts";
import { onCluster } from "../support/on_cluster.ts";
import { isBound, whyPending } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

let dir: string;
let functions: Functions;
let clusterUid: string;
/** Tokens that were made, none of which may be printed anywhere. */
const secrets: string[] = [];

/** The API server asks for a credential itself, so its keys are served on. */
let keys = "";
const keyServer = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  () => new Response(keys),
);

/** A token that the API server signs, as for a projected volume. */
async function mint(
  { api }: ControlPlane,
  { account = "muster-relay", audience = "muster" } = {},
): Promise<string> {
  const path = `/api/v1/namespaces/muster-system/serviceaccounts/${account}/token`;
  const request = await api.create(path, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: [audience], expirationSeconds: 600 },
  });
  secrets.push(request["status"].token);
  return request["status"].token;
}

function tokenPath(): string {
  return join(dir, "token");
}

const scenario = onCluster(async () => {
  dir = await Deno.makeTempDir({ prefix: "muster-functions-" });
  functions = new Functions(dir);
  return {
    nodes: { "node-1": 4 },
    muster: async (controlPlane) => {
      const { api } = controlPlane;
      keys = await api.text("/openid/v1/jwks");
      const { issuer } = JSON.parse(await api.text("/.well-known/openid-configuration"));
      clusterUid = (await api.get("/api/v1/namespaces/kube-system")).metadata.uid!;
      const jwksUrl = `http://127.0.0.1:${keyServer.addr.port}/openid/v1/jwks`;
      await functions.start({
        MUSTER_ISSUERS: JSON.stringify([
          { issuer, audience: "muster", cluster: clusterUid, jwksUrl },
        ]),
      });
      await Deno.writeTextFile(tokenPath(), await mint(controlPlane));
      return {
        extraArgs: [
          `--functions-url=${functions.url}`,
          `--functions-token-file=${tokenPath()}`,
        ],
      };
    },
  };
});

Deno.test.afterAll(async () => {
  await functions.kill();
  await keyServer.shutdown();
  await Deno.remove(dir, { recursive: true });
});

async function statusFor(token: string | undefined, cluster?: string): Promise<number> {
  const response = await fetch(`${functions.url}/v1/gangs`, {
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cluster !== undefined && { "x-muster-cluster": cluster }),
    },
  });
  await response.body?.cancel();
  return response.status;
}

/** Both sides log what failed by one id, and no token. */
async function assertLogged(controlPlane: ControlPlane): Promise<void> {
  const [theirs, ours] = await Promise.all(
    [functions.logFile, controlPlane.logFile("muster")].map((path) => Deno.readTextFile(path)),
  );
  for (const part of secrets.flatMap((secret) => secret.split("."))) {
    assert(!theirs!.includes(part) && !ours!.includes(part));
  }
  const failed = ours!.split("\n").filter((line) => line.includes("Not authenticated"));
  assert(failed.length > 0);
  for (const line of failed) assertStringIncludes(theirs!, JSON.parse(line).requestId);
}

scenario(
  "the relay's ServiceAccount token opens the functions, and no other one does",
  async ({ cluster: { controlPlane }, space }) => {
    await space.createGang("gang", { size: 2, gpus: 1 });
    await space.untilBound(membersOf("gang", 2));

    const path = "/api/v1/namespaces/muster-system/serviceaccounts";
    await controlPlane.api.create(path, { metadata: { name: "other" } });
    const own = await mint(controlPlane);
    const cut = own.slice(0, -8);
    assertEquals(
      {
        own: await statusFor(own),
        named: await statusFor(own, clusterUid),
        otherCluster: await statusFor(own, "another"),
        otherAccount: await statusFor(await mint(controlPlane, { account: "other" })),
        otherAudience: await statusFor(await mint(controlPlane, { audience: "vault" })),
        cut: await statusFor(cut),
        none: await statusFor(undefined),
      },
      {
        own: 200,
        named: 200,
        otherCluster: 403,
        otherAccount: 403,
        otherAudience: 401,
        cut: 401,
        none: 401,
      },
    );
  },
);

scenario(
  "a token that is not accepted any more makes gangs wait with that reason, and its successor in the file starts them",
  async ({ cluster: { controlPlane, muster }, space }) => {
    const { pid } = muster.process;
    await Deno.writeTextFile(tokenPath(), await mint(controlPlane, { audience: "vault" }));
    await space.createGang("gang", { size: 2, gpus: 1 });
    await space.until(
      "each member says that the functions do not accept the credential",
      (pods) =>
        pods.filter((pod) => whyPending(pod)?.includes("HTTP 401: Not authenticated")).length === 2,
    );
    assert(!(await space.pods()).some(isBound));
    await Deno.writeTextFile(tokenPath(), await mint(controlPlane));
    await space.untilBound(membersOf("gang", 2));
    assertEquals(muster.process.pid, pid);
    await assertLogged(controlPlane);
  },
);
