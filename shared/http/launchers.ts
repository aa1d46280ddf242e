/**
 * Ends a server together with whoever launched it.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";

interface Launcher {
  pid: number;
  /** In clock ticks since boot; tells a process from a later one with the same id. */
  startedAt: string;
}

/**
 * Calls `gone` when a process that merely launched this one has ended: `npx`, its shell, `deno task`. They do not pass signals
 * on, so whoever ends `npx deno task …` means this process. Returns a function that ends the watch. Deno shows /proc only to
 * those who have all permissions: others see no launcher.
 */
export function watchLaunchers(gone: () => void): () => void {
  const launchers = findLaunchers();
  // Nothing tells a process that its grandparent ended.
  const timer = setInterval(() => {
    if (launchers.every(({ pid, startedAt }) => readStat(pid)?.startedAt === startedAt)) return;
    clearInterval(timer);
    gone();
  }, 500);
  timer.unref();
  return () => clearInterval(timer);
}

function findLaunchers(): Launcher[] {
  const launchers: Launcher[] = [];
  let pid = process.ppid;
  while (isLauncher(pid)) {
    const stat = readStat(pid);
    if (stat === undefined) break;
    launchers.push({ pid, startedAt: stat.startedAt });
    pid = stat.parent;
  }
  return launchers;
}

function isLauncher(pid: number): boolean {
  const args = read(`/proc/${pid}/cmdline`)?.split("\0").filter((arg) => arg !== "") ?? [];
  const [command = "", ...rest] = args;
  const name = basename(command);
  if (name === "deno") return rest[0] === "task";
  // npm overwrites its command line with a title.
  if (/^(npm exec|npx) .*\bdeno\b/.test(command)) return true;
  if (name === "node") return /\bdeno\b/.test(rest[0] ?? "");
  return name === "sh" && rest[0] === "-c" && /^['"]?deno\b/.test(rest[1] ?? "");
}

function readStat(pid: number): { parent: number; startedAt: string } | undefined {
  // The name of the command, in parentheses, may hold spaces.
  const fields = read(`/proc/${pid}/stat`)?.replace(/^.*\) /s, "").split(" ");
  const [state, parent] = fields ?? [];
  const startedAt = fields?.[19];
  if (state === undefined || state === "Z" || startedAt === undefined) return undefined;
  return { parent: Number(parent), startedAt };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
