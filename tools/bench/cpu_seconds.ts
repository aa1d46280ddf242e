/** CPU seconds that a process has used: `utime` and `stime` of proc(5), which Linux counts in hundredths of a second. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.replace(/^.*\) /s, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The time of all CPUs that was not idle, from proc(5): user, nice, system, idle, iowait, irq, softirq, steal. */
export async function cpuSecondsOfAll(): Promise<number> {
  const stat = await Deno.readTextFile("/proc/stat");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    (stat.split("\n")[0] ?? "").trim().split(/ +/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / 100;
}
