/**
 * What the cluster had of its resources, and what of it was taken, over the last hour.
 *
 * @module
 */
import type { ResourceAmounts } from "../core/gang/facts.ts";
import { parseKept } from "./damage.ts";
import type { SqlStorage } from "./embedded/types.ts";

/** Table of the samples; part of a schema. */
export const resourceSamplesTable = `
  CREATE TABLE resource_samples (
    slot INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    amounts TEXT NOT NULL
  );`;

/** The resources at a time. */
export interface ResourceSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly amounts: readonly ResourceAmounts[];
}

/** A sample takes the place of the one before it in such a span, and of the one an hour before. */
const slotMs = 10_000;
const slots = 360;

/** A bounded series: keeping a sample writes one row, and none is ever deleted. */
export class ResourceHistory {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps what is so at this time, in ms since the epoch. */
  keep(amounts: readonly ResourceAmounts[], now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO resource_samples (slot, at, amounts) VALUES (?, ?, ?)",
      Math.floor(now / slotMs) % slots,
      now,
      JSON.stringify(amounts),
    );
  }

  /** The samples of the hour before this time, the oldest first, and the last one before it. */
  lastHour(now: number): ResourceSample[] {
    const rows = this.#sql.exec<{ at: number; amounts: string }>(
      "SELECT at, amounts FROM resource_samples ORDER BY at",
    ).toArray();
    const first = rows.findLastIndex(({ at }) => at <= now - slots * slotMs);
    return rows.slice(Math.max(0, first)).map(({ at, amounts }) => ({
      at,
      amounts: parseKept(amounts),
    }));
  }
}
