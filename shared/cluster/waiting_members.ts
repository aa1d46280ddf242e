/**
 * Members of a gang that wait for a node.
 *
 * @module
 */
import { memberOf } from "../kubernetes/declaring/member.ts";
import { byAge } from "../kubernetes/declaring/speakers.ts";
import type { Pod } from "../kubernetes/types.ts";
import type { PodRecord } from "./pod_record.ts";

/** The oldest first: of a thousand that get their nodes one by one, who is next costs a look at few. */
export class WaitingMembers {
  /** Those that wait no more are taken out when they are the first. */
  readonly #records: PodRecord[];

  constructor(records: Iterable<PodRecord>) {
    this.#records = [...records].filter(waits).sort((one, other) => byAge(one.pod, other.pod));
  }

  /** A member came. */
  add(record: PodRecord): void {
    if (!waits(record)) return;
    let [from, to] = [0, this.#records.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (byAge(this.#records[middle]!.pod, record.pod) < 0) from = middle + 1;
      else to = middle;
    }
    this.#records.splice(from, 0, record);
  }

  /** The oldest; undefined: nobody waits. `isMember` tells who has not left the gang. */
  first(isMember: (record: PodRecord) => boolean): Pod | undefined {
    const over = this.#records.findIndex((record) => waits(record) && isMember(record));
    this.#records.splice(0, over < 0 ? this.#records.length : over);
    return this.#records[0]?.pod;
  }
}

function waits({ pod }: PodRecord): boolean {
  return memberOf(pod).waits;
}
