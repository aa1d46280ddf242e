import { Metrics } from "../../relay/report/metrics.ts";

/** For parts of the relay that count, where nobody reads what they counted. */
export function silentMetrics(): Metrics {
  return new Metrics({
    log: () => {},
    held: () => 0,
    heldGangs: () => 0,
    waiting: () => [],
    isLeading: () => true,
  });
}
