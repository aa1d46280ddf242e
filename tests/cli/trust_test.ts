import { assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { childDeno } from "../../tools/child_deno.ts";
import { httpClientOf, trustPublicCas } from "../../cli/http_client.ts";
import { imageVariables } from "../e2e/install/installed.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fileURLToPath(new URL("certificates", import.meta.url));

/** Certificates for 127.0.0.1, good for a century: one of a cluster's CA, and one of a CA that stands for the public ones. */
type Ca = "cluster" | "public";

function pem(name: string): Promise<string> {
  return Deno.readTextFile(join(folder, `${name}.pem`));
}

/** The store from which Deno takes the public CAs, and what Muster makes of it. */
const standIn = { DENO_TLS_CA_STORE: "system", SSL_CERT_FILE: join(folder, "public_ca.pem") };

/** An API server that counts its calls and refuses them all. */
async function apiServer(ca: Ca) {
  let calls = 0;
  const [cert, key] = await Promise.all([pem(ca), pem(`${ca}_key`)]);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
    () => {
      calls++;
      return Response.json({ message: "nobody is let in" }, { status: 401 });
    },
  );
  return {
    url: `https://127.0.0.1:${server.addr.port}`,
    calls: () => calls,
    stop: () => server.shutdown(),
  };
}

async function writeKubeconfig(path: string, server: string): Promise<void> {
  const cluster = { server, "certificate-authority-data": btoa(await pem("cluster_ca")) };
  await Deno.writeTextFile(
    path,
    stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token: "secret" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
}

const ways: [how: string, args: string[], env: Record<string, string>][] = [
  ["deno task start", ["task", "start"], {}],
  [
    "the image's variables",
    ["run", "-A", "--no-check", "cli/start.ts"],
    await imageVariables(),
  ],
];

for (const [how, args, env] of ways) {
  Deno.test(`by ${how} the token is sent to the holder of a certificate of the cluster's CA, and to nobody that a public CA vouches for`, async () => {
    const dir = await Deno.makeTempDir();
    const kubeconfig = join(dir, "kubeconfig");
    for (const ca of ["cluster", "public"] as const) {
      const server = await apiServer(ca);
      await writeKubeconfig(kubeconfig, server.url);
      const { stderr } = await childDeno(
        [...args, `--kubeconfig=${kubeconfig}`, "--port=0", `--store=${dir}/store`],
        {
          cwd: root,
          env: { NO_COLOR: "1", ...standIn, ...env },
          stdout: "null",
          stderr: "piped",
        },
      ).output();
      const said = new TextDecoder().decode(stderr);
      assertStringIncludes(said, ca === "cluster" ? "nobody is let in" : "UnknownIssuer");
      assertEquals(server.calls() > 0, ca === "cluster", said);
      await server.stop();
    }
    await Deno.remove(dir, { recursive: true });
  });
}

Deno.test("without a CA, as for functions and issuers elsewhere, the public CAs are trusted and no others", async () => {
  const { fetch } = globalThis;
  const { createHttpClient } = Deno;
  const given: unknown[] = [];
  const server = await apiServer("public");
  const standInCa = await pem("public_ca");
  const clients: Deno.HttpClient[] = [];
  Deno.createHttpClient = (options) => {
    given.push("caCerts" in options ? options.caCerts : undefined);
    const client = createHttpClient({ caCerts: [standInCa] });
    clients.push(client);
    return client;
  };
  try {
    httpClientOf({ tls: {} });
    httpClientOf({ tls: { ca: "the cluster's" } });
    trustPublicCas();
    assertEquals(given, [[...rootCertificates], ["the cluster's"], [...rootCertificates]]);
    assertGreater(rootCertificates.length, 100);
    const response = await globalThis.fetch(server.url);
    assertEquals([response.status, await response.json()], [401, { message: "nobody is let in" }]);
  } finally {
    globalThis.fetch = fetch;
    Deno.createHttpClient = createHttpClient;
    for (const client of clients) client.close();
    await server.stop();
  }
});
