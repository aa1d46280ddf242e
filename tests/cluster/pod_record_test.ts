import { assertEquals } from "@std/assert";
import { needsOf } from "../../shared/cluster/pod_record.ts";
import { podOf } from "../support/objects.ts";

const rows: readonly (readonly [resources: number, areShared: boolean])[] = [[2, true], [
  1000,
  false,
]];

for (const [resources, areShared] of rows) {
  Deno.test(`needsOf(): pods of one kind ${areShared ? "share" : "do not share"} what they ask for where that are ${resources} resources`, () => {
    const requests = Object.fromEntries(
      Array.from({ length: resources }, (_, at) => [`example.com/r${at}`, "1"]),
    );
    const [a, b] = [1, 2].map(() => needsOf(podOf({ containers: [{ resources: { requests } }] })));
    assertEquals(a, b);
    assertEquals(a === b, areShared);
  });
}
