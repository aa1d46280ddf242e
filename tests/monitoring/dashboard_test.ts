import { assert, assertEquals, assertThrows } from "@std/assert";
import { parse } from "yaml";
import { reasons } from "../../shared/core/words/reason.ts";
import { exportedSeries } from "./exported_metrics.ts";
import { readPromQl } from "./promql.ts";

interface Panel {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource: { uid: string };
  targets: { expr: string; datasource: { uid: string } }[];
}

const folder = new URL("../../deploy/monitoring/", import.meta.url);
const dashboard: { panels: Panel[]; templating: { list: { name: string }[] } } = JSON.parse(
  await Deno.readTextFile(new URL("dashboard.json", folder)),
);
const alerts: { groups: { rules: { alert: string; expr: string }[] }[] } = parse(
  await Deno.readTextFile(new URL("alerts.yaml", folder)),
);
const rules = alerts.groups.flatMap(({ rules }) => rules);
const targets = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, expr }))
);
const series = exportedSeries();

for (
  const { title, expr } of [...targets, ...rules.map(({ alert, expr }) => ({ title: alert, expr }))]
) {
  Deno.test(`"${title}" asks for what a relay exports: ${expr.replace(/\s+/g, " ")}`, () => {
    const asked = readPromQl(expr);
    assert(asked.series.length > 0, "it selects nothing");
    assertEquals(asked.series.filter((name) => !series.has(name)), [], "not exported");
    const labels = asked.series.flatMap((name) => series.get(name)!);
    assertEquals(asked.labels.filter((name) => !labels.includes(name)), [], "no such label");
    const named = [...expr.matchAll(/reason="([^"]*)"/g)].map(([, reason]) => reason);
    assertEquals(named.filter((name) => !reasons.some((reason) => reason === name)), []);
  });
}

Deno.test("the dashboard shows everything that a relay exports", () => {
  const shown = targets.flatMap(({ expr }) => readPromQl(expr).series).map(withoutSuffix);
  const missing = [...series.keys()].map(withoutSuffix).filter((name) => !shown.includes(name));
  assertEquals(missing, []);
});

Deno.test("the dashboard's panels have an id and a title of their own, do not overlap, and ask the data source that is chosen", () => {
  const { panels, templating } = dashboard;
  assertEquals(new Set(panels.map(({ id }) => id)).size, panels.length);
  assertEquals(new Set(panels.map(({ title }) => title)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + cell % w},${y + Math.floor(cell / w)}`)
  );
  assertEquals(new Set(cells).size, cells.length);
  assert(panels.every(({ gridPos: { x, w } }) => x + w <= 24), "a row is 24 wide");
  assert(templating.list.some(({ name }) => name === "datasource"));
  const sources = panels.flatMap(({ datasource, targets }) =>
    [datasource, ...targets.map(({ datasource }) => datasource)].map(({ uid }) => uid)
  );
  assertEquals([...new Set(sources)], ["${datasource}"]);
});

Deno.test("each alert is explained in docs/monitoring.md", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/monitoring.md", import.meta.url));
  assertEquals(rules.filter(({ alert }) => !text.includes(`\`${alert}\``)), []);
});

Deno.test("an expression that Prometheus would not read is refused", () => {
  for (const text of ["sum by (le", "rate(muster_relay_pokes_total[5m]", "a b"]) {
    assertThrows(() => readPromQl(text), SyntaxError);
  }
});

function withoutSuffix(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, "");
}
