import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { startWorkerd } from "../../cli/workerd.ts";

Deno.test("workerd: variables arrive as they were given, and what a Worker logs is passed on", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-workerd-" });
  const vars = { PLAIN: "default", ODD: 'a "quoted" \\ line\nand\u0001 ünïcödé' };
  const bundle = join(dir, "vars.js");
  await Deno.writeTextFile(
    bundle,
    "export default { fetch(_, env) { console.error('logged'); return Response.json(env); } };",
  );
  const logged = Promise.withResolvers<string>();
  const workerd = await startWorkerd({
    dir: join(dir, "workerd"),
    workers: { vars: { bundle, vars } },
    onErrorLine: logged.resolve,
  });
  try {
    const arrived = await (await fetch(workerd.urlOf("vars"))).json();
    assertEquals(arrived, { MUSTER_LOOPBACK: "true", ...vars });
    assertEquals(await logged.promise, "logged");
    const { mode } = await Deno.stat(join(dir, "workerd", "workerd.capnp"));
    assertEquals((mode ?? 0) & 0o777, 0o600);
  } finally {
    await workerd.stop();
    await Deno.remove(dir, { recursive: true });
  }
});
