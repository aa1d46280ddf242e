/**
 * Calls of the functions and the page.
 *
 * @module
 */
import fc from "fast-check";
import { text } from "./json.ts";
import { stageBody, stagePaths } from "./stage_bodies.ts";

/** A call as it is kept in the corpus. */
export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

const json = { "content-type": "application/json" };

/** What `fetch` sends as it is. */
const headerText = fc.oneof(
  fc.constantFrom("a", "null", "*", "default", "muster-token=%", "muster-token=%00", "Bearer "),
  fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
  fc.stringMatching(/^[\x80-\xff]{1,10}$/),
  fc.constant("x".repeat(5000)),
);
const headerName = fc.constantFrom(
  "accept",
  "accept-encoding",
  "authorization",
  "cookie",
  "content-type",
  "if-none-match",
  "origin",
  "sec-fetch-site",
  "x-forwarded-for",
  "x-muster-cluster",
  "x-request-id",
  "traceparent",
);
const headers = fc.dictionary(headerName, headerText, { maxKeys: 3, noNullPrototype: true });

const segment = fc.oneof(
  fc.constantFrom("default", "a", "%00", "%ff", "%2e%2e", "..", "%", "gangs", "__proto__", "é"),
  text.map((part) => encodeURIComponent(part.toWellFormed()).slice(0, 3000)),
);
const path = fc.oneof(
  fc.constantFrom(
    "/",
    "/v1/gangs",
    "/page",
    "/page/changes",
    "/openapi.json",
    "/docs",
    "/healthz",
    "/page/style.css",
  ),
  fc.tuple(fc.constantFrom("/v1/gangs/", "/page/gangs/"), segment, segment)
    .map(([start, namespace, name]) => `${start}${namespace}/${name}`),
  fc.tuple(fc.constantFrom("/v1/", "/page/", "/"), segment).map((parts) => parts.join("")),
  fc.constantFrom(...stagePaths, "/page/sign-in", "/page/sign-out"),
);
const parameter = fc.constantFrom(
  "limit",
  "continue",
  "phase",
  "namespace",
  "q",
  "sort",
  "to",
  "reason",
);
const query = fc.oneof(
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      parameter,
      fc.oneof(fc.constantFrom("1", "0", "-1", "1e9", "Pending", "", "/page"), text),
      { maxKeys: 3 },
    ).map((given) => {
      const entries = Object.entries(given).map(([key, value]) => [key, value.toWellFormed()]);
      return `?${new URLSearchParams(entries)}`;
    }),
  },
  { weight: 1, arbitrary: fc.webQueryParameters().map((text) => `?${text}`) },
);

/** What is posted: facts, any JSON, parts of JSON, and forms. */
const stageCall: fc.Arbitrary<HttpCall> = fc.record({
  method: fc.constant("POST"),
  path: fc.constantFrom(...stagePaths),
  headers: fc.oneof({ weight: 6, arbitrary: fc.constant(json) }, { weight: 1, arbitrary: headers }),
  body: fc.oneof(
    { weight: 12, arbitrary: stageBody.map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: text },
    {
      weight: 1,
      arbitrary: fc.tuple(stageBody, fc.nat(3000)).map(([body, length]) =>
        JSON.stringify(body).slice(0, length)
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom("[", '{"gangs":', '{"units":['), fc.nat(20_000))
        .map(([part, times]) => part.repeat(times)),
    },
  ),
});
const anyCall: fc.Arbitrary<HttpCall> = fc.record({
  method: fc.constantFrom("GET", "GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"),
  path: fc.tuple(path, query).map((parts) => parts.join("")),
  headers,
  body: fc.option(fc.oneof(fc.constantFrom("token=x", "to=%0A", "{}"), text), { nil: undefined }),
}).map(({ body, ...call }) => ["GET", "HEAD"].includes(call.method) ? call : { ...call, body })
  // A stream that is read to its end takes 20 s.
  .filter(({ method, path }) => method !== "GET" || !path.startsWith("/page/changes"));

/** Any call: mostly of a stage, as a relay makes it. */
export const httpCall: fc.Arbitrary<HttpCall> = fc.oneof(
  { weight: 3, arbitrary: stageCall },
  { weight: 2, arbitrary: anyCall },
);
