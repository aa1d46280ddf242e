import { StageReport } from "../../cli/policy/stage_report.ts";
import { silentMetrics } from "../support/silent_metrics.ts";

/** Labels of every series, given by Prometheus when it scrapes, and that of a histogram's buckets. */
const commonLabels = ["le", "job", "instance", "namespace", "pod"];

/** The labels of each series that a relay exports. */
export function exportedSeries(): Map<string, readonly string[]> {
  const { registry } = silentMetrics();
  new StageReport({ registry, log: () => {} });
  const series = new Map<string, readonly string[]>();
  for (const metric of registry.getMetricsAsArray()) {
    const { name, type, labelNames } = metric as unknown as {
      name: string;
      type: string;
      labelNames: string[];
    };
    const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    for (const suffix of suffixes) series.set(name + suffix, [...labelNames, ...commonLabels]);
  }
  return series;
}
