import { assertEquals } from "@std/assert";
import { markdownProblems } from "../../tools/markdown.ts";

const files = ["README.md", "docs/profiles.md", "tools/demo.ts"];
const project = {
  tasks: ["demo", "check"],
  exists: (path: string) => files.includes(path),
};

function problemsOf(...lines: string[]): string[] {
  return markdownProblems({ path: "docs/guide.md", text: lines.join("\n") }, project);
}

Deno.test("markdownProblems() passes what exists, and what is not its business", () => {
  assertEquals(
    problemsOf(
      "See [profiles](profiles.md#default), [the start](../README.md 'the start') and [above](#words).",
      "Elsewhere: [Deno](https://deno.com), <mailto:a@example.com>.",
      "[readme]: ../README.md",
      "Run `deno task demo`, or one deno task after another.",
      "```sh",
      "npx -y deno@2 task --quiet check  # [not](a-link.md)",
      "deno run -A tools/demo.ts",
      "```",
    ),
    [],
  );
});

Deno.test("markdownProblems() names links that lead nowhere", () => {
  assertEquals(problemsOf("[a](README.md) ![b](<b.svg>)", "", "[c]: ../c.md"), [
    '"docs/guide.md" links to "README.md", which does not exist',
    '"docs/guide.md" links to "b.svg", which does not exist',
    '"docs/guide.md" links to "../c.md", which does not exist',
  ]);
});

Deno.test("markdownProblems() names tasks and scripts that do not exist", () => {
  const problems = problemsOf(
    "`deno task dmeo`",
    "",
    "- in a list:",
    "",
    "  ```sh",
    "  npx -y deno@2 task chekc --help",
    "  npx -y deno@2 run -A tools/gone.ts",
    "  ```",
  );
  assertEquals(problems, [
    '"docs/guide.md" names the task "dmeo", which is not in deno.json',
    '"docs/guide.md" names the task "chekc", which is not in deno.json',
    '"docs/guide.md" runs "tools/gone.ts", which does not exist',
  ]);
});
