import { until } from "./until.ts";

/** The sum of a metric over all its labels, at a server's `/metrics`; 0 where it has no value yet. */
export async function metricOf(url: string, name: string): Promise<number> {
  const response = await fetch(`${url}/metrics`);
  const lines = (await response.text()).split("\n");
  return lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** Resolves when exactly so many bind calls are held; only the metric tells. */
export function untilHeld(url: string, count: number): Promise<void> {
  return untilMetric(url, "muster_relay_held_calls", count);
}

/** Resolves when a relay takes the scheduler beside it for the one that leads, or does not any more; only the metric tells. */
export function untilLeading(url: string, isLeading: boolean): Promise<void> {
  return untilMetric(url, "muster_relay_leading", isLeading ? 1 : 0);
}

/** Resolves when the sum of a metric is exactly this: what a call did is counted a moment after it is seen. */
export async function untilMetric(url: string, name: string, value: number): Promise<void> {
  await until(`Muster whose ${name} is ${value}`, async () => {
    const found = await metricOf(url, name);
    if (found === value) return true;
    throw new Error(`it is ${found}`);
  });
}
