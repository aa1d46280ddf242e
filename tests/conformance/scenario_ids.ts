/**
 * The ids of the behaviour that schedulers of the field show, as their own tests and bug reports state it. What each asks
 * for is the name of the test that carries its id, or the line of decisions.md.
 *
 * @module
 */

/**
 * `alike`: Muster does the same, and a test's name carries the id. `adapted`: a test, or a line of decisions.md. `scheduler`: the
 * scheduler's own doing beside Muster, which a test on a control plane shows.
 */
export type Fit = "alike" | "adapted" | "scheduler";

/** One scenario. */
export interface Scenario {
  readonly id: string;
  readonly fit: Fit;
}

/** The scenarios by section; `SP-PF-1` is the first of scheduler-plugins on PreFilter. */
export const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  "prefilter": [
    ...range("SP-PF", 10, { adapted: [2] }),
    ...range("SP-CR", 3),
  ],
  "permit": range("SP-PM", 6, { adapted: [5] }),
  "order": [...range("SP-LS", 16, { adapted: [13, 14] }), ...range("SP-FT", 1)],
  "reject path": [...range("SP-RJ", 9, { adapted: [4, 8] }), ...range("SP-BO", 2)],
  "phases": [
    ...range("SP-ST", 17, { adapted: [9] }),
    ...range("KO-ST", 4),
  ],
  "Koordinator's gangs": [
    ...range("KO-PE", 8, { adapted: [8] }),
    ...range("KO-PM", 10, { adapted: [2] }),
    ...range("KO-PO", 5),
    ...range("KO-UR", 1),
    ...range("KO-PC", 4),
    ...range("KO-DF", 17),
    ...range("KO-GG", 4, { adapted: [1, 2, 4] }),
    ...range("KO-PB", 2, { adapted: [1, 2] }),
    ...range("KO-DBG", 1, { adapted: [1] }),
    ...range("KO-PRE", 8, { adapted: [5] }),
  ],
  "the extender protocol": range("EX", 12, {
    adapted: [5, 8, 9, 11],
    scheduler: [1, 2, 3, 4, 6, 12],
  }),
  "placement": [
    ...listed("PL-T", [1, 2, 4, 9, 12, 18, 19, 22, 24, 27, 28, 29, 31, 36]),
    ...listed("PL-S", [1, 2, 4, 7]),
    ...listed("PL-C", [1, 2, 3, 9, 12, 13, 14, 16, 18]),
  ],
  "elastic gangs and preemption": [
    ...listed("PL-E", [1, 4, 8]),
    ...listed("PL-P", [4, 7, 8, 11, 12, 13, 17, 18, 19, 21, 23, 28, 31], { scheduler: [17, 18] }),
  ],
  "backfill": listed("PL-B", [1, 2, 4, 6, 8, 9]),
  "bug reports": range("BUG", 19, { without: [1, 3, 5, 8, 18] }),
};

/** All scenarios. */
export const allScenarios: readonly Scenario[] = Object.values(scenarios).flat();

/** The ids that a text names: `SP-LS-1/2` and `KO-DF-7, 8` name two each. */
export function idsIn(text: string): string[] {
  const found = text.matchAll(
    /\b((?:SP|KO)-[A-Z]+-|BUG-|EX-|PL-[A-Z])(\d+(?:(?:\/|, )\d+)*)(?!\d)/g,
  );
  return [...found].flatMap(([, prefix, numbers = ""]) =>
    numbers.split(/\/|, /).map((number) => `${prefix}${number}`)
  );
}

/** Those that are not alike. */
type Others = Partial<Record<Exclude<Fit, "alike">, readonly number[]>>;

function range(
  prefix: string,
  last: number,
  { without = [], ...others }: Others & { without?: readonly number[] } = {},
): Scenario[] {
  const numbers = Array.from({ length: last }, (_, index) => index + 1);
  return listed(`${prefix}-`, numbers.filter((number) => !without.includes(number)), others);
}

function listed(prefix: string, numbers: readonly number[], others: Others = {}): Scenario[] {
  const { adapted = [], scheduler = [] } = others;
  return numbers.map((number) => ({
    id: `${prefix}${number}`,
    fit: adapted.includes(number) ? "adapted" : scheduler.includes(number) ? "scheduler" : "alike",
  }));
}
