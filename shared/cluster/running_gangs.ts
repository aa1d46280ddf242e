/**
 * What gangs have that run, taken once while many nodes are looked at: a gang may have thousands of members, and some on each.
 *
 * @module
 */
import type { RunningGang } from "../core/plan/running.ts";
import { classOf } from "../kubernetes/counting/census.ts";
import type { Gang } from "./gang.ts";
import { isOnItsWay, type PodRecord } from "./pod_record.ts";
import { runningGang } from "./running.ts";

/** Members that stay on their nodes, as far as is known, and how many have succeeded. */
interface Staying {
  readonly bound: ReadonlySet<PodRecord>;
  readonly succeeded: number;
}

/** Gangs as they are at one time. */
export class RunningGangs {
  readonly #now: number;
  readonly #running = new Map<Gang, RunningGang>();
  readonly #staying = new Map<Gang, Staying>();
  readonly #onNodes = new Map<Gang, Map<string | undefined, PodRecord[]>>();

  /** `now` is in ms since the epoch. */
  constructor(now: number) {
    this.#now = now;
  }

  /** A gang as its members may be evicted. */
  of(gang: Gang): RunningGang {
    return taken(this.#running, gang, runningGang);
  }

  /** Of a gang those that do not begin to leave. */
  stayingOf(gang: Gang): Staying {
    return taken(this.#staying, gang, () => {
      const counted = gang.counted();
      const bound = counted.filter((record) =>
        classOf(record.pod, record.node) === "bound" && !isOnItsWay(record, this.#now)
      );
      const succeeded = counted.filter(({ pod }) => classOf(pod) === "succeeded").length;
      return { bound: new Set(bound), succeeded };
    });
  }

  /** Members of a gang on a node. */
  on(node: string, gang: Gang): readonly PodRecord[] {
    const byNode = taken(
      this.#onNodes,
      gang,
      ({ members }) => Map.groupBy(members.values(), (record) => record.node),
    );
    return byNode.get(node) ?? [];
  }
}

function taken<T>(known: Map<Gang, T>, gang: Gang, take: (gang: Gang) => T): T {
  const before = known.get(gang);
  if (before !== undefined) return before;
  const now = take(gang);
  known.set(gang, now);
  return now;
}
