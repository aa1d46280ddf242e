import { table } from "../bench/report.ts";
import { type Action, type Deed, describeDeed, partNames } from "./actions.ts";
import type { OwnEnd } from "./part.ts";
import type { Sample, Tenancy } from "./tenants.ts";

/** A deed that was done; times are milliseconds since the start. */
export interface Fault {
  readonly from: number;
  readonly to: number;
  readonly deed: Deed;
  /** What it met, or why it was not done. */
  readonly found?: string;
}

/** What became of a run; times are milliseconds since its start. */
export interface ChaosReport {
  readonly seed: number;
  readonly minutes: number;
  readonly actions: readonly Action[];
  /** In the order in which they were over. */
  readonly faults: readonly Fault[];
  readonly restedAt: number;
  readonly endedAt: number;
  readonly tenancies: readonly Tenancy[];
  readonly samples: readonly Sample[];
  readonly ownEnds: readonly OwnEnd[];
  /** Whether the store had a disk of its own, which was filled. */
  readonly hasDisk: boolean;
  /** Of the machine, at the end: over 1, 5 and 15 minutes. */
  readonly load: readonly number[];
  /** A sentence for each thing that is not as it must be. */
  readonly wrong: readonly string[];
}

/** The report as text. */
export function describeReport(report: ChaosReport): string {
  const { faults, tenancies, ownEnds, wrong } = report;
  const done = faults.filter(({ found }) => !found?.startsWith("not done"));
  const count = (what: string, part: string) =>
    done.filter(({ deed }) => deed.do === what && "part" in deed && deed.part === part).length;
  const rows = partNames.map((part) => [
    part,
    ...["kill", "stop", "restart"].map((what) => String(count(what, part))),
    String(ownEnds.filter((end) => end.part === part).length),
  ]);
  const others = Map.groupBy(
    done.filter(({ deed }) => !["kill", "stop", "restart"].includes(deed.do)),
    ({ deed }) => deed.do,
  );
  const whole = tenancies.flatMap(({ createdAt, wholeAt }) =>
    wholeAt === undefined ? [] : (wholeAt - createdAt) / 1000
  ).sort((a, b) => a - b);
  const at = (share: number) => (whole[Math.floor(share * (whole.length - 1))] ?? NaN).toFixed(1);
  return [
    `seed ${report.seed}, ${report.minutes} minutes of faults, ${
      (report.endedAt / 1000).toFixed(0)
    } s in all, ` +
    `load ${report.load.map((load) => load.toFixed(1)).join(" ")}`,
    "",
    table(["part", "kills", "stops", "restarts", "ends of its own"], rows),
    "",
    `kills: ${done.filter(({ deed }) => deed.do === "kill").length}`,
    `others: ${[...others].map(([what, all]) => `${what} ${all.length}`).join(", ")}`,
    ...(report.hasDisk
      ? []
      : ["the disk of the store was not filled: this user may not mount one"]),
    `not done, because another fault was in the way: ${faults.length - done.length}`,
    `gangs: ${tenancies.length}, whole: ${whole.length}, after ${at(0.5)} s (median), ${
      at(0.99)
    } s (99 %), ${at(1)} s (longest)`,
    "",
    ...(wrong.length === 0
      ? ["Nothing is wrong."]
      : ["Wrong:", ...wrong.map((line) => `- ${line}`)]),
  ].join("\n");
}

/** One line for each fault as it was done. */
export function describeFaults(faults: readonly Fault[]): string[] {
  return faults.toSorted((a, b) => a.from - b.from).map(({ from, to, deed, found }) =>
    `${(from / 1000).toFixed(1).padStart(7)} s  ${describeDeed(deed)}, over after ${to - from} ms` +
    (found === undefined ? "" : `: ${found}`)
  );
}
