import type { Api } from "./api.ts";
import type { CallExtender, ExtenderTimeouts } from "./extender_client.ts";
import type { Pod } from "./objects.ts";
import type { BackoffOptions } from "./scheduling_queue.ts";

/** A bind call that is not answered yet. */
export interface BindCall {
  readonly pod: Pod;
  readonly node: string;
  /** By `performance.now`. */
  readonly openedAt: number;
}

/** What a scheduler is like; all of it may be left out. */
export interface SchedulerTraits {
  /** How late its watches are, and how long its plugins take before they bind, in milliseconds. */
  lagMs?: () => number;
  preBindMs?: () => number;
  /** How long a step of an eviction takes, in milliseconds, up to but not including so many. */
  pauseMs?: (below: number) => number;
  /** Picks among nodes, instead of by score. */
  pick?: (nodes: readonly string[]) => string;
  /** UIDs of the pods that its own plugins refuse, whatever room there is. */
  refuses?: ReadonlySet<string>;
  /** False: a pod's new status alone does not wake it. */
  statusWakes?: boolean;
  /** A bind call was answered. */
  answered?: (call: BindCall, error: string | undefined) => void;
  /** A pod is about to be deleted for a preemptor. */
  evicts?: (victim: Pod) => void;
}

/** What a scheduler is started with. */
export interface SchedulerOptions extends BackoffOptions, ExtenderTimeouts, SchedulerTraits {
  api: Api;
  /** Calls the extender; without one the scheduler binds by itself. */
  call?: CallExtender;
}
