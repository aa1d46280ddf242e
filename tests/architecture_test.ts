import { assert, assertArrayIncludes, assertEquals, assertGreater } from "@std/assert";
import { readModuleGraph, type SourceFile } from "../tools/architecture/module_graph.ts";
import { rules } from "../tools/architecture/rules.ts";

const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const { files: tree, errors } = await readModuleGraph(root);

/** A made-up tree that keeps every rule and comes close to breaking most of them. */
const soundTree: SourceFile[] = [
  source("shared/core/gang/facts.ts"),
  source("shared/core/stage/step.ts", ["../gang/facts.ts", "shared/core/gang/facts.ts"]),
  source("shared/contract/group.ts", ["valibot"]),
  source("shared/kubernetes/pod.ts", ["valibot"], [
    "../core/step.ts",
    "shared/core/stage/step.ts",
  ]),
  source("shared/client/connection.ts", ["@kubernetes/client-node"]),
  source("shared/store/gang_object.ts", ["cloudflare:workers"], ["node:sqlite"]),
  source("shared/http/auth.ts", ["hono"]),
  source("functions/permit.ts", ["../shared/http/auth.ts", "shared/http/auth.ts"]),
  source("functions/policy.ts", ["../page/page.ts", "page/page.ts"]),
  source("page/page.ts", ["hono"], ["../shared/http/auth.ts", "shared/http/auth.ts"]),
  {
    ...source(
      "relay/bind.ts",
      ["../shared/client/connection.ts", "shared/client/connection.ts"],
      ["../shared/core/gang/facts.ts", "shared/core/gang/facts.ts"],
    ),
    text: "/* Deno.exit() would\n   end it; */ // Deno\n",
  },
  { ...source("cli/start.ts"), text: "Deno.exit(0);\n" },
];

function source(path: string, ...edges: [specifier: string, path?: string][]): SourceFile {
  const imports = edges.map(([specifier, to]) => ({
    specifier,
    typeOnly: false,
    ...(to === undefined ? {} : { path: to }),
  }));
  return { path, text: "", imports };
}

Deno.test("architecture: every import leads to a module that can be read", () => {
  assertEquals(errors, []);
});

for (const rule of rules) {
  Deno.test(`architecture: ${rule.name}`, () => {
    const found = rule.violations(tree);
    assert(found.length === 0, `${rule.name}, but:\n  ${found.join("\n  ")}`);
  });
  Deno.test(`architecture: the rule "${rule.name}" can fail`, () => {
    assertEquals(rule.violations(rule.counterexample).length, 1);
    assertEquals(rule.violations(soundTree), []);
  });
}

Deno.test("architecture: the module graph holds this file and its imports", () => {
  const self = tree.find(({ path }) => path === "tests/architecture_test.ts");
  assertGreater(tree.length, 5);
  assertArrayIncludes(self?.imports ?? [], [{
    specifier: "../tools/architecture/rules.ts",
    path: "tools/architecture/rules.ts",
    typeOnly: false,
  }]);
  const rulesFile = tree.find(({ path }) => path === "tools/architecture/rules.ts");
  assertArrayIncludes(rulesFile?.imports ?? [], [{
    specifier: "./module_graph.ts",
    path: "tools/architecture/module_graph.ts",
    typeOnly: true,
  }]);
});
