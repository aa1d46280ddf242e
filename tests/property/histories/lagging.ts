import type { Change } from "../../../tools/sandbox/object_store.ts";
import type { VirtualClock } from "./virtual_clock.ts";

/** Shows changes so many ms after they are told, and never in another order. */
export function lagging(
  show: (change: Change) => void,
  { clock, lag }: { clock: VirtualClock; lag: () => number },
): (change: Change) => void {
  let lastAt = 0;
  let pending = 0;
  return (change) => {
    lastAt = Math.max(lastAt, clock.now + lag());
    if (pending === 0 && lastAt === clock.now) return show(change);
    pending++;
    clock.set(() => {
      pending--;
      show(change);
    }, lastAt - clock.now);
  };
}
