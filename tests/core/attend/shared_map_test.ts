import { assertEquals } from "@std/assert";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";

Deno.test("a shared map is as large as the keys that were put into it and not taken out", () => {
  const empty = SharedMap.empty<number>();
  const two = empty.with("a", 1).with("b", 2).with("a", 3);
  assertEquals([empty.size, two.size, two.without("a").size], [0, 2, 1]);
  assertEquals([...two].sort(), [["a", 3], ["b", 2]]);
  assertEquals([...two.without("a").keys()], ["b"]);
  assertEquals([...two.without("a").without("c").values()], [2]);
  assertEquals([...two.without("a").without("b")], []);
  assertEquals([empty.has("a"), two.get("a"), two.without("a").get("a")], [false, 3, undefined]);
});
