import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "node:path";
import { loadConnection, podConnection } from "../../shared/client/connection.ts";
import { serviceAccountFolder } from "../support/service_account_folder.ts";

for (
  const [host, server] of [["10.0.0.1", "https://10.0.0.1:443"], [
    "fd00::1",
    "https://[fd00::1]:443",
  ]]
) {
  Deno.test(`podConnection() reaches "${host}" with the Pod's ServiceAccount, and needs no package for it`, async () => {
    const folder = await serviceAccountFolder({ token: "t" });
    try {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--no-npm", "--no-config", script, folder],
        env: { KUBERNETES_SERVICE_HOST: host!, KUBERNETES_SERVICE_PORT: "443" },
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
        server,
        tls: { ca: "of the cluster" },
        runsProgram: false,
        namespace: "muster-system",
        headers: { authorization: "Bearer t" },
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("podConnection() has the CA as it is now", async () => {
  const folder = await serviceAccountFolder({ token: "t" });
  const connection = await podConnection(folder);
  assertEquals(connection.tls.ca, "of the cluster");
  await Deno.writeTextFile(join(folder, "ca.crt"), "the next one");
  assertEquals(connection.tls.ca, "the next one");
  await Deno.remove(folder, { recursive: true });
});

for (
  const [text, why] of [
    [undefined, /^Cannot read kubeconfig ".+": ENOENT/],
    ["clusters: [", /^Cannot read kubeconfig ".+": unexpected end/],
    ["kind: Config", /^Kubeconfig ".+" names no current cluster: set its current-context$/],
    [
      `clusters: [{name: a, cluster: {server: "http://a.example:80"}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
users: [{name: a, user: {}}]
current-context: a`,
      /^Kubeconfig ".+" names API server "http:\/\/a.example:80" without TLS: name it by https, or set insecure-skip-tls-verify$/,
    ],
  ] as const
) {
  Deno.test(`loadConnection() says what is wrong with which kubeconfig: ${text?.slice(0, 12) ?? "none there"}`, async () => {
    const dir = await Deno.makeTempDir();
    const file = join(dir, "kubeconfig");
    if (text !== undefined) await Deno.writeTextFile(file, text);
    const { message } = await assertRejects(() => loadConnection(file), Error);
    assertMatch(message.split("\n")[0]!.replace(file, "…"), why);
    await Deno.remove(dir, { recursive: true });
  });
}

Deno.test("loadConnection() says where it has looked for a kubeconfig", async () => {
  const [home, named] = [Deno.env.get("HOME"), Deno.env.get("KUBECONFIG")];
  const dir = await Deno.makeTempDir();
  try {
    Deno.env.set("HOME", dir);
    Deno.env.delete("KUBECONFIG");
    await assertRejects(
      () => loadConnection(),
      Error,
      `There is no kubeconfig: KUBECONFIG is not set and there is no "${dir}/.kube/config": name one by --kubeconfig`,
    );
  } finally {
    if (home !== undefined) Deno.env.set("HOME", home);
    if (named !== undefined) Deno.env.set("KUBECONFIG", named);
    await Deno.remove(dir, { recursive: true });
  }
});

const script = `
  import { podConnection } from "${import.meta.resolve("../../shared/client/connection.ts")}";
  const { credentials, ...rest } = await podConnection(Deno.args[0]);
  console.log(JSON.stringify({ ...rest, headers: await credentials() }));
`;
