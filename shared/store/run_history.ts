/**
 * Gangs that ran: for how long those like them are going to, and for whoever wants to try what would have been.
 *
 * @module
 */
import { gangId } from "../core/gang/facts.ts";
import type { Run } from "../core/gang/gang_times.ts";
import { learntRunTime, runsLookedAt } from "../core/gang/learnt_run_time.ts";
import type { RunTime } from "../core/gang/run_time.ts";
import { keepFairly } from "./fair_rows.ts";
import { parseKept } from "./damage.ts";
import type { SqlStorage } from "./embedded/types.ts";

/** So many are kept, and none longer than this: what runs each month is still known the month after. */
const mostKept = 20_000;
/** To look whether there are more takes the longer the more there are: so many may be, for a while. */
const mostMore = 100;
const keptMs = 90 * 24 * 3600 * 1000;

/** Table of the runs; part of a schema. */
export const runsTable = `
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    pattern TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    is_learnt INTEGER NOT NULL,
    run TEXT NOT NULL
  );
  CREATE INDEX runs_by_id ON runs (id);
  CREATE INDEX runs_by_pattern ON runs (pattern, seq) WHERE is_learnt = 1;`;

/** A page of them. */
export interface RunPage {
  /** The one that was told last first. */
  readonly runs: Run[];
  /** Where the next page begins; absent after the last. */
  readonly continue?: string;
}

/** Bounded in number, for all namespaces together, and in time. */
export class RunHistory {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps a run. Gangs of one name do not run at the same time: of what overlaps one that is known it is told again. */
  keep(run: Run): void {
    const { startedAt, endedAt, pattern, isLearnt } = run;
    if (endedAt < startedAt) return;
    const id = gangId(run);
    const known = this.#sql.exec(
      "SELECT 1 FROM runs WHERE id = ? AND started_at <= ? AND ended_at >= ? LIMIT 1",
      id,
      endedAt,
      startedAt,
    ).toArray();
    if (known.length > 0) return;
    const { seq } = this.#sql.exec<{ seq: number }>(
      `INSERT INTO runs (id, pattern, started_at, ended_at, is_learnt, run) VALUES (?, ?, ?, ?, ?, ?)
        RETURNING seq`,
      id,
      pattern,
      startedAt,
      endedAt,
      isLearnt ? 1 : 0,
      JSON.stringify(run),
    ).one();
    if (seq % mostMore === 0) keepFairly(this.#sql, { table: "runs", most: mostKept });
  }

  /** How long gangs of each of these patterns ran; those of which none has are left out. `now` is in ms since the epoch. */
  runTimes(patterns: readonly string[], now: number): Map<string, RunTime> {
    const known = patterns.map((pattern) => {
      const rows = this.#sql.exec<{ length: number }>(
        `SELECT ended_at - started_at AS length FROM runs
          WHERE is_learnt = 1 AND pattern = ? AND ended_at > ? ORDER BY seq DESC LIMIT ?`,
        pattern,
        now - keptMs,
        runsLookedAt,
      ).toArray();
      return [pattern, learntRunTime(rows.map(({ length }) => length / 1000))] as const;
    });
    return new Map(known.flatMap(([pattern, time]) => time ? [[pattern, time]] : []));
  }

  /** At most `limit`, from what follows `after` on. */
  list({ limit, after }: { limit: number; after?: number }): RunPage {
    const rows = this.#sql.exec<{ seq: number; run: string }>(
      "SELECT seq, run FROM runs WHERE seq < ? ORDER BY seq DESC LIMIT ?",
      after ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
    ).toArray();
    const page = rows.slice(0, limit);
    return {
      runs: page.map(({ run }) => parseKept(run)),
      ...(rows.length > limit && { continue: String(page.at(-1)!.seq) }),
    };
  }

  /** Drops those that ended too long before this time, in ms since the epoch. */
  dropOld(now: number): void {
    this.#sql.exec("DELETE FROM runs WHERE ended_at < ?", now - keptMs);
  }
}
