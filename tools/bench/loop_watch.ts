/**
 * Watches the event loop of the Deno program that it is loaded before (`--preload`), and appends lines of JSON to the file that
 * `MUSTER_BENCH_LOOP` names: a {@linkcode LoopGap} for each time that it was not turned for long, and now and then a {@linkcode HeapSize}.
 *
 * @module
 */
import { openThreadTimes } from "./thread_times.ts";

/** A time in which the event loop of a process did not turn. */
export interface LoopGap {
  /** When it ended, in milliseconds since the epoch. */
  readonly at: number;
  /** How long it was on the clock, also because other processes had the CPU. */
  readonly wallMs: number;
  /** How much of that the loop's own thread could have run in, but other processes had the CPU. */
  readonly waitedMs: number;
  /** How long the loop's own thread was running in it. */
  readonly cpuMs: number;
}

/** What JavaScript had in use. */
export interface HeapSize {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly heapMebibytes: number;
}

const everyMs = 5;
const heapEveryMs = 5000;
/** Gaps from here on are told: of CPU time, and on the clock. */
const leastCpuMs = 20;
const leastWallMs = 50;
const encoder = new TextEncoder();
const path = Deno.env.get("MUSTER_BENCH_LOOP");
if (path !== undefined) watch(path);

/** Opens all that it needs at once: the program gives up permissions. */
function watch(path: string): void {
  const file = Deno.openSync(path, { append: true });
  const threadTimes = openThreadTimes();
  let last = { wall: performance.now(), ...threadTimes() };
  Deno.unrefTimer(setInterval(() => {
    const now = { wall: performance.now(), ...threadTimes() };
    const gap: LoopGap = {
      at: Date.now(),
      wallMs: now.wall - last.wall,
      waitedMs: now.waited - last.waited,
      cpuMs: now.cpu - last.cpu,
    };
    if (gap.cpuMs >= leastCpuMs || gap.wallMs >= leastWallMs) tell(file, gap);
    last = now;
  }, everyMs));
  Deno.unrefTimer(setInterval(() => {
    tell(file, { at: Date.now(), heapMebibytes: Deno.memoryUsage().heapUsed / 2 ** 20 });
  }, heapEveryMs));
}

function tell(file: Deno.FsFile, line: LoopGap | HeapSize): void {
  file.writeSync(encoder.encode(`${JSON.stringify(line)}\n`));
}
