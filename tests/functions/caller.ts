import { assertEquals } from "@std/assert";
import { gang, group } from "../support/facts.ts";
import type { Service } from "./service.ts";

/** Facts of one waiting gang. */
export const facts = group(gang({ minMember: 2, held: 1, pending: 1 }));

/** Every operation that needs a credential. */
export const operations: [method: string, path: string][] = [
  ...["queue-sort", "prefilter", "permit", "postfilter", "unreserve"].map((
    stage,
  ): [string, string] => ["POST", `/v1/${stage}`]),
  ["GET", "/v1/gangs"],
  ["GET", "/v1/gangs/default/a"],
];

/** The answer to a call of `GET /v1/gangs`, or of another operation, with these headers. */
export async function callAs(
  service: Service,
  { headers = {}, operation: [method, path] = ["GET", "/v1/gangs"], from }: {
    headers?: Record<string, string>;
    operation?: [method: string, path: string];
    from?: string;
  },
) {
  const response = await service.fetch(path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(method === "POST" && { body: JSON.stringify(facts) }),
  }, from);
  const body = await response.json();
  if (!response.ok) {
    assertEquals(response.headers.get("content-type"), "application/problem+json");
    assertEquals(body.status, response.status);
  }
  return {
    status: response.status,
    body,
    challenge: response.headers.get("www-authenticate"),
    retryAfter: response.headers.get("retry-after"),
  };
}

/** Headers of a call with a bearer token. */
export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}
