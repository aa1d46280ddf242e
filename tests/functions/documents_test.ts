import { Validator } from "@seriousme/openapi-schema-validator";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import admit from "../../functions/admit.ts";
import gangs from "../../functions/gangs.ts";
import permit from "../../functions/permit.ts";
import { policy } from "../../functions/policy.ts";
import postfilter from "../../functions/postfilter.ts";
import prefilter from "../../functions/prefilter.ts";
import queueSort from "../../functions/queue_sort.ts";
import unreserve from "../../functions/unreserve.ts";
import { docsPage, type OpenApiDocument } from "../../shared/http/docs_page.ts";
import { check } from "../../shared/contract/check.ts";
import { fieldErrors } from "../../shared/http/problem.ts";
import { documents } from "../../tools/openapi/document.ts";
import { type Route, routes } from "../../tools/openapi/routes.ts";
import { Service } from "./service.ts";

interface App {
  request(path: string): Response | Promise<Response>;
  routes: readonly { method: string; path: string }[];
}

const all = [
  "get /v1/gangs",
  "get /v1/gangs/{namespace}/{name}",
  "get /v1/runs",
  "post /v1/admit",
  "post /v1/permit",
  "post /v1/postfilter",
  "post /v1/prefilter",
  "post /v1/queue-sort",
  "post /v1/unreserve",
];

const apps: [name: string, app: App, routes: string[]][] = [
  ["all stages", policy, all],
  ["queue_sort", queueSort, ["post /v1/queue-sort"]],
  ["prefilter", prefilter, ["post /v1/prefilter"]],
  ["permit", permit, ["post /v1/permit"]],
  ["postfilter", postfilter, ["post /v1/postfilter"]],
  ["unreserve", unreserve, ["post /v1/unreserve"]],
  ["admit", admit, ["post /v1/admit"]],
  ["gangs", gangs, all.slice(0, 3)],
];

async function documentOf(app: App): Promise<OpenApiDocument> {
  return await (await app.request("/openapi.json")).json();
}

function documented({ paths }: OpenApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`)
  ).sort();
}

function served(app: App): string[] {
  return [
    ...new Set(
      app.routes.filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/"))
        .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`),
    ),
  ].sort();
}

for (const [name, app, routes] of apps) {
  Deno.test(`documents: the document of ${name} is valid OpenAPI 3.1`, async () => {
    const document = await documentOf(app);
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...document });
    assertEquals([valid, errors], [true, undefined]);
    assertEquals(validator.version, "3.1");
  });

  Deno.test(`documents: the document of ${name} has exactly the routes that exist`, async () => {
    assertEquals(documented(await documentOf(app)), routes);
    assertEquals(served(app), routes);
  });
}

for (const [path, document] of Object.entries(documents())) {
  Deno.test(`documents: ${path} is what the schemas say`, async () => {
    const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    assertEquals(JSON.parse(text), document, 'run "deno task openapi" after a change');
  });
}

Deno.test("documents: a route takes by the schema of which its document tells", async () => {
  await using service = new Service();
  for (const { path, body, query } of Object.values(routes).flat() as Route[]) {
    if (body) {
      const { issues } = check(body, {});
      assertEquals((await service.post(path, {})).body.errors, fieldErrors(issues!), path);
    }
    for (const name of Object.keys(query?.entries ?? {})) {
      const wrong = { [name]: "x".repeat(508) };
      const { issues } = check(query!, wrong);
      const answer = await service.request(`${path}?${new URLSearchParams(wrong)}`);
      assertEquals(answer.body.errors, fieldErrors(issues!), `${path}: ${name}`);
    }
  }
});

Deno.test("documents: every operation says what it answers and what goes wrong", async () => {
  const { paths } = await documentOf(policy);
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { summary, description, responses }] of Object.entries(methods)) {
      assert(summary && description, `${method} ${path} is not described`);
      const statuses = Object.keys(responses).join(" ");
      assertMatch(
        statuses,
        method === "post" ? /^200 400 401 403 408 413 415 503$/ : /^200( 400)? 401 403( 404)? 503$/,
      );
      for (const [status, { content }] of Object.entries(responses)) {
        const [type, { schema }] = Object.entries(content ?? {})[0]!;
        assertEquals(type, status === "200" ? "application/json" : "application/problem+json");
        assertMatch(schema.$ref ?? "", /^#\/components\/schemas\//);
      }
    }
  }
});

Deno.test("documents: the credential is described, on the page too", async () => {
  const document = await documentOf(policy);
  const [[name, scheme]] = Object.entries(document.components?.securitySchemes ?? {}) as [
    [string, { type: string; scheme: string; description: string }],
  ];
  assertEquals([name, scheme.type, scheme.scheme], ["bearer", "http", "bearer"]);
  const { security } = document as unknown as { security: unknown };
  assertEquals(security, [{ bearer: [] }, {}]);
  assertStringIncludes(await (await policy.request("/docs")).text(), scheme.description);
});

Deno.test("documents: every schema that is referred to is there", async () => {
  const document = await documentOf(policy);
  const names = JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  const schemas = Object.keys(document.components?.schemas ?? {});
  for (const [, name] of names) assert(schemas.includes(name!), name);
});

Deno.test("documents: the page shows every route and every schema, and fetches nothing", async () => {
  const document = await documentOf(policy);
  const response = await policy.request("/docs");
  assertStringIncludes(response.headers.get("content-type") ?? "", "text/html");
  const page = await response.text();
  for (const route of documented(document)) {
    const [method, path] = route.split(" ");
    assertStringIncludes(page, `<code>${method!.toUpperCase()} ${path}</code>`);
  }
  for (const name of Object.keys(document.components?.schemas ?? {})) {
    assertStringIncludes(page, `<h3 id="${name}">`);
  }
  assertEquals(page.match(/<script|<link|<img|src=|https?:/g), null);
});

Deno.test("documents: the page escapes whatever the document says", () => {
  const nasty = `<script>alert("x")</script>'&`;
  const content = { "application/json": { schema: { $ref: `#/${nasty}` } } };
  const page = String(docsPage({
    info: { title: nasty, version: nasty, description: nasty },
    paths: {
      [`/${nasty}`]: {
        [nasty]: {
          summary: nasty,
          description: nasty,
          requestBody: { content },
          responses: { [nasty]: { description: nasty, content } },
        },
      },
    },
    components: { schemas: { [nasty]: { description: nasty, example: nasty } } },
  }));
  assertEquals(page.toLowerCase().includes("<script"), false);
  assertStringIncludes(page, "&lt;script&gt;");
});

Deno.test("documents: are the same on every host", async () => {
  await using service = new Service();
  for (const path of ["/openapi.json", "/docs", "/healthz"]) {
    assertEquals((await service.request(path)).status, 200);
  }
});

Deno.test("documents: /healthz answers without a store", async () => {
  const response = await policy.request("/healthz");
  assertEquals([response.status, await response.text()], [200, "ok"]);
});
