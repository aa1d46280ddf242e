import { assertEquals } from "@std/assert";
import { amountText } from "../../../shared/core/room/amount.ts";

const gi = 2 ** 30;

for (
  const [resource, amount, asked, there] of [
    ["nvidia.com/gpu", 8, "8 nvidia.com/gpu", "8 nvidia.com/gpu"],
    ["cpu", 1500, "1.5 cpu", "1.5 cpu"],
    ["cpu", 8000, "8 cpu", "8 cpu"],
    ["memory", 64 * gi, "64Gi memory", "64Gi memory"],
    ["memory", 64 * gi + 1, "64.1Gi memory", "64Gi memory"],
    ["memory", 64 * gi - 1, "64Gi memory", "63.9Gi memory"],
    ["memory", 0, "0 memory", "0 memory"],
    ["hugepages-2Mi", 2 ** 21, "2Mi hugepages-2Mi", "2Mi hugepages-2Mi"],
    ["ephemeral-storage", 2 ** 30, "1Gi ephemeral-storage", "1Gi ephemeral-storage"],
    ["example.com/tokens", 2048, "2048 example.com/tokens", "2048 example.com/tokens"],
    ["memory", 2 ** 51, "2Pi memory", "2Pi memory"],
    ["memory", 2 ** 61, "2048Pi memory", "2048Pi memory"],
    ["ephemeral-storage", 1023, "1023 ephemeral-storage", "1023 ephemeral-storage"],
  ] as const
) {
  Deno.test(`amountText(): ${amount} ${resource}`, () => {
    assertEquals(amountText(resource, amount, "up"), asked);
    assertEquals(amountText(resource, amount, "down"), there);
  });
}
