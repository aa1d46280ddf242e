/**
 * A gang group that is attended to.
 *
 * @module
 */
import { type Attended, attendedSince } from "../core/attend/attended.ts";
import { isGangLeftOut } from "../core/attend/placement.ts";
import { queues } from "../core/attend/gate_switch.ts";
import type { Composite } from "../core/gang/topology.ts";
import { titleOf } from "../core/words/why_pending.ts";
import type { Gang } from "./gang.ts";
import type { PodRecord } from "./pod_record.ts";

/** Its gangs, and what is known of it between events. */
export class GangGroup {
  readonly id: string;
  readonly gangs: Gang[] = [];
  attended: Attended;
  /** It was reported last of all, and without a map of the cluster. */
  lacksMap = false;
  #versions: readonly object[] = [];

  /** One that is first seen `now`, in ms since the epoch. */
  constructor(id: string, now: number) {
    this.id = id;
    this.attended = attendedSince(id, now);
  }

  /** Those of its gangs: the same list until one of them is another, comes or goes. */
  get versions(): readonly object[] {
    const { gangs } = this;
    const isStill = gangs.length === this.#versions.length &&
      gangs.every(({ version }, index) => version === this.#versions[index]);
    if (!isStill) this.#versions = gangs.map(({ version }) => version);
    return this.#versions;
  }

  /** Which of its gangs are needed, and where; undefined: all, anywhere. */
  get composite(): Composite | undefined {
    // One without members does not hear that it is declared otherwise.
    const heard = this.gangs.filter(({ members }) => members.size > 0);
    for (const gang of heard.length > 0 ? heard : this.gangs) {
      const { composite } = gang.read();
      if (composite) return composite;
    }
    return undefined;
  }

  /** The members that wait behind Muster's gate, and have nothing else to wait for once their group is let in. */
  gated(): PodRecord[] {
    return this.#startingGangs().flatMap(({ lists }) => [...lists.in("behind own gate")]);
  }

  /** Those that its group does not start without. */
  #startingGangs(): readonly Gang[] {
    const { placement } = this.attended;
    if (!placement.choice) return this.gangs;
    return this.gangs.filter(({ id }) => !isGangLeftOut(placement, id));
  }

  /** Members of all its gangs. */
  get size(): number {
    return this.gangs.reduce((sum, { members }) => sum + members.size, 0);
  }

  /** Whether members that are Muster's to place are neither held nor on a node. */
  get isWaiting(): boolean {
    return this.gangs.some(({ lists }) => lists.sizeOf("waiting") > 0);
  }

  /** Whether some of those the scheduler's own plugins have not refused. */
  get hasUntried(): boolean {
    return this.gangs.some(({ lists }) => lists.sizeOf("waiting") > lists.sizeOf("unschedulable"));
  }

  /** Whether it queues, so that new members are to be gated. */
  get queues(): boolean {
    return queues(this.attended, { isBroken: this.gangs.some((gang) => gang.read().problem) });
  }

  /** How many members of a gang are held or have a node, or are about to as `comes` says. */
  placed(gang: string, comes?: (uid: string) => boolean): number {
    return this.gangs.find(({ id }) => id === gang)?.lists.placed(comes) ?? 0;
  }

  /** Whether some wait there. */
  get isGated(): boolean {
    return this.#startingGangs().some(({ lists }) => lists.sizeOf("behind own gate") > 0);
  }

  /** Whether nothing is left of its gangs. */
  get isGone(): boolean {
    return this.gangs.every((gang) => gang.isGone);
  }

  /** Whether none of its pods is Muster's to place. */
  get isForeign(): boolean {
    let hasMembers = false;
    for (const { members } of this.gangs) {
      for (const { foreign } of members.values()) {
        if (!foreign) return false;
        hasMembers = true;
      }
    }
    return hasMembers;
  }

  /** `gang ns/a`, or `gang group ns/a, ns/b`. */
  get title(): string {
    return titleOf(this.gangs.length === 1 ? [this.gangs[0]!.id] : this.id.split(","));
  }
}
