import type { Change } from "./object_store.ts";

/** Shows changes so many milliseconds after they are told, and never in another order. */
export function lagging(
  show: (change: Change) => void,
  lagMs: () => number,
): (change: Change) => void {
  let lastAt = 0;
  let pending = 0;
  return (change) => {
    // Timers go on where the time of day is set.
    const now = performance.now();
    lastAt = Math.max(lastAt, now + lagMs());
    if (pending === 0 && lastAt === now) return show(change);
    pending++;
    setTimeout(() => {
      pending--;
      show(change);
    }, lastAt - now);
  };
}
