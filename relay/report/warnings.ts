/**
 * Says as events what users should know of their pods and gangs.
 *
 * @module
 */
import type { PodChange } from "../../shared/cluster/cluster.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import { type Statement, statementOf, statementsOf } from "../../shared/cluster/statements.ts";
import type { Snapshot } from "../../shared/core/attend/snapshot.ts";
import { follow, type Sayable } from "../../shared/core/attend/telling.ts";
import { Alarm } from "../../shared/client/alarm.ts";

/** By what they say. */
type Statements = ReadonlyMap<string, Statement>;

/** Says what is wrong once it has been so for a moment. */
export class Warnings {
  readonly #pods: ReadonlyMap<string, PodRecord>;
  readonly #warn: (statement: Statement) => void;
  readonly #sayable = new WeakMap<GangGroup, ReadonlyMap<string, Sayable>>();
  /** Groups of which something is still to be said. */
  readonly #unsaid = new Map<GangGroup, Statements>();
  readonly #alarm = new Alarm(() => {
    for (const [group, statements] of [...this.#unsaid]) this.#follow(group, statements);
  });
  #isLeading = false;

  /** `warn` says something about a pod or a PodGroup, unless it has been said before. */
  constructor(pods: ReadonlyMap<string, PodRecord>, warn: (statement: Statement) => void) {
    this.#pods = pods;
    this.#warn = warn;
  }

  /** Speaks of pods without a gang from now on, those that are there first, or not any more. */
  lead(isLeading: boolean): void {
    this.#isLeading = isLeading;
    if (isLeading) { for (const record of this.#pods.values()) this.#lookAt(record); }
  }

  /** Something happened to a pod. */
  podChanged({ before, record, isGone }: PodChange): void {
    if (this.#isLeading && !before && !isGone) this.#lookAt(record);
  }

  /** A gang group was looked at; without facts: it is gone. */
  looked(group: GangGroup, snapshot: Snapshot | undefined): void {
    this.#follow(group, snapshot ? statementsOf(group, snapshot.group.gangs) : new Map());
  }

  /** Says nothing more. */
  stop(): void {
    this.#isLeading = false;
    this.#alarm.stop();
    this.#unsaid.clear();
  }

  #lookAt(record: PodRecord): void {
    const statement = statementOf(record);
    if (statement) this.#warn(statement);
  }

  #follow(group: GangGroup, statements: Statements): void {
    const before = this.#sayable.get(group) ?? new Map();
    const keys = statements.keys();
    const { sayable, due, nextAt } = follow(before, { keys, now: Date.now() });
    this.#sayable.set(group, sayable);
    for (const key of due) this.#warn(statements.get(key)!);
    if (nextAt === Infinity) this.#unsaid.delete(group);
    else this.#unsaid.set(group, statements);
    this.#alarm.setBy(nextAt);
  }
}
