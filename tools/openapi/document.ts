/**
 * The OpenAPI documents of the functions.
 *
 * @module
 */
import { ProblemDetails } from "../../shared/contract/stage_answers.ts";
import type * as v from "../../shared/contract/valibot.ts";
import { Components, isRequired, type JsonSchema } from "./json_schema.ts";
import { type Route, routes } from "./routes.ts";

const info = {
  title: "Muster policy functions",
  version: "1",
  description:
    "The stages of gang scheduling over the facts of a gang group. Errors are RFC 9457 problems.",
  license: { name: "Apache-2.0" },
};

const bearer = {
  type: "http",
  scheme: "bearer",
  description:
    "A token of MUSTER_TOKENS, or one of an issuer in MUSTER_ISSUERS. It speaks for one cluster, and with scope read it asks " +
    "no stage. Where no credential is configured, callers on loopback are served without one.",
};

/** Every document by its file, from the root of the project. */
export function documents(): Record<string, JsonSchema> {
  const ofStages = Object.entries(routes).map(([stage, own]) => [
    `functions/documents/${stage}.json`,
    documentOf(own),
  ]);
  return {
    ...Object.fromEntries(ofStages),
    "functions/documents/policy.json": documentOf(Object.values(routes).flat()),
    "page/document.json": documentOf([]),
  };
}

/** The document of some routes. */
function documentOf(some: readonly Route[]): JsonSchema {
  const components = new Components();
  const paths = Object.fromEntries(some.map((route) => [
    route.path,
    { [route.method]: operationOf(route, components) },
  ]));
  return {
    openapi: "3.1.0",
    info,
    // The empty one: callers on loopback, where no credential is configured.
    security: [{ bearer: [] }, {}],
    components: {
      securitySchemes: { bearer },
      schemas: components.schemas,
      parameters: {},
    },
    paths,
    webhooks: {},
  };
}

function operationOf(route: Route, components: Components): JsonSchema {
  const { summary, description, body, answer, answers, problems } = route;
  const content = (type: string, schema: v.GenericSchema) => ({
    content: { [type]: { schema: components.schemaOf(schema) } },
  });
  const parameters = parametersOf(route, components);
  const responses = {
    200: { description: answers, ...content("application/json", answer) },
    ...Object.fromEntries(
      Object.entries(problems).map(([status, description]) => [
        status,
        { description, ...content("application/problem+json", ProblemDetails) },
      ]),
    ),
  };
  return {
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...content("application/json", body) } }),
    responses,
  };
}

function parametersOf({ path, query }: Route, components: Components): JsonSchema[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    schema: { type: "string" },
    required: true,
    name,
    in: "path",
  }));
  const inQuery = Object.entries(query?.entries ?? {}).map(([name, field]) => {
    const schema = components.schemaOf(field);
    const { description } = schema;
    return { schema, required: isRequired(field), description, name, in: "query" };
  });
  return [...inPath, ...inQuery];
}
