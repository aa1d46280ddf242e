/**
 * How long a group is left alone after an event of one member: those of its siblings follow, and all are looked at together.
 *
 * @module
 */
import { type GroupEvent, isOfOneMember } from "../core/attend/event.ts";
import { times } from "../core/attend/times.ts";
import type { GangGroup } from "./gang_group.ts";
import type { List } from "./member_lists.ts";

/** For how long others are waited for before a group is looked at, in ms; undefined: it is looked at soon. */
export function calmAfter(event: GroupEvent, group: GangGroup): number | undefined {
  if (!isOfOneMember(event)) return undefined;
  return isPausedFor(event, group) ? times.gatherPause : times.lookCalm;
}

/**
 * Whether a look would find nothing to do before siblings have paused. Of members that come the plan that follows is looked at; of
 * those that are held, all of them, or their pause; and bindings are written all at once.
 */
function isPausedFor({ is }: GroupEvent, { attended, gangs }: GangGroup): boolean {
  const some = (list: List) => gangs.some(({ lists }) => lists.sizeOf(list) > 0);
  switch (is) {
    case "member came":
      return attended.standing.phase === "collecting" && some("pending");
    case "call opened":
      return some("pending");
    case "bound":
      return some("held");
    default:
      return false;
  }
}
