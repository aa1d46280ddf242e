import { assertEquals } from "@std/assert";
import { FairShares } from "../../shared/http/fair_shares.ts";

Deno.test("fair shares: alone a caller may have all, and with others what is left or its part", () => {
  const shares = new FairShares(12);
  assertEquals(shares.take("a", 12), true);
  assertEquals(shares.take("a", 1), false);
  assertEquals(shares.take("b", 7), false);
  assertEquals(shares.take("b", 6), true);
  assertEquals(shares.take("b", 1), false);
  assertEquals(shares.take("c", 4), true);
  shares.giveBack("a", 12);
  assertEquals(shares.take("b", 2), true);
  assertEquals(shares.take("b", 1), false);
  shares.giveBack("c", 4);
  assertEquals(shares.take("b", 4), true);
  shares.giveBack("b", 12);
  assertEquals(shares.take("d", 12), true);
});
