/**
 * Figures of a trace side by side, a column for each rule.
 *
 * @module
 */
import { table } from "../muster/table.ts";
import type { Figures, Spread } from "./figures.ts";
import type { PlanCost } from "./plan_costs.ts";

/** What a rule makes of the jobs, and what its plans cost. */
export interface RuleFigures extends Figures {
  readonly plans: readonly PlanCost[];
}

/** The figures of each rule, by name, as a table. */
export function figuresTable(byRule: ReadonlyMap<string, RuleFigures>): string {
  const all = [...byRule.values()];
  const row = (what: string, text: (figures: RuleFigures) => string) => [what, ...all.map(text)];
  const spread = (
    what: string,
    of: (figures: Figures) => Spread,
    text: (value: number) => string,
  ) => [
    row(`${what}, mean`, (figures) => text(of(figures).mean)),
    row("  median", (figures) => text(of(figures).median)),
    row("  95 %", (figures) => text(of(figures).p95)),
  ];
  const sizes = [
    ...new Map(all.flatMap(({ bySize }) => bySize.map(({ gpus }) => [gpus[0], gpus]))).values(),
  ];
  const ofSize = (figures: Figures, least: number) =>
    figures.bySize.find(({ gpus }) => gpus[0] === least);
  const lengths = [
    ...new Map(all.flatMap(({ plans }) => plans.map(({ waiting }) => [waiting[0], waiting])))
      .values(),
  ].sort(([a], [b]) => a - b);
  const costAt = ({ plans }: RuleFigures, length: number) =>
    plans.find(({ waiting }) => waiting[0] === length)?.ms;
  const costText = (ms: number | undefined) => ms === undefined ? "-" : `${ms.toFixed(1)} ms`;
  const rows = [
    ["", ...byRule.keys()],
    row("jobs started", ({ started }) => String(started)),
    row("too large", ({ tooLarge }) => String(tooLarge)),
    row("never started", ({ stuck }) => String(stuck)),
    row("utilisation", ({ utilisation }) => percent(utilisation)),
    row("GPUs idle while jobs wait", ({ stranded }) => stranded.toFixed(1)),
    ...spread("wait", ({ wait }) => wait, timeText),
    ...sizes.flatMap(([least, most]) => [
      row(
        `wait, ${least === most ? least : `${least} to ${most}`} GPUs, mean`,
        (figures) => timeText(ofSize(figures, least)?.wait.mean ?? 0),
      ),
    ]),
    row("wait of the largest, mean", ({ largestWait }) => timeText(largestWait)),
    ...spread("slowdown", ({ slowdown }) => slowdown, (value) => value.toFixed(1)),
    ...sizes.map(([least, most]) =>
      row(
        `slowdown, ${least === most ? least : `${least} to ${most}`} GPUs, median`,
        (figures) => (ofSize(figures, least)?.slowdown.median ?? 0).toFixed(1),
      )
    ),
    row("promises kept", ({ promises: { made, kept } }) => made > 0 ? `${kept} of ${made}` : "-"),
    ...lengths.flatMap(([least, most]) => [
      row(
        `a plan, ${least} to ${most} waiting, median`,
        (figures) => costText(costAt(figures, least)?.median),
      ),
      row("  95 %", (figures) => costText(costAt(figures, least)?.p95)),
    ]),
  ];
  return table(rows, Infinity);
}

/** `45 s`, `12 min`, `3.4 h`, `15.6 d`: seconds as people say them. */
function timeText(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return seconds < 48 * 3600
    ? `${(seconds / 3600).toFixed(1)} h`
    : `${(seconds / 86400).toFixed(1)} d`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
