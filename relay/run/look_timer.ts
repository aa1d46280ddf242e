/**
 * When gang groups are looked at.
 *
 * @module
 */
import { times } from "../../shared/core/attend/times.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { Alarm } from "../../shared/client/alarm.ts";

/** Calls `look` for groups. */
export class LookTimer {
  readonly #look: (group: GangGroup) => void;
  readonly #changed = new Set<GangGroup>();
  readonly #calm = new Set<GangGroup>();
  /** Each wakes a group at the next time at which something is due. */
  readonly #alarms = new Map<GangGroup, Alarm>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #calmTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(look: (group: GangGroup) => void) {
    this.#look = look;
  }

  /** Events of one burst are looked at together, a few groups in one turn of the event loop. */
  soon(group: GangGroup, inMs = group.size * times.lookPerMember): void {
    this.#changed.add(group);
    this.#timer ??= setTimeout(() => this.#lookAtSome(), inMs);
  }

  /** Like events follow, and nothing is lost by waiting so long for them, in ms. */
  calmly(group: GangGroup, inMs: number): void {
    if (this.#changed.has(group)) return;
    if (inMs > times.lookCalm) return this.#alarmOf(group).setBy(Date.now() + inMs);
    this.#calm.add(group);
    this.#calmTimer ??= setTimeout(() => {
      this.#calmTimer = undefined;
      for (const calm of this.#calm) this.#changed.add(calm);
      if (this.#timer === undefined) this.#lookAtSome();
    }, inMs + group.size * times.lookPerMember);
  }

  #lookAtSome(): void {
    for (const group of this.#changed.values().take(times.looksPerTurn).toArray()) {
      this.#changed.delete(group);
      this.#calm.delete(group);
      this.#look(group);
    }
    const isDone = this.#changed.size === 0;
    this.#timer = isDone ? undefined : setTimeout(() => this.#lookAtSome());
  }

  /** A group is looked at then, and not before, unless something happens; in ms since the epoch. */
  wakeAt(group: GangGroup, at: number): void {
    this.#alarmOf(group).set(Math.max(at, Date.now() + times.lookLeast));
  }

  #alarmOf(group: GangGroup): Alarm {
    const alarm = this.#alarms.get(group) ?? new Alarm(() => this.soon(group, 0));
    this.#alarms.set(group, alarm);
    return alarm;
  }

  /** Nothing is due by time, as far as is known. */
  rest(group: GangGroup): void {
    this.#alarms.get(group)?.set(Infinity);
  }

  /** It is looked at no more by time. */
  clear(group: GangGroup): void {
    this.#alarms.get(group)?.stop();
    this.#alarms.delete(group);
  }

  /** Ends it. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#calmTimer);
    for (const group of [...this.#alarms.keys()]) this.clear(group);
  }
}
