/**
 * When a gang is going to start, and how long it is going to run, in words.
 *
 * @module
 */
import type { StartEstimate } from "../gang/gang_times.ts";
import type { RunTime } from "../gang/run_time.ts";
import { count, named } from "./text.ts";

/** The last time that is told: RFC 3339 has no other years, and gangs may say that they run for centuries. */
export const lastTime = Date.UTC(9999, 0);

/** When a gang that starts at a time ends, both in ms since the epoch; undefined: nobody knows, or lives to see it. */
export function expectedEnd(startsAt: number, runTime: RunTime | undefined): number | undefined {
  const endsAt = startsAt + 1000 * (runTime?.seconds ?? Infinity);
  return endsAt < lastTime ? endsAt : undefined;
}

/** `2026-11-22 14:10 UTC, after gang team-a/llm-7 has ended, on r3`. */
export function startText({ startsAt, after, isOverdue, domain }: StartEstimate): string {
  const overdue = isOverdue ? ", which runs for longer than expected" : "";
  const why = after === undefined ? "" : `, after gang ${named(after)} has ended${overdue}`;
  return `${minuteText(startsAt)}${why}${domain === undefined ? "" : `, on ${named(domain)}`}`;
}

/** `90 min, as 14 runs before`: and where that is known from. */
export function runTimeText({ seconds, source, runs = 0, median }: RunTime): string {
  const length = lengthText(seconds);
  switch (source) {
    case "declared":
      return `${length}, as it declares`;
    case "deadline":
      return `${length} at most, by its deadline`;
    case "setting":
      return `${length}, as all of which nothing is known`;
    case "learnt":
      return `${length}, as ${count(runs, "run")} before${
        median === undefined || lengthText(median) === length
          ? ""
          : `, half of which took no more than ${lengthText(median)}`
      }`;
  }
}

/** An RFC 3339 time in UTC to the minute: `2026-11-22 14:10 UTC`. */
export function minuteText(time: string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** `in 12 min`, or `over`; `now` is in ms since the epoch. */
export function aheadText(time: string, now: number): string {
  const left = Date.parse(time) - now;
  return left > 0 ? `in ${lengthText(left / 1000)}` : "over";
}

/** `45 s`, `90 min`, `36 h`, `5 d`: the greatest unit of which there are two at least. */
export function lengthText(seconds: number): string {
  const [size, name] = units.find(([size]) => seconds >= 2 * size) ?? units.at(-1)!;
  return `${Math.round(seconds / size)} ${name}`;
}

const units: readonly (readonly [size: number, name: string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];
