import { assert, assertEquals } from "@std/assert";
import { listFiles } from "../../tools/list_files.ts";

const root = new URL("../..", import.meta.url).pathname;

/** The rows of the table of what is protected from whom, by their cells. */
async function claims(): Promise<string[][]> {
  const lines = (await Deno.readTextFile(`${root}docs/security.md`)).split("\n");
  const start = lines.findIndex((line) => /^\| who +\| can +\| can not +\| tests +\|$/.test(line));
  assert(start >= 0, "there is no table of them");
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) => line.split(" | ").map((cell) => cell.trim()));
}

Deno.test("docs: each claim of security.md names tests that are there", async () => {
  const files = await listFiles(`${root}tests`, "_test.ts");
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(`${root}tests/${file}`)));
  const all = texts.join("\n");
  // Names with values in them.
  const patterns = [...all.matchAll(/Deno\.test\(`([^`]+)`/g)].map(([, name]) =>
    new RegExp(`^${name!.split(/\$\{[^}]*\}/).map(RegExp.escape).join(".+")}$`)
  );
  const rows = await claims();
  assert(rows.length >= 10);
  for (const [who, , , tests = ""] of rows) {
    const names = [...tests.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    assert(names.length > 0, `"${who}" names no test`);
    const missing = names.filter((name) =>
      !all.includes(`"${name}"`) && !patterns.some((pattern) => pattern.test(name))
    );
    assertEquals(missing, [], who);
  }
});
