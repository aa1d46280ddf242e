import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { Functions } from "../../../tools/control_plane/functions.ts";
import { onCluster } from "../support/on_cluster.ts";
import { isBound, whyPending } from "../support/pods.ts";
import { TokenKeys, tokenOf } from "../support/service_accounts.ts";
import { membersOf } from "../support/space.ts";

let dir: string;
let functions: Functions;
let keys: TokenKeys;
/** Tokens that were made, none of which may be printed anywhere. */
const secrets: string[] = [];

async function mint(
  controlPlane: ControlPlane,
  options: { account?: string; audience?: string } = {},
): Promise<string> {
  const token = await tokenOf(controlPlane, options);
  secrets.push(token);
  return token;
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
      keys = await TokenKeys.of(controlPlane);
      await functions.start({ env: { MUSTER_ISSUERS: keys.issuers } });
      await Deno.writeTextFile(tokenPath(), await mint(controlPlane));
      return {
        extraArgs: [
          `--functions-url=${functions.url}`,
          `--functions-token-file=${tokenPath()}`,
        ],
      };
    },
    ended: async () => {
      await functions.kill();
      await keys?.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
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
        named: await statusFor(own, keys.cluster),
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
