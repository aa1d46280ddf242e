import { join } from "node:path";

/** A folder as kubelet mounts it into a Pod; whoever calls removes it. */
export async function serviceAccountFolder({ token }: { token: string }): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "muster-service-account-" });
  const texts = { token: `${token}\n`, "ca.crt": "of the cluster", namespace: "muster-system" };
  for (const [name, text] of Object.entries(texts)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
  return folder;
}
