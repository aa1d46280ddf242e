import { assert, assertEquals, assertMatch } from "@std/assert";
import { age, paragraph, table, withoutTitle } from "../../../cli/muster/table.ts";
import { at, now } from "../../support/facts.ts";

const long = "a-name-that-is-as-long-as-kubernetes-lets-names-of-pods-and-of-namespaces-be";

Deno.test("table: columns stand under their titles", () => {
  assertEquals(
    table([["NAME", "WHY"], ["a", "it waits"], ["longer", ""]]),
    "NAME     WHY\na        it waits\nlonger",
  );
});

const titles = ["NAMESPACE", "NAME", "PHASE", "REASON", "WHY"];
const why = "it waits ".repeat(30);

for (const columns of [60, 100, 200]) {
  Deno.test(`table: of ${columns} columns names have what they need, then the phase, and the reason is left out before`, () => {
    const [head, row] = table([titles, [long, "train", "Pending", "Short", why]], columns).split(
      "\n",
    );
    assertMatch(
      row!,
      new RegExp(`^${long} {3}train {3}Pending {3}${columns < 200 ? "" : "Short +"}it .*…$`),
    );
    assertEquals(head!.includes("REASON"), columns === 200);
    assertEquals(
      [...row!].length,
      Math.max(columns, `${long}   train   Pending   `.length + Math.floor(columns / 3)),
    );
  });
}

Deno.test("table: what is not for a terminal is whole", () => {
  const row = [long, long, "Pending", "Reason", why.trim()];
  assertEquals(table([titles, row]).split("\n")[1], row.join("   "));
});

Deno.test("table: a sentence is told without the name that stands beside it", () => {
  assertEquals(withoutTitle("gang a/b has no room", "gang a/b"), "has no room");
  assertEquals(withoutTitle("gang a/bc has no room", "gang a/b"), "gang a/bc has no room");
});

Deno.test("table: what steers a terminal is not printed", () => {
  const text = table([["NAME"], ["\u001b[31mred\u0007\nnext\u202e"]]);
  assertEquals(text, "NAME\n�[31mred��next�");
});

Deno.test("paragraph: lines as long as they may be, each but the first with the indent", () => {
  const lengths = { start: "  why:    ", indent: "          ", columns: 100 };
  const text = paragraph("word ".repeat(50).trim(), lengths);
  const lines = text.split("\n");
  assert(lines.length > 1 && lines.every((line) => line.length <= 100), text);
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
