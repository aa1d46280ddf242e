/**
 * Whether new members are born with Muster's gate: a gate costs a write for each pod, so it is asked for only while gangs
 * queue. It may be late or wrong without harm, because `filter` is the gate of the members that have none.
 *
 * @module
 */
import type { Attended } from "./attended.ts";
import { hasNoUseForRoom } from "./standing.ts";
import { times } from "./times.ts";

/** Whether new members are gated. */
export type Gating = "on" | "off";

/** What is known of the switch; times in ms since the epoch, Infinity: not at any. */
export interface GateSwitch {
  /** Undefined: the queue has not been looked at. */
  readonly wanted: Gating | undefined;
  /** What it is known to say; `absent`: there is none, so nothing is gated by it. */
  readonly written: Gating | "absent" | undefined;
  readonly writtenAt: number;
  /** It may say something else than what was written. */
  readonly isInDoubt: boolean;
  readonly isWriting: boolean;
  /** When it is to be off, because no gang queues any more. */
  readonly offAt: number;
  /** After a failed write nothing is written before. */
  readonly notBefore: number;
}

/** Nothing is known yet. */
export const unknownSwitch: GateSwitch = {
  wanted: undefined,
  written: undefined,
  writtenAt: 0,
  isInDoubt: false,
  isWriting: false,
  offAt: Infinity,
  notBefore: 0,
};

/** Something that the switch depends on. */
export type SwitchEvent =
  /** The queue was looked at. */
  | { readonly is: "planned"; readonly isQueueing: boolean }
  /** A member came without the gate that it was to have: somebody else may have changed the switch. */
  | { readonly is: "missed" }
  | { readonly is: "written"; readonly value: Gating }
  /** It could not be written; there may be none. */
  | { readonly is: "not written"; readonly isAbsent: boolean }
  /** A time has come. */
  | { readonly is: "woken" };

/** What follows: the value to write now, or when to look again. */
export interface Switched {
  readonly gate: GateSwitch;
  readonly write?: Gating;
  /** In ms since the epoch; Infinity: nothing is due by time alone. */
  readonly wakeAt: number;
}

/**
 * Whether a group queues, or is going to when all its members have been created: those that are there have no room. One that is
 * broken does not become whole, whatever room there is.
 */
export function queues(
  { plan, standing }: Pick<Attended, "plan" | "standing">,
  { isBroken }: { isBroken: boolean },
): boolean {
  if (!plan || plan.taken) return false;
  const mayBecomeWhole = !isBroken && !hasNoUseForRoom(standing);
  return plan.isShort || (mayBecomeWhole && plan.fit.members < plan.fit.of);
}

/** What follows from an event; `now` is in ms since the epoch. */
export function switchGate(before: GateSwitch, event: SwitchEvent, now: number): Switched {
  const noted = note(before, event, now);
  const gate = now >= noted.offAt ? want({ ...noted, offAt: Infinity }, "off") : noted;
  const write = gate.isWriting ? undefined : dueOf(gate);
  if (write === undefined) return { gate, wakeAt: gate.offAt };
  if (now < gate.notBefore) return { gate, wakeAt: Math.min(gate.offAt, gate.notBefore) };
  return { gate: { ...gate, isWriting: true }, write, wakeAt: gate.offAt };
}

function note(gate: GateSwitch, event: SwitchEvent, now: number): GateSwitch {
  switch (event.is) {
    case "planned":
      return followQueue(gate, event.isQueueing, now);
    case "missed": {
      const isNews = gate.written === "on" && now >= gate.writtenAt + times.gateRest;
      return isNews ? { ...gate, isInDoubt: true } : gate;
    }
    case "written":
      return { ...gate, written: event.value, writtenAt: now, isInDoubt: false, isWriting: false };
    case "not written": {
      const written = event.isAbsent ? "absent" : undefined;
      return { ...gate, written, isWriting: false, notBefore: now + times.gateAgain };
    }
    case "woken":
      return gate;
  }
}

function followQueue(gate: GateSwitch, isQueueing: boolean, now: number): GateSwitch {
  if (isQueueing) return want({ ...gate, offAt: Infinity }, "on");
  if (gate.wanted !== "on") return want(gate, "off");
  return { ...gate, offAt: Math.min(gate.offAt, now + times.gateRest) };
}

/** One that was not there may be there when another value is wanted. */
function want(gate: GateSwitch, wanted: Gating): GateSwitch {
  const isForgotten = wanted !== gate.wanted && gate.written === "absent";
  return { ...gate, wanted, written: isForgotten ? undefined : gate.written };
}

function dueOf({ wanted, written, isInDoubt }: GateSwitch): Gating | undefined {
  return written !== "absent" && (written !== wanted || isInDoubt) ? wanted : undefined;
}
