/**
 * The human page of an OpenAPI document: one server-rendered page, no scripts, nothing fetched from elsewhere.
 *
 * @module
 */
import { type Html, html } from "./html.ts";

/** As much of an OpenAPI document as the page shows. */
export interface OpenApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, { readonly description?: string }>>;
  };
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly [key: string]: unknown;
}

/** Renders the page. */
export function docsPage(document: OpenApiDocument): Html {
  const { info, paths, components } = document;
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${info.title}</title>
        <style>
      :root { color-scheme: light dark; }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
      pre { overflow-x: auto; padding: .75rem; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); border-radius: .4rem; font-size: .85rem; }
      h2 { margin-top: 2.5rem; } h2 code { font-size: 1.1rem; }
    </style>
      </head>
      <body>
    <h1>${info.title}, version ${info.version}</h1>
    <p>${info.description ??
      ""} The same as a document for machines: <a href="/openapi.json">/openapi.json</a></p>
    ${Object.entries(components?.securitySchemes ?? {}).map(([name, { description }]) =>
      html`<p>Credential <code>${name}</code>: ${description ?? ""}</p>`
    )}
    ${Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => section(path, method, operation))
    )}
    <h2>Schemas</h2>
    ${Object.entries(components?.schemas ?? {}).map(([name, schema]) =>
      html`<h3 id="${name}">${name}</h3>
<p>${schema.description ?? ""}</p>
<pre>${JSON.stringify(schema, null, 2)}</pre>`
    )}
      </body>
    </html>
  `;
}

function section(path: string, method: string, operation: Operation) {
  return html`<h2><code>${method.toUpperCase()} ${path}</code></h2>
<p>${operation.summary ?? ""}</p>
<p>${operation.description ?? ""}</p>
<ul>
${operation.requestBody ? html`<li>body: ${schemaLink(operation.requestBody.content)}</li>` : ""}
${
    Object.entries(operation.responses).map(([status, response]) =>
      html`<li>${status}: ${
        response.content ? schemaLink(response.content) : ""
      } ${response.description}</li>`
    )
  }
</ul>`;
}

function schemaLink(content: Content) {
  const name = Object.values(content)[0]?.schema.$ref?.split("/").at(-1);
  return name ? html`<a href="#${name}">${name}</a>` : "";
}
