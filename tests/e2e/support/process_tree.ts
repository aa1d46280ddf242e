import { until } from "./until.ts";

/** The pids of everything that a process has started, directly or not, and that is still its descendant. */
export function descendantsOf(ancestor: number): number[] {
  const children = Deno.readTextFileSync(`/proc/${ancestor}/task/${ancestor}/children`);
  return children.split(" ").filter((pid) => pid !== "").map(Number)
    .flatMap((pid) => [pid, ...descendantsOf(pid)]);
}

/** Whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

/** Resolves when none of the processes is alive. */
export async function untilDead(pids: readonly number[]): Promise<void> {
  await until("the end of every process", () => {
    const alive = pids.filter(isAlive).map(commandLine);
    if (alive.length === 0) return Promise.resolve(true);
    return Promise.reject(new Error(`still there: "${alive.join('", "')}"`));
  });
}

/** The command lines of all processes that mention a text, such as the folder they work in. */
export function commandLinesWith(text: string): string[] {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name))
    .map(({ name }) => commandLine(Number(name))).filter((line) => line.includes(text));
}

function commandLine(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
  } catch {
    return "";
  }
}
