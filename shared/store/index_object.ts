/**
 * The durable object that keeps a line per gang of one cluster, for the queue and for lists.
 *
 * @module
 */
import type { GangSummary } from "../contract/types.ts";
import { gangId, groupId } from "../core/facts.ts";
import { queueKeys } from "../core/order.ts";
import type { Settings } from "../core/settings.ts";
import type { GangLine } from "./gang_object.ts";
import { LongTexts, longTextsTable } from "./long_texts.ts";
import { migrate, type Migration } from "./migrations.ts";
import { DurableObject } from "./platform.ts";
import type { DurableObjectState, SqlStorage } from "./embedded/types.ts";

/** Released ones are never edited: tests/store/migrations_test.ts knows them. */
export const indexMigrations: readonly Migration[] = [
  {
    id: "001_gangs",
    sql: `
      CREATE TABLE gangs (
        id TEXT PRIMARY KEY,
        gang_group TEXT NOT NULL,
        line TEXT NOT NULL,
        failed_at INTEGER
      );
      CREATE INDEX gangs_by_group ON gangs (gang_group);`,
  },
  {
    id: "002_first_sight_and_last_group",
    sql: `
      ALTER TABLE gangs ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE last_group (id INTEGER PRIMARY KEY CHECK (id = 1), gang_group TEXT NOT NULL);`,
  },
  { id: "003_long_texts", sql: longTextsTable },
];

/** One cluster's gangs. Its id is the cluster. */
export class IndexObject extends DurableObject {
  readonly #sql: SqlStorage;
  readonly #long: LongTexts;
  readonly #transaction: <T>(work: () => T) => T;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#long = new LongTexts(ctx.storage.sql);
    this.#transaction = (work) => ctx.storage.transactionSync(work);
    ctx.blockConcurrencyWhile(() => {
      migrate(ctx.storage, indexMigrations);
      return Promise.resolve();
    });
  }

  /** Keeps the newest line of each gang. */
  record(lines: readonly GangLine[]): void {
    this.#transaction(() => {
      for (const line of lines) {
        const id = gangId(line.spec);
        const known = this.find(id);
        if (known && known.summary.updatedAt > line.summary.updatedAt) continue;
        this.#sql.exec(
          `INSERT INTO gangs (id, gang_group, line, failed_at, seen_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
              gang_group = excluded.gang_group, line = excluded.line, failed_at = excluded.failed_at`,
          id,
          groupId(line.spec),
          this.#long.put(id, JSON.stringify(line)),
          line.failedAt ?? null,
          Date.parse(line.summary.updatedAt),
        );
      }
    });
  }

  /** Drops the lines of a gang group that is gone. */
  forget(group: string): void {
    this.#transaction(() => {
      const gone = this.#sql.exec<{ id: string }>(
        "DELETE FROM gangs WHERE gang_group = ? RETURNING id",
        group,
      ).toArray();
      for (const { id } of gone) this.#long.delete(id);
    });
  }

  /** All lines, by namespace and name. */
  list(): GangSummary[] {
    return this.#lines().map((line) => line.summary);
  }

  /** The line of one gang. */
  find(id: string): GangLine | undefined {
    const [row] = this.#sql.exec<{ line: string }>("SELECT line FROM gangs WHERE id = ?", id)
      .toArray();
    return row && JSON.parse(this.#long.get(id, row.line));
  }

  /** Last failures by gang group, in milliseconds since the epoch. */
  failures(): [group: string, at: number][] {
    return this.#sql.exec<{ gang_group: string; failed_at: number }>(
      "SELECT gang_group, max(failed_at) AS failed_at FROM gangs WHERE failed_at IS NOT NULL GROUP BY gang_group",
    ).toArray().map((row) => [row.gang_group, row.failed_at]);
  }

  /** When each gang group was first seen, in milliseconds since the epoch (S0). */
  firstSights(): [group: string, at: number][] {
    return this.#sql.exec<{ gang_group: string; seen_at: number }>(
      "SELECT gang_group, min(seen_at) AS seen_at FROM gangs GROUP BY gang_group",
    ).toArray().map((row) => [row.gang_group, row.seen_at]);
  }

  /** Remembers the gang group that came last, and gives the one before (S0). */
  switchTo(group: string): string | undefined {
    const [last] = this.#sql.exec<{ gang_group: string }>("SELECT gang_group FROM last_group")
      .toArray();
    if (last?.gang_group === group) return undefined;
    this.#sql.exec("INSERT OR REPLACE INTO last_group (id, gang_group) VALUES (1, ?)", group);
    return last?.gang_group;
  }

  /** Last failures by gang group; where the queue orders by failure alone, the first sight of those that never failed. */
  queueTimes(settings: Settings): [group: string, at: number][] {
    return settings.queueTime === "failure"
      ? [...this.firstSights(), ...this.failures()]
      : this.failures();
  }

  /** The gang's place among the gangs that still wait for a node, from 1 on; undefined if it does not wait. */
  place(id: string, settings: Settings): number | undefined {
    const waiting = this.#lines().filter(({ summary }) =>
      summary.phase === "Pending" || summary.phase === "Scheduling"
    );
    const units = waiting.map(({ spec, summary }) => ({
      id: gangId(spec),
      gang: spec,
      priority: spec.priority ?? 0,
      queuedAt: spec.createdAt,
      bound: summary.members.bound,
    }));
    const keys = queueKeys(units, { failedAt: new Map(this.queueTimes(settings)), settings });
    const sorted = keys.sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
    const index = sorted.findIndex((key) => key.id === id);
    return index < 0 ? undefined : index + 1;
  }

  #lines(): GangLine[] {
    return this.#sql.exec<{ id: string; line: string }>("SELECT id, line FROM gangs ORDER BY id")
      .toArray().map(({ id, line }) => JSON.parse(this.#long.get(id, line)));
  }
}
