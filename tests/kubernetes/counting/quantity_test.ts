import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { quantity } from "../../../shared/kubernetes/counting/quantity.ts";
import { runs } from "../../property/runs.ts";

const cases: [text: string, decimals: number, expect: number][] = [
  ["0", 0, 0],
  ["2", 0, 2],
  ["+2", 0, 2],
  ["2", 3, 2000],
  ["500m", 3, 500],
  ["500m", 0, 1],
  ["1500m", 0, 2],
  ["1500m", 3, 1500],
  ["1.5", 0, 2],
  ["1.5", 3, 1500],
  ["0.0001", 3, 1],
  [".5", 3, 500],
  ["5.", 0, 5],
  ["1n", 3, 1],
  ["1u", 6, 1],
  ["1k", 0, 1000],
  ["64Gi", 0, 64 * 2 ** 30],
  ["1.5Gi", 0, 1.5 * 2 ** 30],
  ["0.3Ki", 0, 308],
  ["1M", 0, 1e6],
  ["1Mi", 0, 2 ** 20],
  ["1T", 0, 1e12],
  ["8Ti", 0, 2 ** 43],
  ["7Pi", 0, 7 * 2 ** 50],
  ["1P", 0, 1e15],
  ["1E", 0, 1e18],
  ["1Ei", 0, 2 ** 60],
  ["9007199254740991", 0, Number.MAX_SAFE_INTEGER],
  ["1e3", 0, 1000],
  ["1E3", 0, 1000],
  ["12e-1", 3, 1200],
  ["12e-1", 0, 2],
  ["1e+2", 0, 100],
  ["-1", 0, -1],
  ["-1500m", 0, -1],
  ["-1500m", 3, -1500],
  ["00012", 0, 12],
];

for (const [text, decimals, expect] of cases) {
  Deno.test(`quantity: "${text}" with ${decimals} decimals is ${expect}`, () => {
    assertEquals(quantity(text, decimals), expect);
  });
}

const garbage = [
  "",
  " ",
  "1 ",
  " 1",
  "five",
  "1K",
  "1KI",
  "1Mib",
  "1.2.3",
  ".",
  "+",
  "--1",
  "1e",
  "1e1.5",
  "0x10",
  "1,5",
  "١",
  "Infinity",
  "NaN",
  "1m1",
];

for (const text of garbage) {
  Deno.test(`quantity: "${text}" is refused`, () => {
    assertThrows(() => quantity(text), SyntaxError, `Cannot read "${text}" as a quantity`);
  });
}

const powers: Record<string, [base: bigint, exponent: number]> = {
  n: [10n, -9],
  m: [10n, -3],
  "": [10n, 0],
  k: [10n, 3],
  G: [10n, 9],
  Ki: [2n, 10],
  Gi: [2n, 30],
  e2: [10n, 2],
  "e-2": [10n, -2],
};

Deno.test("property: a quantity is the least whole number that is not less, by exact arithmetic", () => {
  fc.assert(
    fc.property(
      fc.nat(9_999),
      fc.stringMatching(/^[0-9]{0,4}$/),
      fc.constantFrom(...Object.keys(powers)),
      fc.constantFrom(0, 3),
      (whole, fraction, suffix, decimals) => {
        const text = `${whole}${fraction && `.${fraction}`}${suffix}`;
        const [base, exponent] = powers[suffix]!;
        const scale = 10n ** 12n;
        let scaled = (BigInt(whole) * scale +
          BigInt(fraction || 0) * scale / 10n ** BigInt(fraction.length)) *
          10n ** BigInt(decimals);
        // The scale leaves room for every fraction that can come up but those of n, which round up alike.
        if (exponent >= 0) scaled *= base ** BigInt(exponent);
        const unit = exponent >= 0 ? scale : scale * base ** BigInt(-exponent);
        const expect = (scaled + unit - 1n) / unit;
        if (expect <= BigInt(Number.MAX_SAFE_INTEGER)) {
          assertEquals(quantity(text, decimals), Number(expect), text);
        }
      },
    ),
    runs(2000),
  );
});

Deno.test("property: text that is not a quantity is a SyntaxError and nothing else", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.eEmkKi+-]{1,8}$/)), (text) => {
      try {
        assertEquals(typeof quantity(text), "number");
      } catch (error) {
        assertEquals((error as Error).name, "SyntaxError");
      }
    }),
    runs(1000),
  );
});
