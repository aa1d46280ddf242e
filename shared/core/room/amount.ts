/**
 * Amounts of resources as people write them.
 *
 * @module
 */

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/**
 * An amount in the scheduler's units: `8 nvidia.com/gpu`, `1.5 cpu`, `64Gi memory`. Bytes have one decimal: round what is
 * asked for up and what is there down, and too little never reads as enough.
 */
export function amountText(resource: string, amount: number, rounded: "up" | "down"): string {
  if (resource === "cpu") return `${amount / 1000} cpu`;
  return isBytes(resource) ? `${bytesText(amount, rounded)} ${resource}` : `${amount} ${resource}`;
}

function isBytes(resource: string): boolean {
  return resource === "memory" || resource === "ephemeral-storage" ||
    resource.startsWith("hugepages-");
}

function bytesText(amount: number, rounded: "up" | "down"): string {
  const largest = units.length - 1;
  const unit = Math.min(largest, Math.floor(Math.log2(Math.max(1, amount)) / 10));
  const tenths = amount / 2 ** (10 * unit) * 10;
  return `${(rounded === "up" ? Math.ceil(tenths) : Math.floor(tenths)) / 10}${units[unit]}`;
}
