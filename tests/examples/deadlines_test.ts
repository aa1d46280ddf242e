import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { gang, order, unit } from "../../packages/policy/testing.ts";
import { over } from "./facts.ts";
import { folder, has, serveBy } from "./served.ts";

Deno.test("deadlines: the nearest latest start goes first, then priority and age", async () => {
  if (!await has("go")) return;
  await using dir = folder();
  const program = join(dir.path, "deadlines");
  const cwd = new URL("../../examples/policies/deadlines", import.meta.url).pathname;
  await new Deno.Command("go", { args: ["build", "-o", program, "."], cwd }).output();
  await using guarded = await serveBy([program], { env: { TOKEN: "secret" } });
  const statusOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = `${guarded.url}/v1/queue-sort`;
    const response = await fetch(url, { method: "POST", headers, body: '{"units":[]}' });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await statusOf("other"), await statusOf("secret")], [401, 200]);
  await using served = await serveBy([program]);
  const units = [
    unit(gang({ name: "old", createdAt: "2026-03-01T00:00:00Z" })),
    unit(gang({ name: "high", priority: 5 })),
    unit(gang({ name: "evening", attributes: { deadline: "2026-03-02T18:00:00Z" } })),
    unit(gang({ name: "long", attributes: { deadline: "2026-03-02T20:00:00Z", takes: "6h" } })),
    unit(gang({ name: "unread", attributes: { deadline: "soon" } })),
  ];
  assertEquals(await order(over(served.url), units), [
    "default/long",
    "default/evening",
    "default/high",
    "default/old",
    "default/unread",
  ]);
});
