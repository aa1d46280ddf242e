/**
 * Watches the event loop of the Deno program that it is loaded before (`--preload`), and appends a line to the file that
 * `MUSTER_BENCH_LOOP` names for each time that it was not turned for long: a {@linkcode LoopGap} as JSON.
 *
 * @module
 */

/** A time in which the event loop of a process did not turn. */
export interface LoopGap {
  /** When it ended, in milliseconds since the epoch. */
  readonly at: number;
  /** How long it was on the clock, also because other processes had the CPU. */
  readonly wallMs: number;
  /** How long the loop's own thread was running in it: what blocked the loop. */
  readonly cpuMs: number;
}

const everyMs = 5;
/** Gaps from here on are told. */
const leastMs = 20;
const file = Deno.env.get("MUSTER_BENCH_LOOP");

/** Milliseconds that the main thread was on a CPU: the first number of schedstat, in ns. */
function cpuMs(): number {
  return Number(Deno.readTextFileSync("/proc/self/schedstat").split(" ")[0]) / 1e6;
}

if (file !== undefined) {
  let last = { wall: performance.now(), cpu: cpuMs() };
  Deno.unrefTimer(setInterval(() => {
    const now = { wall: performance.now(), cpu: cpuMs() };
    const gap: LoopGap = {
      at: Date.now(),
      wallMs: now.wall - last.wall,
      cpuMs: now.cpu - last.cpu,
    };
    if (gap.cpuMs >= leastMs) {
      Deno.writeTextFileSync(file, `${JSON.stringify(gap)}\n`, { append: true });
    }
    last = now;
  }, everyMs));
}
