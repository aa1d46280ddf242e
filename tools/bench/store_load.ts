/** One request of a load. */
export interface Call {
  path: string;
  /** Posted as JSON where there is one. */
  body?: unknown;
}

/** What a load came to. */
export interface LoadFigures {
  calls: number;
  callsPerSecond: number;
  /** Percentiles of the latency as the caller sees it, in ms. */
  p50: number;
  p95: number;
  p99: number;
}

/**
 * Makes calls for a time, in ms, over so many connections, each sending its next call when it has its answer.
 *
 * @throws {Error} if a call is not answered with a success.
 */
export async function load(
  url: string,
  options: { connections: number; ms: number; next: () => Call },
): Promise<LoadFigures> {
  const { connections, ms, next } = options;
  const latencies: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + ms;
  const loop = async () => {
    while (performance.now() < until) {
      const sentAt = performance.now();
      await call(url, next());
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? NaN;
  return {
    calls: latencies.length,
    callsPerSecond: latencies.length / seconds,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
  };
}

/** Makes one call and reads its answer. */
export async function call(url: string, { path, body }: Call): Promise<void> {
  const response = await fetch(url + path, {
    ...(body !== undefined && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
}

/** Resolves when a host answers a call that reads its store. */
export async function readiness(url: string): Promise<void> {
  await call(url, { path: "/v1/gangs?limit=1" });
}
