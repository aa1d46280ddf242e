import { parser } from "@prometheus-io/lezer-promql";

/** What a PromQL expression is made of. */
export interface Expression {
  /** Names of the series that it selects. */
  series: string[];
  /** Labels that it matches or groups by. */
  labels: string[];
}

/**
 * Reads an expression with Prometheus' own grammar; variables of Grafana stand for a time.
 *
 * @throws {SyntaxError} where it is none.
 */
export function readPromQl(text: string): Expression {
  const expression = text.replaceAll("$__rate_interval", "5m");
  const found: Expression = { series: [], labels: [] };
  parser.parse(expression).iterate({
    enter({ type, name, from, to, node }) {
      const part = expression.slice(from, to);
      if (type.isError) {
        throw new SyntaxError(`Cannot read "${text}": "${part}" at ${from} is not expected`);
      }
      if (name === "Identifier" && node.parent?.name === "VectorSelector") found.series.push(part);
      if (name === "LabelName") found.labels.push(part);
    },
  });
  return found;
}
