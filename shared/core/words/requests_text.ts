/**
 * What a member asks for, as people write it.
 *
 * @module
 */
import type { GangPod } from "../gang/facts.ts";
import { amountText } from "../room/amount.ts";

/** `1.5 cpu, 8 nvidia.com/gpu`; nothing where it asks for nothing. */
export function requestsText({ requests }: Pick<GangPod, "requests">): string {
  return Object.entries(requests).map(([resource, amount]) => amountText(resource, amount, "up"))
    .sort().join(", ");
}
