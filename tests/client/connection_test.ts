import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { podConnection } from "../../shared/client/connection.ts";
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

const script = `
  import { podConnection } from "${import.meta.resolve("../../shared/client/connection.ts")}";
  const { credentials, ...rest } = await podConnection(Deno.args[0]);
  console.log(JSON.stringify({ ...rest, headers: await credentials() }));
`;
