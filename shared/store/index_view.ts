/**
 * What the page shows of an index: the gangs by phase, the queue, and the rest.
 *
 * @module
 */
import type { GangSummary } from "../contract/types.ts";
import type { Phase } from "../core/gang/phase.ts";
import { parseKept } from "./damage.ts";
import type { SqlStorage } from "./embedded/types.ts";
import type { GangLine } from "./gang_line.ts";

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
  /** Only gangs of this namespace. */
  readonly namespace?: string | undefined;
  /** Only gangs in whose `namespace/name` this is found, in small letters. */
  readonly search?: string | undefined;
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
  /** Gangs of the namespace and the search that were asked for, by phase. */
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
  /** Those that have gangs, by name; whatever was asked for. */
  readonly namespaces: readonly string[];
  /** How many of them are in the queue. */
  readonly waiting: number;
  /** The part of the queue that was asked for, the next gang first; empty where a phase was asked for. */
  readonly queue: readonly GangRow[];
  /** Gangs by namespace and name: of the phase, or those that are not in the queue. */
  readonly others: readonly GangRow[];
  /** More of them follow. */
  readonly hasMore: boolean;
  /** What runs, and what has been told its start, the first to start first; empty where not all gangs were asked for. */
  readonly timed: readonly GangRow[];
  /** How many those are. */
  readonly timedCount: number;
}

/** A condition of SQL, and its values. */
type Condition = readonly [sql: string, values: readonly string[]];

/** So many namespaces can be chosen from. */
const mostNamespaces = 500;

/** Reads an index for people. Only counting and searching read more lines than are shown, and no more of them than their columns. */
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
  look({ phase, from, after, limit, ...filter }: LookOptions): Look {
    const [wanted, values] = conditionOf(filter);
    const isWanted = phase === undefined ? "queue_key IS NULL" : "phase = ?";
    const others = this.#sql.exec<{ line: string }>(
      `SELECT line FROM gangs WHERE id > ? AND ${isWanted} AND ${wanted} ORDER BY id LIMIT ?`,
      after,
      ...(phase === undefined ? [] : [phase]),
      ...values,
      limit + 1,
    ).toArray();
    return {
      version: this.version,
      phases: this.#phases(filter),
      namespaces: this.#namespaces(),
      waiting: this.#sql.exec<{ count: number }>(
        `SELECT count(*) AS count FROM gangs WHERE queue_key IS NOT NULL AND ${wanted}`,
        ...values,
      ).one().count,
      queue: phase === undefined ? this.#queue(filter, { from, limit }) : [],
      others: others.slice(0, limit).map(({ line }) => rowOf(line)),
      hasMore: others.length > limit,
      ...(phase === undefined && !isFilter(filter)
        ? this.#timed(limit)
        : { timed: [], timedCount: 0 }),
    };
  }

  #timed(limit: number): Pick<Look, "timed" | "timedCount"> {
    const rows = this.#sql.exec<{ line: string }>(
      "SELECT line FROM gangs WHERE starts_at IS NOT NULL ORDER BY starts_at, id LIMIT ?",
      limit,
    ).toArray();
    const { count } = this.#sql.exec<{ count: number }>(
      "SELECT count(*) AS count FROM gangs WHERE starts_at IS NOT NULL",
    ).one();
    return { timed: rows.map(({ line }) => rowOf(line)), timedCount: count };
  }

  /** Places are those among all gangs, whichever are asked for. */
  #queue(filter: Filter, { from, limit }: { from: number; limit: number }): GangRow[] {
    if (isFilter(filter)) return this.#search(filter, { from, limit });
    return this.#sql.exec<{ line: string }>(
      "SELECT line FROM gangs WHERE queue_key IS NOT NULL ORDER BY queue_key, id LIMIT ? OFFSET ?",
      limit,
      from,
    ).toArray().map(({ line }, index) => ({ ...rowOf(line), place: from + index + 1 }));
  }

  #search(filter: Filter, { from, limit }: { from: number; limit: number }): GangRow[] {
    const [wanted, values] = conditionOf(filter);
    return this.#sql.exec<{ line: string; place: number }>(
      `SELECT line, place FROM gangs JOIN (
          SELECT id, row_number() OVER (ORDER BY queue_key, id) AS place FROM gangs WHERE queue_key IS NOT NULL
        ) USING (id) WHERE ${wanted} ORDER BY place LIMIT ? OFFSET ?`,
      ...values,
      limit,
      from,
    ).toArray().map(({ line, place }) => ({ ...rowOf(line), place }));
  }

  #phases(filter: Filter): Look["phases"] {
    if (isFilter(filter)) return this.#countPhases(filter);
    if (this.#counted?.at !== this.#changes) {
      this.#counted = { at: this.#changes, phases: this.#countPhases(filter) };
    }
    return this.#counted.phases;
  }

  #countPhases(filter: Filter): Look["phases"] {
    const [wanted, values] = conditionOf(filter);
    const rows = this.#sql.exec<{ phase: Phase; count: number }>(
      `SELECT phase, count(*) AS count FROM gangs WHERE ${wanted} GROUP BY phase`,
      ...values,
    ).toArray();
    return Object.fromEntries(rows.map(({ phase, count }) => [phase, count]));
  }

  /** From one namespace to the next, so that it reads a row for each. */
  #namespaces(): string[] {
    return this.#sql.exec<{ name: string }>(
      `WITH RECURSIVE found (name) AS (
          SELECT (SELECT substr(id, 1, instr(id, '/') - 1) FROM gangs ORDER BY id LIMIT 1)
          UNION ALL
          SELECT (SELECT substr(id, 1, instr(id, '/') - 1) FROM gangs WHERE id > name || '0' ORDER BY id LIMIT 1)
          FROM found WHERE name IS NOT NULL
        ) SELECT name FROM found WHERE name IS NOT NULL LIMIT ?`,
      mostNamespaces,
    ).toArray().map(({ name }) => name).sort();
  }
}

type Filter = Pick<LookOptions, "namespace" | "search">;

/** Whether some gangs are left out. */
function isFilter({ namespace = "", search = "" }: Filter): boolean {
  return namespace !== "" || search !== "";
}

/** Ids of a namespace are in a row: `/` comes before `0`. */
function conditionOf({ namespace = "", search = "" }: Filter): Condition {
  const all: Condition[] = [
    ...(namespace === ""
      ? []
      : [["id > ? AND id < ?", [`${namespace}/`, `${namespace}0`]] as const]),
    ...(search === "" ? [] : [["instr(lower(id), ?) > 0", [search]] as const]),
  ];
  if (all.length === 0) return ["true", []];
  return [all.map(([sql]) => sql).join(" AND "), all.flatMap(([, values]) => values)];
}

function rowOf(line: string): GangRow {
  const { summary, spec }: GangLine = parseKept(line);
  return { ...summary, priority: spec.priority ?? 0 };
}
