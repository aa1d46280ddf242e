import { assertEquals } from "@std/assert";
import { isDeclaration, undocumentedExports } from "../../tools/docstrings.ts";

const file = "file:///work/gang.ts";

function symbol(name: string, ...docs: (string | undefined)[]) {
  return {
    name,
    declarations: docs.map((doc, index) => ({
      location: { filename: file, line: index },
      declarationKind: "export",
      ...(doc === undefined ? {} : { jsDoc: { doc } }),
    })),
  };
}

Deno.test("undocumentedExports() names exports without a docstring, with their line", () => {
  const symbols = [symbol("documented", "It is."), symbol("bare", undefined), symbol("blank", "")];
  assertEquals(undocumentedExports({ nodes: { [file]: { symbols } } }), [
    { path: "/work/gang.ts", line: 1, name: "bare" },
    { path: "/work/gang.ts", line: 1, name: "blank" },
  ]);
});

Deno.test("undocumentedExports() takes the docstring of any overload, and passes what is not exported here", () => {
  const elsewhere = symbol("elsewhere", undefined);
  const [hidden] = symbol("hidden", undefined).declarations;
  const symbols = [
    symbol("overloaded", undefined, "It is."),
    { name: "hidden", declarations: hidden ? [{ ...hidden, declarationKind: "private" }] : [] },
  ];
  const nodes = { [file]: { symbols }, "file:///work/mod.ts": { symbols: [elsewhere] } };
  assertEquals(undocumentedExports({ nodes }), []);
});

Deno.test("isDeclaration() tells declarations from re-exports", () => {
  for (const line of ["export async function a() {", "export type A = 1;", "export const a = 1;"]) {
    assertEquals(isDeclaration(line), true, line);
  }
  for (const line of ['export { a } from "./a.ts";', 'export type { A } from "./a.ts";', "  a,"]) {
    assertEquals(isDeclaration(line), false, line);
  }
});
