import { assert, assertEquals } from "@std/assert";
import { age, maxColumns, paragraph, table } from "../../../cli/muster/table.ts";
import { at, now } from "../../support/facts.ts";

const long = "a-name-that-is-as-long-as-kubernetes-lets-names-of-pods-and-of-namespaces-be";

Deno.test("table: columns stand under their titles", () => {
  assertEquals(
    table(["NAME", "WHY"], [["a", "it waits"], ["longer", ""]]),
    "NAME     WHY\na        it waits\nlonger",
  );
});

Deno.test("table: no line is longer than 100 columns, and the reason keeps a third of it", () => {
  const why = "it waits ".repeat(30);
  const text = table(["NAMESPACE", "NAME", "PHASE", "WHY"], [[long, long, "Pending", why]]);
  const [titles, row] = text.split("\n");
  assertEquals([...row!].length, maxColumns);
  assert(row!.endsWith("…") && row!.includes("Pending"), row);
  assert(titles!.indexOf("WHY") <= maxColumns * 2 / 3, titles);
});

Deno.test("table: what steers a terminal is not printed", () => {
  const text = table(["NAME"], [["\u001b[31mred\u0007\nnext\u202e"]]);
  assertEquals(text, "NAME\n�[31mred��next�");
});

Deno.test("paragraph: lines of 100 columns at most, each but the first with the indent", () => {
  const text = paragraph("word ".repeat(50).trim(), { start: "  why:    ", indent: "          " });
  const lines = text.split("\n");
  assert(lines.length > 1 && lines.every((line) => line.length <= maxColumns), text);
  assert(lines[0]!.startsWith("  why:    word ") && lines[1]!.startsWith("          word "), text);
  assertEquals(text.match(/word/g)?.length, 50);
});

for (
  const [seconds, text] of [[5, "5s"], [119, "119s"], [120, "2m"], [7200, "2h"], [
    48 * 3600,
    "2d",
  ], [-5, "0s"]] as const
) {
  Deno.test(`age: ${seconds} seconds are ${text}`, () =>
    assertEquals(age(at(-seconds), now), text));
}
