/**
 * Whether a call is slow, on a machine that others use too.
 *
 * @module
 */
import process from "node:process";

/** A call that waits for longer is made so often: others have their caches and their turns. */
const attempts = 10;

/**
 * Makes a call that may take `longestMs`: of CPU at once, or without what other processes take, in each of ten attempts. Throws
 * what it throws.
 */
export async function inTime(call: () => Promise<void>, longestMs: number): Promise<void> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await call();
  if (performance.now() - start <= longestMs) return;
  const { user, system } = process.cpuUsage(cpu);
  const computed = (user + system) / 1000;
  if (computed > longestMs) throw new Error(`It takes ${Math.round(computed)} ms of CPU`);
  let waited = 0;
  for (let attempt = 2; attempt <= attempts; attempt++) {
    const start = performance.now() - delayedMs();
    await call();
    waited = performance.now() - delayedMs() - start;
    if (waited <= longestMs) return;
  }
  throw new Error(`It takes ${Math.round(waited)} ms, again and again`);
}

/** How long other processes had the CPU that the threads of this one could have run on, where Linux tells (schedstat, in ns). */
function delayedMs(): number {
  if (Deno.build.os !== "linux") return 0;
  let delayed = 0;
  for (const { name } of Deno.readDirSync("/proc/self/task")) {
    delayed += Number(Deno.readTextFileSync(`/proc/self/task/${name}/schedstat`).split(" ")[1]);
  }
  return delayed / 1e6;
}
