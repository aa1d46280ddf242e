/**
 * Who has the nodes of a cluster, as it was told last.
 *
 * @module
 */
import type { ClusterMap } from "../core/gang/cluster_map.ts";
import { parseKept } from "./damage.ts";
import type { SqlStorage } from "./embedded/types.ts";

/** Table of the map; part of a schema. */
export const clusterMapTable = `
  CREATE TABLE cluster_map (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL,
    map TEXT NOT NULL
  );`;

/** What is that much older than what is kept is not late: the clock was ahead then, or is another. In ms. */
export const latestMs = 60_000;

/** The last map: keeping one writes one row. */
export class KeptMap {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps a map, unless a newer one came before it. */
  keep(map: ClusterMap): void {
    const at = Date.parse(map.at);
    const [last] = this.#sql.exec<{ at: number }>("SELECT at FROM cluster_map").toArray();
    if (last && at < last.at && at > last.at - latestMs) return;
    this.#sql.exec(
      "INSERT OR REPLACE INTO cluster_map (id, at, map) VALUES (1, ?, ?)",
      at,
      JSON.stringify(map),
    );
  }

  /** Undefined: none was told. */
  read(): ClusterMap | undefined {
    const [last] = this.#sql.exec<{ map: string }>("SELECT map FROM cluster_map").toArray();
    return last && parseKept(last.map);
  }
}
