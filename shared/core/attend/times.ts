/**
 * Every time that the relay's decisions wait for.
 *
 * @module
 */

/** In ms; the shipped largest back-off of the scheduler is 3 s. */
export const times = {
  /** Members come one after another, to be created and to be held: nobody is asked about some of them until they pause. */
  gatherPause: 50,
  /** A gang whose members keep coming is not waited for any longer. */
  gatherMost: 500,
  /** Where the scheduler has nothing else to do it waits for the next so long, and for all for as long as its back-off is. */
  follows: 500,
  gathers: 3000,
  /** And as much longer as it would take to refuse those that have come. */
  gathersPerMember: 5,
  gathersMost: 10_000,
  /** Who was let in keeps its room for so long without one of the members being held: longer than any back-off. */
  keeps: 10_000,
  /** And for so long once one is: those before the others in the scheduler's queue may be thousands. */
  keepsHeld: 20_000,
  /** A cycle of the scheduler that began before its gang was let in is over, and its end written, within this time. */
  staleCycle: 1000,
  /** A little longer than the largest back-off: by then the scheduler has tried every member again. */
  settled: 4000,
  /** A member that `filter` let through is held within this time, or does not count any more. */
  comes: 10_000,
  /** And it is on its node within this time, or may go to any. */
  moves: 1000,
  /** Bind calls of a gang that was let go for a preemptor are refused for so long: the preemptor's cycle is over by then. */
  yields: 5000,
  /** Victims that the scheduler was left with show within this time that they leave: its next call may come before. */
  leaves: 5000,
  /** And a call that comes before waits for that, so long after they were left to it. */
  evicts: 1000,
  /** A pod whose PodDisruptionBudget does not let it go is asked again after this time. */
  spared: 5000,
  /** The scheduler has heard after this time that a pod is on its way out. */
  heard: 1000,
  /** A bind call waits so long for its pod to be seen: the scheduler may hear of a pod before the relay does. */
  seen: 5000,
  /**
   * A call waits so long for its pod to be seen, and as long for the verdict; a preempt call then so long for bindings to be
   * written. The scheduler does nothing else meanwhile, and who comes too soon is woken.
   */
  judged: 200,
  bindingsWritten: 500,
  /** Bindings that are granted when a relay stops are written within this time. */
  drained: 10_000,
  /** The lease of the schedulers is looked at this often: kube-scheduler renews it as often. */
  lease: 2000,
  /** What changed only in number is reported this much later, and twice as much each time while it keeps changing. */
  reportLeast: 1000,
  reportMost: 300_000,
  /** Members that were let in and are still not held are reported after this time, once: the scheduler may be down. */
  idle: 10_000,
  /** A store that hears nothing of a gang forgets it in the end, after a week. */
  reportAgain: 24 * 3600 * 1000,
  /** Where the list of gangs was lost the functions are told of one group so long after another: thousands take a minute. */
  tellAgain: 20,
  /** A refused member learns another reason this much later, because a change of reason is seldom alone. */
  retell: 1000,
  /** It learns another sentence of the same reason after this time, and so much more per pending member. */
  retellSame: 5000,
  retellSamePerMember: 250,
  /** After an outage of the functions they are asked again after this time. */
  outage: 1000,
  /** Facts that the functions do not take are not told them for so long, and for twice as long each time: they seldom change. */
  leaveLeast: 10_000,
  leaveMost: 300_000,
  /** A node that the scheduler refused is planned for again after this time, even if nothing was seen to change there. */
  refusedNode: 300_000,
  /** Where that was in vain, after so long, and after twice as long each time; one that takes some members, after the most. */
  triedNode: 10_000,
  triedNodeMost: 60_000,
  /** A gated gang that is let in within this time needs no sentence, nor does one whose reason changes at once. */
  conditionQuiet: 7000,
  /** Another sentence of the same reason is written on gated members so much later. */
  conditionSame: 30_000,
  /** What is wrong is said once it has stood for so long: with the next pod it may be right. */
  stands: 2000,
  /** Reasons are said so long after each other; of those that take turns `telling.ts` says how many. */
  speakLeast: 7000,
  speakRefill: 240_000,
  /** What is said of a start is said anew this much later at the soonest. */
  promiseAgain: 300_000,
  /** Nobody is evicted for a group whose evictions were in vain for so long at most: by then its volume may be there. */
  vainEvictionMost: 3_600_000,
  /** Events of one burst are planned together. */
  planAfter: 5,
  /** From the beginning of one plan to the next, or as many times longer than the plan took: others want the processor. */
  planRest: 50,
  planRestPerPlan: 5,
  /** An event of one member is looked at so much later, because those of its siblings follow. */
  lookCalm: 10,
  /** A burst of events is looked at so much later per member of the gang group: a look goes through all of them. */
  lookPerMember: 0.01,
  /** What time alone makes due is looked at so much later at the soonest: a time that is over must not keep the loop busy. */
  lookLeast: 10,
  /** So many groups are looked at, and asked about, in one turn of the event loop: others want it too. */
  looksPerTurn: 8,
  /** New members are gated for so long after the last gang has left the queue: the next one is seldom far. */
  gateRest: 5000,
  /** Gates of one gang wait so long for those of the one before it: for its verdict, and for them to be removed. */
  ungates: 1000,
  /** A gate, or its switch, that could not be written is written again after this time; a gate ever more seldom, after so long at most. */
  gateAgain: 1000,
  gateAgainMost: 30_000,
  /** The scheduler tries a pod by itself after this time: a refusal of one that has not been seen by then is forgotten. */
  sleeps: 300_000,
  /** Changes of one burst are written into a PodGroup's status together. */
  statusSoon: 500,
  /** Numbers and words in it wait longer, so that a turn that is near takes them along. */
  statusCalm: 3000,
  /** A status that somebody else has overwritten, or that could not be written, is written again after this time. */
  statusAgain: 30_000,
} as const;
