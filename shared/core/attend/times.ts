/**
 * Every time that the relay's decisions about a gang group wait for.
 *
 * @module
 */

/** In ms; the shipped largest back-off of the scheduler is 3 s. */
export const times = {
  /** Members come one after another, to be created and to be held: nobody is asked about some of them until they pause. */
  gatherPause: 50,
  /** A gang whose members keep coming is not waited for any longer. */
  gatherMost: 500,
  /** An allow is a reservation for so long without one of the members being held: longer than any back-off. */
  reserved: 10_000,
  /** A cycle of the scheduler that began before its gang was let in is over, and its end written, within this time. */
  staleCycle: 1000,
  /** A little longer than the largest back-off: by then the scheduler has tried every member again. */
  settled: 4000,
  /** A member that `filter` let through is held within this time, or does not count any more. */
  comes: 10_000,
  /** Bind calls of a gang that was let go for a preemptor are refused for so long: the preemptor's cycle is over by then. */
  yields: 5000,
  /** What changed only in number is reported this much later, and twice as much each time while it keeps changing. */
  reportLeast: 1000,
  reportMost: 300_000,
  /** Members that were let in and are still not held are reported after this time, once: the scheduler may be down. */
  idle: 10_000,
  /** A store that hears nothing of a gang forgets it in the end, after a week. */
  reportAgain: 24 * 3600 * 1000,
  /** A refused member learns another reason this much later, because a change of reason is seldom alone. */
  retell: 1000,
  /** It learns another sentence of the same reason after this time, and so much more per refused member. */
  retellSame: 5000,
  retellSamePerMember: 250,
  /** After an outage of the functions they are asked again after this time. */
  outage: 1000,
  /** A gated gang that is let in within this time needs no sentence, nor does one whose reason changes at once. */
  conditionQuiet: 7000,
  /** Another sentence of the same reason is written on gated members so much later. */
  conditionSame: 30_000,
} as const;
