/**
 * The durable object that keeps a line per gang of one cluster, for the queue and for lists.
 *
 * @module
 */
import type { GangSummary } from "../contract/types.ts";
import { type ClusterMap, withoutGangs } from "../core/gang/cluster_map.ts";
import { gangId, type Group, groupId } from "../core/gang/facts.ts";
import { queueKeys } from "../core/queue/order.ts";
import type { RunTime } from "../core/gang/run_time.ts";
import type { Settings } from "../core/gang/settings.ts";
import { armBy } from "./arm_by.ts";
import { parseKept } from "./damage.ts";
import { EndedGangs, endedGangsTable } from "./ended_gangs.ts";
import type { GangLine } from "./gang_line.ts";
import type { EndedGang } from "./kept_group.ts";
import { IndexView, type Look, type LookOptions } from "./index_view.ts";
import { clusterMapTable, KeptMap, latestMs } from "./kept_map.ts";
import { DurableObject } from "./platform.ts";
import { ResourceHistory, type ResourceSample, resourceSamplesTable } from "./resource_history.ts";
import { RunHistory, type RunPage, runsTable } from "./run_history.ts";
import { openSchema } from "./schema.ts";
import type { DurableObjectState, DurableObjectStorage, SqlStorage } from "./embedded/types.ts";

/** The longest line that `limits` allows takes less than a third of the 2 MB that a row may have. */
const schema = `
  CREATE TABLE gangs (
    id TEXT PRIMARY KEY,
    gang_group TEXT NOT NULL,
    line TEXT NOT NULL,
    phase TEXT NOT NULL,
    failed_at INTEGER,
    seen_at INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    queue_key TEXT,
    starts_at INTEGER
  );
  CREATE INDEX gangs_by_group ON gangs (gang_group);
  CREATE INDEX gangs_by_queue_key ON gangs (queue_key, id) WHERE queue_key IS NOT NULL;
  CREATE INDEX gangs_by_start ON gangs (starts_at, id) WHERE starts_at IS NOT NULL;
  CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL);
  CREATE TABLE last_group (id INTEGER PRIMARY KEY CHECK (id = 1), gang_group TEXT NOT NULL);
  ${resourceSamplesTable}
  ${clusterMapTable}
  ${endedGangsTable}
  ${runsTable}`;

/** So many of the gangs before one are named. */
const namedAhead = 10;

/** Lines are looked through for old ones so often. */
const sweepMs = 24 * 3600 * 1000;

/** A gang that nobody has told of for so long is gone: a relay tells of every gang once a day. */
const forgetAfterMs = 7 * 24 * 3600 * 1000;

/** What is shown of the whole cluster. */
export type ShownOfCluster = Pick<Group, "resources" | "map">;

/** A gang that is gone, without its decisions. */
export type EndedSummary = GangSummary & Pick<EndedGang, "ended">;

/** A page of the list. */
export interface GangPage {
  readonly gangs: GangSummary[];
  /** Gangs that are gone, the last one first; absent where there are none, and but on the first page. */
  readonly ended?: EndedSummary[];
  /** Where the next page begins; absent after the last. */
  readonly continue?: string;
}

/** One cluster's gangs. Its id is the cluster. No call reads more lines than it answers with. */
export class IndexObject extends DurableObject {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #resources: ResourceHistory;
  readonly #map: KeptMap;
  readonly #ended: EndedGangs;
  readonly #runs: RunHistory;
  readonly #view: IndexView;
  #isArmed = false;
  /** Something that it was told could not be written, because the disk was full. */
  #hasMissed = false;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#storage = ctx.storage;
    this.#sql = ctx.storage.sql;
    this.#resources = new ResourceHistory(ctx.storage.sql);
    this.#map = new KeptMap(ctx.storage.sql);
    this.#ended = new EndedGangs(ctx.storage.sql);
    this.#runs = new RunHistory(ctx.storage.sql);
    this.#view = new IndexView(ctx.storage.sql);
    ctx.blockConcurrencyWhile(() => {
      openSchema(ctx.storage, schema);
      return Promise.resolve();
    });
  }

  /** Keeps the newest line of each gang of a group, its place in the queue, the stories of those that are gone, and what was shown then. */
  async record(
    lines: readonly GangLine[],
    settings: Settings,
    { ended = [], ...shown }: ShownOfCluster & { ended?: readonly EndedGang[] | undefined } = {},
  ): Promise<void> {
    this.#write(() => {
      this.#keepEnded(ended);
      const keys = this.#queueKeys(lines, settings);
      for (const line of lines) {
        if (line.run) this.#runs.keep(line.run);
        this.#keep(line, keys.get(gangId(line.spec)));
      }
      this.#dropOthers(lines);
      this.#keepShown(shown);
    });
    this.#view.changed();
    if (!this.#isArmed) await this.#armOnce();
  }

  /** Where a newer one is kept already it stays, unless that was told by a clock that was ahead. */
  #keep({ run: _, ...line }: GangLine, queueKey: string | undefined): void {
    const { spec, summary, failedAt = null } = line;
    const toldAt = Date.parse(summary.updatedAt);
    this.#sql.exec(
      `INSERT INTO gangs (id, gang_group, line, failed_at, seen_at, told_at, queue_key, phase, starts_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
          gang_group = excluded.gang_group, line = excluded.line, failed_at = excluded.failed_at,
          told_at = excluded.told_at, queue_key = excluded.queue_key,
          phase = excluded.phase, starts_at = excluded.starts_at,
          seen_at = min(seen_at, excluded.seen_at)
        WHERE excluded.told_at >= told_at OR excluded.told_at <= told_at - ?`,
      gangId(spec),
      groupId(spec),
      JSON.stringify(line),
      failedAt,
      toldAt,
      toldAt,
      queueKey ?? null,
      summary.phase,
      startOf(summary),
      latestMs,
    );
  }

  /** Gangs that are not told of any more with the others of their group are gone, or in another group. */
  #dropOthers(lines: readonly GangLine[]): void {
    const [first] = lines;
    if (!first?.spec.groups) return;
    this.#sql.exec(
      `DELETE FROM gangs WHERE gang_group = ? AND told_at < ?
        AND id NOT IN (SELECT value FROM json_each(?))`,
      groupId(first.spec),
      Date.parse(first.summary.updatedAt),
      JSON.stringify(lines.map(({ spec }) => gangId(spec))),
    );
  }

  /** Drops the lines of a gang group that is gone, and keeps the stories of its gangs for a while. */
  forget(
    group: string,
    ended: readonly EndedGang[],
    shown: ShownOfCluster = {},
  ): void {
    this.#write(() => {
      this.#keepEnded(ended);
      this.#drop("gang_group = ?", group);
      this.#keepShown(shown);
    });
  }

  #keepEnded(ended: readonly EndedGang[]): void {
    for (const { run, ...story } of ended) {
      this.#ended.keep(gangId(story), story);
      if (run) this.#runs.keep(run);
    }
  }

  /** The stories of gangs that are gone, the last one first: of this `namespace/name`, or of all. */
  ended(id?: string): EndedGang[] {
    return this.#ended.list(id);
  }

  /** How long gangs of these patterns ran, by pattern; those of which none has are left out. */
  runTimes(patterns: readonly string[]): [pattern: string, time: RunTime][] {
    return [...this.#runs.runTimes(patterns, Date.now())];
  }

  /** Gangs that ran, the last one first: at most `limit`, from what follows `after` on. */
  runs(options: { limit: number; after?: number }): RunPage {
    return this.#runs.list(options);
  }

  /** At most `limit` lines by namespace and name, from what follows the gang `after` on. */
  list({ limit, after = "" }: { limit: number; after?: string }): GangPage {
    const ended = after === "" ? this.#ended.list() : [];
    const rows = this.#sql.exec<{ id: string; line: string; queue_key: string | null }>(
      "SELECT id, line, queue_key FROM gangs WHERE id > ? ORDER BY id LIMIT ?",
      after,
      limit + 1,
    ).toArray();
    const page = rows.slice(0, limit);
    return {
      gangs: page.map(({ line, queue_key: queueKey }) => ({
        ...(parseKept(line) as GangLine).summary,
        ...(queueKey !== null && { queueKey }),
      })),
      ...(ended.length > 0 && { ended: ended.map(summaryOf) }),
      ...(rows.length > limit && { continue: page.at(-1)!.id }),
    };
  }

  /**
   * The line of one gang, its place among the gangs that still wait for a node, from 1 on, and those before it, the nearest
   * first; undefined if it is not known.
   */
  find(id: string): { line: GangLine; place?: number; ahead?: string[] } | undefined {
    const [row] = this.#sql.exec<{ line: string; queue_key: string | null }>(
      "SELECT line, queue_key FROM gangs WHERE id = ?",
      id,
    ).toArray();
    if (!row) return undefined;
    const line: GangLine = parseKept(row.line);
    if (row.queue_key === null) return { line };
    const { ahead } = this.#sql.exec<{ ahead: number }>(
      "SELECT count(*) AS ahead FROM gangs WHERE queue_key IS NOT NULL AND (queue_key, id) < (?, ?)",
      row.queue_key,
      id,
    ).one();
    const nearest = this.#sql.exec<{ id: string }>(
      `SELECT id FROM gangs WHERE queue_key IS NOT NULL AND (queue_key, id) < (?, ?)
        ORDER BY queue_key DESC, id DESC LIMIT ?`,
      row.queue_key,
      id,
      namedAhead,
    ).toArray();
    return { line, place: ahead + 1, ahead: nearest.map((gang) => gang.id) };
  }

  /** What the page shows, as it is now. */
  look(options: LookOptions): Look & { resources: ResourceSample[]; ended: EndedSummary[] } {
    const { namespace = "", search = "" } = options;
    const isWanted = (gang: EndedGang) =>
      (namespace === "" || gang.namespace === namespace) &&
      gangId(gang).toLowerCase().includes(search);
    return {
      ...this.#view.look(options),
      resources: this.#resources.lastHour(Date.now()),
      ended: this.#ended.list().filter(isWanted).map(summaryOf),
    };
  }

  /** Who has the nodes, as it was told last, but for gangs that are gone since; undefined: it never was. */
  map(): ClusterMap | undefined {
    const map = this.#map.read();
    return map && withoutGangs(map, this.#goneOf(map.gangs));
  }

  /** Differs from what it was before whenever something has changed since, and sometimes when nothing has. */
  version(): string {
    return this.#view.version;
  }

  /**
   * Names this index: one that was begun anew, and knows of no gang, is named otherwise, as is one that has missed something
   * and forgets all. Not made with the tables, which new files are copies of.
   */
  identity(): string {
    if (this.#hasMissed) this.#beginAnew();
    const [made] = this.#sql.exec<{ name: string }>("SELECT name FROM identity").toArray();
    if (made) return made.name;
    const name = crypto.randomUUID();
    this.#sql.exec("INSERT INTO identity (id, name) VALUES (1, ?)", name);
    return name;
  }

  #beginAnew(): void {
    this.#storage.transactionSync(() => {
      this.#drop("id != ?", "");
      this.#sql.exec("DELETE FROM identity");
    });
    this.#hasMissed = false;
  }

  /** All or nothing. Where the disk is full that is missing; what can never be written is not, and costs nobody else's lines. */
  #write(write: () => void): void {
    try {
      this.#storage.transactionSync(write);
    } catch (error) {
      this.#hasMissed ||= /disk is full/.test(String(error));
      throw error;
    }
  }

  /** Remembers the gang group that came last, and gives the one before (S0). */
  switchTo(group: string): string | undefined {
    const [last] = this.#sql.exec<{ gang_group: string }>("SELECT gang_group FROM last_group")
      .toArray();
    if (last?.gang_group === group) return undefined;
    this.#sql.exec("INSERT OR REPLACE INTO last_group (id, gang_group) VALUES (1, ?)", group);
    return last?.gang_group;
  }

  /**
   * Last failures of these gang groups, in milliseconds since the epoch, without those of a clock that was ahead; where the
   * queue orders by failure alone, the first sight of those that never failed (S0).
   */
  queueTimes(groups: readonly string[], settings: Settings): [group: string, at: number][] {
    const failed = "max(failed_at) FILTER (WHERE failed_at <= ?)";
    const time = settings.queueTime === "failure" ? `coalesce(${failed}, min(seen_at))` : failed;
    return this.#sql.exec<{ gang_group: string; at: number | null }>(
      `SELECT gang_group, ${time} AS at FROM gangs
        WHERE gang_group IN (SELECT value FROM json_each(?)) GROUP BY gang_group`,
      Date.now(),
      JSON.stringify(groups),
    ).toArray().flatMap((row) => row.at === null ? [] : [[row.gang_group, row.at]]);
  }

  /** Drops the lines of gangs that are gone although nobody said so. */
  async alarm(): Promise<void> {
    // First: where sweeping fails, the next sweep is set.
    this.#isArmed = false;
    await this.#armOnce();
    this.#drop("told_at < ?", Date.now() - forgetAfterMs);
    this.#ended.dropOld(Date.now());
    this.#runs.dropOld(Date.now());
  }

  /** The queue's keys by gang; gangs that wait for no node have none. */
  #queueKeys(lines: readonly GangLine[], settings: Settings): Map<string, string> {
    const byFailure = settings.queueTime === "failure";
    const times = new Map(
      byFailure ? this.queueTimes(lines.map(({ spec }) => groupId(spec)), settings) : [],
    );
    for (const { spec, summary, failedAt } of lines) {
      const group = groupId(spec);
      if (failedAt !== undefined) times.set(group, failedAt);
      else if (byFailure && !times.has(group)) times.set(group, Date.parse(summary.updatedAt));
    }
    const units = lines.map(({ spec, summary, wholeAt }) => ({
      id: gangId(spec),
      gang: spec,
      priority: spec.priority ?? 0,
      queuedAt: spec.createdAt,
      bound: summary.members.bound,
      wholeAt,
    }));
    const waiting = new Set(
      lines.flatMap(({ spec, summary }) => waits(summary) ? gangId(spec) : []),
    );
    const keys = queueKeys(units, { failedAt: times, settings });
    return new Map(keys.flatMap(({ id, key }) => waiting.has(id) ? [[id, key]] : []));
  }

  #keepShown({ resources, map }: ShownOfCluster): void {
    if (resources) this.#resources.keep(resources, Date.now());
    if (map) this.#map.keep(map);
  }

  /** Those that have ended and did not come again. */
  #goneOf(gangs: readonly string[]): Set<string> {
    const rows = this.#sql.exec<{ value: string }>(
      `SELECT value FROM json_each(?)
        WHERE value IN (SELECT id FROM ended_gangs) AND value NOT IN (SELECT id FROM gangs)`,
      JSON.stringify(gangs),
    );
    return new Set(rows.toArray().map(({ value }) => value));
  }

  #drop(where: string, value: string | number): void {
    this.#sql.exec(`DELETE FROM gangs WHERE ${where}`, value);
    this.#view.changed();
  }

  /** Sets the next sweep. */
  async #armOnce(): Promise<void> {
    await armBy(this.#storage, Date.now() + sweepMs);
    this.#isArmed = true;
  }
}

/** Whether it is in the queue: a gang that starts only after somebody has mended it has no place there. */
function waits({ phase, reason }: GangSummary): boolean {
  return (phase === "Pending" || phase === "Scheduling") && reason !== "InvalidGang" &&
    reason !== "Parked";
}

/** When it started, or has been told that it will, in ms since the epoch; null: neither, or it has ended. */
function startOf({ startedAt, endedAt, estimate }: GangSummary): number | null {
  const from = startedAt ?? estimate?.startsAt;
  return from === undefined || endedAt !== undefined ? null : Date.parse(from);
}

function summaryOf({ spec: _, decisions: __, failedAt: ___, ...summary }: EndedGang): EndedSummary {
  return summary;
}
