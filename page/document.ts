/**
 * The frame of every document of the page.
 *
 * @module
 */
import { html } from "hono/html";

/** Markup in which every value was escaped. */
export type Html = ReturnType<typeof html>;

/** What stands in the frame. */
export interface DocumentParts {
  readonly title: string;
  readonly content: Html;
  /** The cluster that is shown; absent where nobody is signed in. */
  readonly cluster?: string | undefined;
  /** There is a session to end. */
  readonly isSignedIn?: boolean | undefined;
  /** It follows what happens, where there is JavaScript. */
  readonly isLive?: boolean | undefined;
}

/** A whole document. Names come from whoever may create pods: they are escaped, and `bdi` keeps their direction to themselves. */
export function pageDocument(
  { title, content, cluster, isSignedIn = false, isLive = false }: DocumentParts,
): Html {
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title} · Muster</title>
        <link rel="icon" href="/page/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/page/style.css">
        ${isLive ? html`<script type="module" src="/page/live.js"></script>` : ""}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <a class="brand" href="/page"><img src="/page/icon.svg" alt="" width="24" height="24"> Muster</a>
          ${cluster === undefined
            ? ""
            : html`<span class="cluster">cluster <bdi title="${cluster}">${cluster}</bdi></span>`}
          <span class="push"></span>
          ${isLive ? html`<p id="live" role="status" class="live"></p>` : ""}
          ${isSignedIn
            ? html`<form method="post" action="/page/sign-out"><button>Sign out</button></form>`
            : ""}
        </header>
        <main id="main" tabindex="-1">${content}</main>
        <footer>
          <a href="/docs">API</a>
          ${isLive
            ? html`<noscript><span>Without JavaScript this page stays as it is: reload it for newer facts.</span></noscript>`
            : ""}
        </footer>
      </body>
    </html>
  `;
}

/** A document that says what is wrong; a live one gives way to what was asked for as soon as that can be had. */
export function problemDocument(
  { title, detail, ...frame }: Omit<DocumentParts, "content"> & { detail?: string | undefined },
): Html {
  return pageDocument({
    ...frame,
    title,
    content: html`
      <section class="notice">
        <h1>${title}</h1>
        ${detail === undefined ? "" : html`<p>${detail}.</p>`}
        <p><a href="/page">All gangs</a></p>
      </section>
    `,
  });
}
