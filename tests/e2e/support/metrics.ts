import { untilReady } from "../../../tools/control_plane/readiness.ts";

/** The sum of a metric over all its labels, at a server's `/metrics`; 0 where it has no value yet. */
export async function metricOf(url: string, name: string): Promise<number> {
  const response = await fetch(`${url}/metrics`);
  const lines = (await response.text()).split("\n");
  return lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** Resolves when exactly so many bind calls are held; only the metric tells. */
export async function untilHeld(url: string, count: number): Promise<void> {
  await untilReady(async () => await metricOf(url, "muster_relay_held_calls") === count, {
    what: `Muster with ${count} held calls`,
    signal: new AbortController().signal,
  });
}
