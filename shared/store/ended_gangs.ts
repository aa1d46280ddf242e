/**
 * The stories of gangs that are gone, for a while.
 *
 * @module
 */
import { parseKept } from "./damage.ts";
import type { SqlStorage } from "./embedded/types.ts";
import { keepFairly } from "./fair_rows.ts";
import type { EndedGang } from "./kept_group.ts";

/** So many are kept, and none longer than this. */
const mostKept = 500;
const keptMs = 7 * 24 * 3600 * 1000;

/** So many are listed, and so many of one name. */
const mostListed = 100;
const mostOfName = 10;

/** Table of the stories; part of a schema. The longest takes less than half of the 2 MB that a row may have. */
export const endedGangsTable = `
  CREATE TABLE ended_gangs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    story TEXT NOT NULL
  );
  CREATE INDEX ended_gangs_by_id ON ended_gangs (id, seq);`;

/** Bounded in number and time; whoever wants more keeps what is logged. */
export class EndedGangs {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps the story of a gang by its `namespace/name`, in place of the oldest one of a namespace that has most where there are too many. */
  keep(id: string, story: EndedGang): void {
    this.#sql.exec(
      "INSERT INTO ended_gangs (id, ended_at, story) VALUES (?, ?, ?)",
      id,
      Date.parse(story.ended.at),
      JSON.stringify(story),
    );
    keepFairly(this.#sql, { table: "ended_gangs", most: mostKept });
  }

  /** Those of this name, or of all, the last one first. */
  list(id?: string): EndedGang[] {
    const [condition, values] = id === undefined ? ["", []] : ["WHERE id = ?", [id]];
    return this.#sql.exec<{ story: string }>(
      `SELECT story FROM ended_gangs ${condition} ORDER BY seq DESC LIMIT ?`,
      ...values,
      id === undefined ? mostListed : mostOfName,
    ).toArray().map(({ story }) => parseKept(story));
  }

  /** Drops those that ended too long before this time, in ms since the epoch. */
  dropOld(now: number): void {
    this.#sql.exec("DELETE FROM ended_gangs WHERE ended_at < ?", now - keptMs);
  }
}
