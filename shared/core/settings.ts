/**
 * Profiles: named sets of the settings that policy reads (DESIGN section 9).
 *
 * @module
 */
import type { MatchPolicy } from "./facts.ts";

/** What can be set about policy; times are in seconds. */
export interface Settings {
  /** The time that places a gang in the queue. */
  readonly queueTime: "creation" | "creation-or-failure";
  /** For gangs that name none. */
  readonly matchPolicy: MatchPolicy;
  /** For gangs that name none: the longest wait from a round's first held member on. */
  readonly waitSeconds: number;
  /** A member that its filter refuses: fail the round once quorum is out of reach, or let nobody go. */
  readonly memberFailure: "fail-round" | "let-nobody-go";
  /** How long a gang group stays closed after a failed round; 0: it may be tried again at once. */
  readonly closedSeconds: number;
}

/** Names of the profiles. */
export type ProfileName = keyof typeof profiles;

/** The profiles, by name. */
export const profiles = {
  default: {
    queueTime: "creation-or-failure",
    matchPolicy: "once-satisfied",
    waitSeconds: 60,
    memberFailure: "fail-round",
    // A little longer than the shipped podMaxBackoffSeconds of 3, so that no sibling is still in back-off.
    closedSeconds: 4,
  },
  sigs: {
    queueTime: "creation",
    matchPolicy: "waiting-and-running",
    waitSeconds: 10,
    memberFailure: "let-nobody-go",
    closedSeconds: 0,
  },
} as const satisfies Record<string, Settings>;

/** Whether a text names a profile. */
export function isProfileName(text: string): text is ProfileName {
  return Object.hasOwn(profiles, text);
}
