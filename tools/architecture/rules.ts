/** Who may import whom, and the other rules of the source tree. */
import { cycles, WORKERS } from "./import_cycles.ts";
import type { Import, SourceFile } from "./module_graph.ts";
import { rooms, rulesOfStages } from "./rooms.ts";

/** One rule about the source tree. */
export interface Rule {
  name: string;
  /** One sentence for each place that breaks the rule. */
  violations(tree: SourceFile[]): string[];
  /** A made-up tree that breaks the rule in one place: the proof that the rule can fail. */
  counterexample: SourceFile[];
}

/** A file may not be longer than this many lines. */
const MAX_LINES = 400;
/** All files of the relay together. It is to fall. */
const MAX_RELAY_LINES = 2300;
/** A file should rarely be longer than this many lines. */
export const RARELY_OVER_LINES = 300;

const CLIENT = "@kubernetes/client-node";
const SCHEMA_PACKAGES = ["valibot"];
const COMPOSITION_ROOTS = ["functions/serve.ts"];
const LAYERS = [
  "cli/",
  "examples/",
  "functions/",
  "packages/",
  "page/",
  "relay/",
  "shared/client/",
  "shared/core/",
  "shared/contract/",
  "shared/kubernetes/",
  "shared/cluster/",
  "shared/store/",
  "shared/http/",
  "tools/",
  "tests/",
];

/** Every rule of the project. */
export const rules: Rule[] = [
  {
    name: "every file belongs to a layer",
    violations: eachFile(({ path }) =>
      isIn(path, LAYERS) ? [] : [`"${path}" is in none of ${LAYERS.join(", ")}`]
    ),
    counterexample: [file("shared/extra/thing.ts")],
  },
  {
    name: "shared/core imports only shared/core",
    violations: eachImport("shared/core/", ({ path }) => isIn(path, ["shared/core/"])),
    counterexample: [file("shared/core/stage/step.ts", { specifier: "valibot" })],
  },
  {
    name: "shared/contract imports only itself, shared/core and schema packages",
    violations: eachImport(
      "shared/contract/",
      ({ path, specifier }) =>
        isIn(path, ["shared/core/", "shared/contract/"]) || SCHEMA_PACKAGES.includes(specifier),
    ),
    counterexample: [file("shared/contract/group.ts", { path: "shared/kubernetes/pod.ts" })],
  },
  {
    name: "shared/kubernetes imports only itself, shared/core and schema packages",
    violations: eachImport(
      "shared/kubernetes/",
      ({ path, specifier }) =>
        isIn(path, ["shared/core/", "shared/kubernetes/"]) || SCHEMA_PACKAGES.includes(specifier),
    ),
    counterexample: [file("shared/kubernetes/pod.ts", { specifier: "hono" })],
  },
  {
    name: "shared/cluster imports only itself, shared/core, shared/kubernetes and node:crypto",
    violations: eachImport(
      "shared/cluster/",
      ({ path, specifier }) =>
        isIn(path, ["shared/core/", "shared/kubernetes/", "shared/cluster/"]) ||
        specifier === "node:crypto",
    ),
    counterexample: [file("shared/cluster/gang.ts", { path: "relay/run/holds.ts" })],
  },
  {
    name:
      "shared/client imports only itself, shared/contract, shared/kubernetes, types of functions, and packages",
    violations: eachImport(
      "shared/client/",
      ({ path, typeOnly }) =>
        path === undefined ||
        isIn(path, ["shared/client/", "shared/contract/", "shared/kubernetes/"]) ||
        (typeOnly && isIn(path, ["functions/"])),
    ),
    counterexample: [file("shared/client/kube_api.ts", { path: "shared/cluster/cluster.ts" })],
  },
  {
    name: "shared/store imports only itself, shared/core, shared/contract and shared/kubernetes",
    violations: eachImport("shared/store/", ({ path }) =>
      path === undefined ||
      isIn(path, ["shared/core/", "shared/contract/", "shared/kubernetes/", "shared/store/"])),
    counterexample: [file("shared/store/gang.ts", { path: "shared/http/problem.ts" })],
  },
  {
    name: "shared/http imports only itself, shared/core, shared/contract and shared/store",
    violations: eachImport("shared/http/", ({ path }) =>
      path === undefined ||
      isIn(path, ["shared/core/", "shared/contract/", "shared/store/", "shared/http/"])),
    counterexample: [file("shared/http/auth.ts", { path: "functions/permit.ts" })],
  },
  {
    name: "functions imports only itself and shared, and in one file the page",
    violations: eachImport(
      "functions/",
      ({ path }, importer) =>
        path === undefined || isIn(path, ["functions/", "shared/"]) ||
        (isIn(path, ["page/"]) && importer.path === "functions/policy.ts"),
    ),
    counterexample: [file("functions/permit.ts", { path: "page/page.ts" })],
  },
  {
    name:
      "page imports only itself, shared/http, the words of shared/core, and types of shared/core, shared/contract and shared/store",
    violations: eachImport(
      "page/",
      ({ path, typeOnly }) =>
        path === undefined || isIn(path, ["page/", "shared/http/", "shared/core/words/"]) ||
        (typeOnly && isIn(path, ["shared/core/", "shared/contract/", "shared/store/"])),
    ),
    counterexample: [
      file("page/overview.ts", { path: "shared/store/index_object.ts", typeOnly: false }),
    ],
  },
  {
    name:
      "relay imports only itself, shared/client, shared/contract, shared/kubernetes, shared/cluster, of shared/http how many calls and bytes come in and how fast, of shared/core no rule of a stage or a quorum, and types of shared/core and functions",
    violations: eachImport(
      "relay/",
      ({ path, typeOnly }) =>
        path === undefined ||
        isIn(path, ["relay/", "shared/client/", "shared/contract/", "shared/kubernetes/"]) ||
        isIn(path, [
          "shared/cluster/",
          "shared/http/open_calls.ts",
          "shared/http/request_body.ts",
          "shared/http/time_limit.ts",
        ]) ||
        (isIn(path, ["shared/core/"]) && !isIn(path, rulesOfStages)) ||
        (typeOnly && isIn(path, ["shared/core/", "functions/"])),
    ),
    counterexample: [
      file("relay/run/plan.ts", { path: "shared/core/gang/quorum.ts", typeOnly: false }),
    ],
  },
  {
    name: "each room imports, of its house, only what it is built on",
    violations: (tree) =>
      Object.entries(rooms).flatMap(([room, others]) =>
        eachImport(
          room,
          ({ path }) =>
            path === undefined || !isIn(path, [houseOf(room)]) || isIn(path, [room, ...others]),
        )(tree)
      ),
    counterexample: [file("relay/kube/pods.ts", { path: "relay/run/queue.ts" })],
  },
  {
    name: `relay has no more than ${MAX_RELAY_LINES} lines`,
    violations: (tree) => {
      const files = tree.filter(({ path }) => path.startsWith("relay/"));
      const lines = files.reduce((sum, { text }) => sum + lineCount(text), 0);
      return lines > MAX_RELAY_LINES
        ? [`"relay/" has ${lines} lines: what decides belongs into "shared/core"`]
        : [];
    },
    counterexample: [{ ...file("relay/all.ts"), text: "\n".repeat(MAX_RELAY_LINES + 1) }],
  },
  {
    name: "packages imports only itself and types of shared/core",
    violations: eachImport(
      "packages/",
      ({ path, typeOnly }) =>
        isIn(path, ["packages/"]) || (typeOnly && isIn(path, ["shared/core/"])),
    ),
    counterexample: [file("packages/policy/policy.ts", { specifier: "valibot" })],
  },
  {
    name: "examples are one file each, and import types of packages only",
    violations: eachImport(
      "examples/",
      ({ path, typeOnly }) => typeOnly && isIn(path, ["packages/"]),
    ),
    counterexample: [file("examples/policies/fair_share.ts", { specifier: "hono" })],
  },
  {
    name: "cli imports only itself, relay, functions and shared",
    violations: eachImport(
      "cli/",
      ({ path }) => path === undefined || isIn(path, ["cli/", "relay/", "functions/", "shared/"]),
    ),
    counterexample: [file("cli/start.ts", { path: "tools/process.ts" })],
  },
  {
    name: "cli/muster imports nothing of the relay",
    violations: eachImport("cli/muster/", ({ path }) => !isIn(path, ["relay/"])),
    counterexample: [file("cli/muster/simulation/attempt.ts", { path: "relay/run/queue.ts" })],
  },
  {
    name: `only shared/client and tests import ${CLIENT}`,
    violations: eachImport(
      "",
      ({ specifier }, { path }) =>
        isIn(path, ["shared/client/", "tests/"]) || !isPackage(specifier, CLIENT),
    ),
    counterexample: [file("tools/cluster.ts", { specifier: `${CLIENT}/dist/api.js` })],
  },
  {
    name: `${WORKERS} is imported in one file`,
    violations(tree) {
      const importers = tree.filter(({ imports }) =>
        imports.some(({ specifier }) => specifier === WORKERS)
      ).map(({ path }) => `"${path}"`);
      return importers.length > 1
        ? [`"${WORKERS}" is imported by ${importers.join(" and ")}: import it in one of them`]
        : [];
    },
    counterexample: [
      file("shared/store/gang_object.ts", { specifier: WORKERS }),
      file("shared/store/index_object.ts", { specifier: WORKERS }),
    ],
  },
  {
    name: "Deno.* is used only in composition roots, cli, tools and tests",
    violations: eachFile(({ path, text }) => {
      if (isIn(path, ["cli/", "tools/", "tests/"]) || COMPOSITION_ROOTS.includes(path)) return [];
      const line = withoutComments(text).split("\n").findIndex((code) => /\bDeno\b/.test(code));
      return line < 0 ? [] : [`"${path}" uses Deno at line ${line + 1}`];
    }),
    counterexample: [
      { ...file("relay/clock.ts"), text: '// Deno.pid\nconst at = "//";\nDeno.exit(1);\n' },
    ],
  },
  {
    name: "no file imports itself through others",
    violations: cycles,
    counterexample: [
      file("shared/core/a.ts", { path: "shared/core/b.ts" }),
      file("shared/core/b.ts", { path: "shared/core/c.ts" }),
      file("shared/core/c.ts", { path: "shared/core/b.ts" }),
    ],
  },
  {
    name: `no file is longer than ${MAX_LINES} lines`,
    violations: eachFile(({ path, text }) =>
      lineCount(text) > MAX_LINES
        ? [`"${path}" has ${lineCount(text)} lines: split it by concept`]
        : []
    ),
    counterexample: [{ ...file("relay/all.ts"), text: "\n".repeat(MAX_LINES + 1) }],
  },
  {
    name: "file names are snake_case",
    violations: eachFile(({ path }) =>
      /(^|\/)[a-z0-9]+(_[a-z0-9]+)*(\.d)?\.ts$/.test(path)
        ? []
        : [`"${path}" is not named in snake_case`]
    ),
    counterexample: [file("relay/bind-queue.ts")],
  },
];

/** The number of lines of a text that ends with a line feed. */
export function lineCount(text: string): number {
  return text.split("\n").length - 1;
}

/** A made-up file with at most one import, of types unless told otherwise. */
function file(path: string, edge?: Partial<Import>): SourceFile {
  const imports = edge ? [{ specifier: edge.path ?? "", typeOnly: true, ...edge }] : [];
  return { path, text: "", imports };
}

function eachFile(check: (file: SourceFile) => string[]): Rule["violations"] {
  return (tree) => tree.flatMap(check);
}

function eachImport(
  importers: string,
  allowed: (edge: Import, importer: SourceFile) => boolean,
): Rule["violations"] {
  return (tree) =>
    tree.filter(({ path }) => path.startsWith(importers)).flatMap((importer) =>
      importer.imports.filter((edge) => !allowed(edge, importer)).map((edge) =>
        `"${importer.path}" imports ${edge.typeOnly ? "types of " : ""}"${
          edge.path ?? edge.specifier
        }"`
      )
    );
}

function isIn(path: string | undefined, folders: string[]): boolean {
  return folders.some((folder) => path?.startsWith(folder));
}

function houseOf(room: string): string {
  return room.replace(/[^/]+\/$/, "");
}

function isPackage(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}

/** Blanks comments and keeps line numbers. Text in quotes is matched first, so that `"//"` starts no comment. */
function withoutComments(text: string): string {
  return text.replace(
    /("|'|`)(?:\\[^]|(?!\1)[^\\])*\1|\/\/[^\n]*|\/\*[^]*?\*\//g,
    (match, quote) => quote === undefined ? match.replace(/[^\n]/g, " ") : match,
  );
}
