/**
 * What the page shows of an index: the gangs by phase, the queue, and the rest.
 *
 * @module
 */
import type { GangSummary } from "../contract/types.ts";
import type { Phase } from "../core/gang/phase.ts";
import type { SqlStorage } from "./embedded/types.ts";
import type { GangLine } from "./gang_object.ts";

/** A gang in a table of the page. */
export interface GangRow extends GangSummary {
  readonly priority: number;
  /** Its place in the queue, from 1 on; absent for a gang that waits for no node. */
  readonly place?: number;
}

/** Which gangs to look at. */
export interface LookOptions {
  /** Only gangs of this phase, by namespace and name; absent: the queue, and then the gangs that are not in it. */
  readonly phase?: Phase | undefined;
  /** So many of the queue are left out. */
  readonly from: number;
  /** The other gangs begin after this one, by namespace and name. */
  readonly after: string;
  /** The longest that a list may be. */
  readonly limit: number;
}

/** An index as it is now. */
export interface Look {
  readonly version: string;
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
  /** How many gangs are in the queue. */
  readonly waiting: number;
  /** The part of the queue that was asked for, the next gang first; empty where a phase was asked for. */
  readonly queue: readonly GangRow[];
  /** Gangs by namespace and name: of the phase, or those that are not in the queue. */
  readonly others: readonly GangRow[];
  /** More of them follow. */
  readonly hasMore: boolean;
}

type Row = Record<"line", string>;

/** Reads an index for people. Only counting reads more lines than are shown, and it reads no more than their phases. */
export class IndexView {
  readonly #sql: SqlStorage;
  /** Another one whenever the object is loaded anew: nobody knows then what happened before. */
  readonly #loaded = crypto.randomUUID();
  #changes = 0;
  #counted: { readonly at: number; readonly phases: Look["phases"] } | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Names the state of the index. */
  get version(): string {
    return `${this.#loaded}-${this.#changes}`;
  }

  /** A line was written or dropped. */
  changed(): void {
    this.#changes++;
  }

  /** The gangs as they are now. */
  look({ phase, from, after, limit }: LookOptions): Look {
    const [condition, values] = phase === undefined
      ? ["queue_key IS NULL", []]
      : ["phase = ?", [phase]];
    const others = this.#sql.exec<Row>(
      `SELECT line FROM gangs WHERE id > ? AND ${condition} ORDER BY id LIMIT ?`,
      after,
      ...values,
      limit + 1,
    ).toArray();
    return {
      version: this.version,
      phases: this.#phases(),
      waiting: this.#sql.exec<{ count: number }>(
        "SELECT count(*) AS count FROM gangs WHERE queue_key IS NOT NULL",
      ).one().count,
      queue: phase === undefined ? this.#queue({ from, limit }) : [],
      others: others.slice(0, limit).map((row) => this.#rowOf(row)),
      hasMore: others.length > limit,
    };
  }

  #queue({ from, limit }: { from: number; limit: number }): GangRow[] {
    return this.#sql.exec<Row>(
      "SELECT line FROM gangs WHERE queue_key IS NOT NULL ORDER BY queue_key, id LIMIT ? OFFSET ?",
      limit,
      from,
    ).toArray().map((row, index) => ({ ...this.#rowOf(row), place: from + index + 1 }));
  }

  #rowOf({ line }: Row): GangRow {
    const { summary, spec }: GangLine = JSON.parse(line);
    return { ...summary, priority: spec.priority ?? 0 };
  }

  #phases(): Look["phases"] {
    if (this.#counted?.at !== this.#changes) {
      const rows = this.#sql.exec<{ phase: Phase; count: number }>(
        "SELECT phase, count(*) AS count FROM gangs GROUP BY phase",
      ).toArray();
      this.#counted = {
        at: this.#changes,
        phases: Object.fromEntries(rows.map(({ phase, count }) => [phase, count])),
      };
    }
    return this.#counted.phases;
  }
}
