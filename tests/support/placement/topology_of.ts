/** Annotations by what follows `muster.scheduling/`. */
export function topologyOf(says: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(says).map(([name, text]) => [`muster.scheduling/${name}`, text]),
  );
}
