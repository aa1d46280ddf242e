/** How often a property runs: as told, or as many times more as MUSTER_HISTORIES asks beyond 1,000. */
export function runs(usual: number): { numRuns: number } {
  const histories = Number(Deno.env.get("MUSTER_HISTORIES") ?? 1000);
  return { numRuns: Math.max(1, Math.round(usual * histories / 1000)) };
}
