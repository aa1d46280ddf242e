/** Suffixes of Kubernetes quantities, as factors. */
const SUFFIXES: Record<string, number> = {
  "": 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity in thousandths of its unit, rounded up as Kubernetes does: `"500m"` is 500, `2` is 2000. */
export function milliValue(quantity: string | number): number {
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]{0,2})$/.exec(String(quantity).trim());
  const factor = SUFFIXES[match?.[2] ?? "?"];
  const number = Number(match?.[1]);
  if (factor === undefined || Number.isNaN(number)) {
    throw new SyntaxError(
      `Cannot parse quantity "${quantity}": use a form like "500m", "2" or "4Gi"`,
    );
  }
  return Math.ceil(Number((number * factor * 1000).toPrecision(15)));
}
