import { assertEquals } from "@std/assert";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import { fromPlain, plain } from "../../../shared/core/record/known_text.ts";

const values: [id: string, value: unknown][] = [
  ["a number and infinity", { at: 3, until: Infinity }],
  ["a map within a list", [new Map([["a", { uids: ["u"] }]])]],
  ["a shared map", { refused: SharedMap.empty<number>().with("u", 1) }],
  ["sets, as of what a group can do without", {
    choice: { without: new Set(["a/b"]), counted: new Set() },
  }],
  ["a map of sets", new Map([["a", new Set(["b"])]])],
];

for (const [id, value] of values) {
  Deno.test(`what is known of a group is the same after it was text: ${id}`, () => {
    const read = fromPlain(JSON.parse(JSON.stringify(plain(value))));
    assertEquals(read, value);
  });
}
