import { assertEquals } from "@std/assert";

/** What a function that runs alone finds in its environment. */
const SCRIPT = `
const { env } = await import("${new URL("../../shared/store/platform.ts", import.meta.url)}");
const gangs = await env.INDEX.getByName("default").list({ limit: 1 });
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify([gangs, env.MUSTER_PROFILE, "GANGS" in env, { ...env }.MUSTER_PROFILE])));
await env.close();
`;

Deno.test("embedded store: a function that runs alone finds its bindings in MUSTER_STORE", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-env-" });
  try {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", SCRIPT],
      cwd: new URL("../..", import.meta.url).pathname,
      env: { MUSTER_STORE: dir, MUSTER_PROFILE: "sigs" },
      stderr: "inherit",
    }).output();
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), [
      { gangs: [] },
      "sigs",
      true,
      "sigs",
    ]);
    assertEquals((await Array.fromAsync(Deno.readDir(dir), (entry) => entry.name)).sort(), [
      "IndexObject",
      "alarms.sqlite",
    ]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
