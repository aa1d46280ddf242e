/**
 * Kubernetes quantities.
 *
 * @module
 */

const suffixes: Readonly<Record<string, readonly [base: bigint, exponent: bigint]>> = {
  n: [10n, -9n],
  u: [10n, -6n],
  m: [10n, -3n],
  "": [10n, 0n],
  k: [10n, 3n],
  M: [10n, 6n],
  G: [10n, 9n],
  T: [10n, 12n],
  P: [10n, 15n],
  E: [10n, 18n],
  Ki: [2n, 10n],
  Mi: [2n, 20n],
  Gi: [2n, 30n],
  Ti: [2n, 40n],
  Pi: [2n, 50n],
  Ei: [2n, 60n],
};

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3})|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]))?$/;

/** Whether a text is a quantity. */
export function isQuantity(text: string): boolean {
  return pattern.test(text) && /\d/.test(text);
}

/**
 * The value of a quantity in units of 10^-`decimals`, rounded up as the scheduler does: `quantity("1500m")` is 2,
 * `quantity("1500m", 3)` is 1500. Exact up to 2^53.
 *
 * @throws {SyntaxError} if the text is not a quantity.
 */
export function quantity(text: string, decimals = 0): number {
  const match = pattern.exec(text);
  const [, sign, whole = "", fraction = "", exponent, suffix = ""] = match ?? [];
  if (!match || whole + fraction === "") {
    throw new SyntaxError(
      `Cannot read "${text}" as a quantity: write it as "2", "500m", "1.5" or "64Gi"`,
    );
  }
  const [base, power] = exponent === undefined
    ? suffixes[suffix]!
    : [10n, BigInt(exponent)] as const;
  let numerator = BigInt(whole + fraction) * 10n ** BigInt(decimals);
  let denominator = 10n ** BigInt(fraction.length);
  if (power >= 0n) numerator *= base ** power;
  else denominator *= base ** -power;
  const signed = sign === "-" ? -numerator : numerator;
  const floor = signed / denominator;
  return Number(signed > 0n && signed % denominator !== 0n ? floor + 1n : floor);
}
