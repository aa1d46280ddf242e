import { assertEquals } from "@std/assert";
import { policy } from "../../functions/policy.ts";
import { facts } from "./caller.ts";

/** Bindings whose objects fail whatever is asked of them. */
function failingStore(error: Error) {
  const object = new Proxy({}, { get: () => () => Promise.reject(error) });
  const namespace = { getByName: () => object };
  return { GANGS: namespace, INDEX: namespace, MUSTER_LOOPBACK: "true" };
}

/** The error of an object, as it arrives in a Worker. */
function remote(properties: Record<string, unknown>): Error {
  return Object.assign(new Error("Durable Object is overloaded."), { remote: true, ...properties });
}

Deno.test("functions: an overloaded object is a 503 that says when to ask again", async () => {
  const failures: [error: Error, title: string, retryAfter: string | null][] = [
    [remote({ overloaded: true }), "Store overloaded", "2"],
    [remote({ overloaded: true, retryable: true }), "Store overloaded", "2"],
    [remote({ retryable: true }), "Store not available", null],
    [remote({}), "Store not available", null],
  ];
  const post = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(facts),
  };
  for (const [error, title, retryAfter] of failures) {
    for (const [path, init] of [["/v1/permit", post], ["/v1/gangs", {}]] as const) {
      const response = await policy.request(path, init, failingStore(error));
      const { headers } = response;
      const { status, title: told } = await response.json();
      assertEquals([status, told, headers.get("retry-after")], [503, title, retryAfter]);
      assertEquals(headers.get("content-type"), "application/problem+json");
    }
  }
});
