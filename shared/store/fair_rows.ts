/**
 * Tables that keep so many rows for all namespaces together.
 *
 * @module
 */
import type { SqlStorage } from "./embedded/types.ts";

/** Drops the oldest rows of whichever namespaces have most, so that the many of one cost no other its few. Rows have an `id`, `namespace/name`, and a `seq`. */
export function keepFairly(
  sql: SqlStorage,
  { table, most }: { table: "runs" | "ended_gangs"; most: number },
): void {
  const { count } = sql.exec<{ count: number }>(`SELECT count(*) AS count FROM ${table}`).one();
  if (count <= most) return;
  sql.exec(
    `DELETE FROM ${table} WHERE seq IN (
      SELECT seq FROM (
        SELECT seq, row_number() OVER (PARTITION BY substr(id, 1, instr(id, '/')) ORDER BY seq DESC) AS place
        FROM ${table}
      ) ORDER BY place DESC, seq LIMIT ?
    )`,
    count - most,
  );
}
