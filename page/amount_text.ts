/**
 * Amounts of resources, short enough for charts.
 *
 * @module
 */

/** An amount in the scheduler's units, as people write it. */
export function amountText(name: string, amount: number): string {
  if (name === "cpu") return rounded(amount / 1000);
  if (name !== "memory") return rounded(amount);
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, amount)) / 10));
  return `${rounded(amount / 1024 ** power)} ${units[power]}`;
}

function rounded(amount: number): string {
  return String(Math.round(amount * 10) / 10);
}
