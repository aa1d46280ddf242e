/**
 * Profiles: named sets of the settings that policy reads (DESIGN section 9).
 *
 * @module
 */
import type { BackfillRule } from "./backfill.ts";
import type { MatchPolicy } from "./facts.ts";

/** What can be set about policy; times are in seconds. */
export interface Settings {
  /** The time that places a gang in the queue. */
  readonly queueTime: "creation" | "creation-or-failure" | "failure";
  /** A gang that comes while the last one is incomplete makes that one fail (S0). */
  readonly gangSwitch: boolean;
  /** For gangs that name none. */
  readonly matchPolicy: MatchPolicy;
  /** For gangs that name none: the longest wait from a round's first held member on. */
  readonly waitSeconds: number;
  /** A gang that timed out is never tried again, until its user frees it (S3). */
  readonly parkAfterTimeout: boolean;
  /** A member that its filter refuses fails a Strict gang's round once quorum is out of reach, or at once, or never. */
  readonly memberFailure: "fail-round" | "fail-round-at-once" | "let-nobody-go";
  /** How long a gang group stays closed after a failed round; 0: it may be tried again at once. */
  readonly closedSeconds: number;
  /** How room is kept for gangs that wait. */
  readonly backfill: BackfillRule;
}

/** Names of the profiles. */
export type ProfileName = keyof typeof profiles;

/** The profiles, by name. */
export const profiles = {
  default: {
    queueTime: "creation-or-failure",
    gangSwitch: false,
    matchPolicy: "once-satisfied",
    waitSeconds: 60,
    parkAfterTimeout: false,
    memberFailure: "fail-round",
    // A little longer than the shipped podMaxBackoffSeconds of 3, so that no sibling is still in back-off.
    closedSeconds: 4,
    // Of all rules it lets others wait least without letting the largest wait for longer (docs/queue.md).
    backfill: "easy",
  },
  // S0
  kep: {
    queueTime: "failure",
    gangSwitch: true,
    matchPolicy: "waiting-and-running",
    waitSeconds: 10,
    parkAfterTimeout: false,
    memberFailure: "let-nobody-go",
    closedSeconds: 0,
    backfill: "timed",
  },
  // S1, S2
  sigs: {
    queueTime: "creation",
    gangSwitch: false,
    matchPolicy: "waiting-and-running",
    waitSeconds: 10,
    parkAfterTimeout: false,
    memberFailure: "let-nobody-go",
    closedSeconds: 0,
    backfill: "timed",
  },
  // S3
  koordinator: {
    queueTime: "creation",
    gangSwitch: false,
    matchPolicy: "once-satisfied",
    waitSeconds: 600,
    parkAfterTimeout: true,
    memberFailure: "fail-round-at-once",
    closedSeconds: 4,
    backfill: "timed",
  },
  // S4
  "kube-batch": {
    queueTime: "creation",
    gangSwitch: false,
    matchPolicy: "waiting-and-running",
    // S4 knows no timeout: as long as the shipped httpTimeout of 1 h allows.
    waitSeconds: 3400,
    parkAfterTimeout: false,
    memberFailure: "let-nobody-go",
    closedSeconds: 0,
    backfill: "timed",
  },
} as const satisfies Record<string, Settings>;

/** Whether a text names a profile. */
export function isProfileName(text: string): text is ProfileName {
  return Object.hasOwn(profiles, text);
}
