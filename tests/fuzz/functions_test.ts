import { assert, assertEquals } from "@std/assert";
import { Service } from "../functions/service.ts";
import { fuzz } from "./fuzz.ts";
import { httpCall } from "./grammar/http_calls.ts";

Deno.test("fuzz: the functions and the page answer whatever they are asked, alike on Deno and on workerd", async () => {
  await using service = new Service({ MUSTER_LOG_LEVEL: "error" });
  const statuses = new Map<number, number>();
  await fuzz({
    name: "functions",
    share: 0.3,
    inputs: httpCall,
    call: async ({ path, body, ...init }) => {
      const response = await service.fetch(path, {
        ...init,
        body: body ?? null,
        redirect: "manual",
      });
      const { status } = response;
      const text = await response.text();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      assert(status < 500, `${status} ${text}`);
      if (status >= 400 && path.startsWith("/v1/")) {
        assertEquals(response.headers.get("content-type"), "application/problem+json");
        assertEquals(init.method === "HEAD" ? status : JSON.parse(text).status, status);
      }
    },
  });
  // A grammar that no call passes would find nothing.
  for (const status of [200, 400, 404]) assert(statuses.has(status), `no ${status}`);
});
