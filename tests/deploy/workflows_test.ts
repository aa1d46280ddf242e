import { assert, assertEquals } from "@std/assert";
import { listFiles } from "../../tools/list_files.ts";

const folder = new URL("../../.github/workflows/", import.meta.url).pathname;
const workflows = await Promise.all((await listFiles(folder, ".yml")).map(async (name) => ({
  name,
  lines: (await Deno.readTextFile(folder + name)).split("\n"),
})));

Deno.test("workflows: every action of others is named by its commit, with its version beside it", () => {
  const uses = workflows.flatMap(({ lines }) => lines.filter((line) => /\buses:/.test(line)));
  assert(uses.length > 0);
  const pinned = /^\s*(- )?uses: [-\w]+\/[-\w/]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  assertEquals(uses.filter((line) => !pinned.test(line)), []);
});

Deno.test("workflows: their token reads the repository, and nothing else", () => {
  for (const { name, lines } of workflows) {
    const at = lines.map((line, index) => /^ *permissions:/.test(line) ? index : -1)
      .filter((index) => index >= 0);
    assertEquals(at.map((index) => lines[index]), ["permissions:"], name);
    const next = lines.slice(at[0]! + 1);
    assertEquals(next.slice(0, next.findIndex((line) => !line.startsWith(" "))), [
      "  contents: read",
    ], name);
  }
});
