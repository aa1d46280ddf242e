import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { drawActions } from "../../../tools/chaos/actions.ts";
import { drawGang } from "../../../tools/chaos/gangs.ts";
import { type ChaosReport, describeFaults, describeReport } from "../../../tools/chaos/report.ts";
import { crashesOf } from "../../../tools/chaos/run_chaos.ts";
import { chaosSvg } from "../../../tools/chaos/timeline_svg.ts";
import { Chance } from "../../../tools/chance.ts";

const actions = drawActions({ seed: 1, minutes: 1, kills: 25 });
const report: ChaosReport = {
  seed: 1,
  minutes: 1,
  actions,
  faults: actions.filter(({ deed }) => deed.do !== "create")
    .map(({ at, deed }) => ({ from: at, to: at + 100, deed })),
  restedAt: 70_000,
  endedAt: 80_000,
  tenancies: [1, 3, 5].map((seconds) => ({
    gang: drawGang(new Chance(seconds), `gang-${seconds}`),
    createdAt: 0,
    minMember: 1,
    wholeAt: seconds * 1000,
  })),
  samples: [0, 1, 2].map((at) => ({ at: at * 30_000, waiting: 2 - at, partial: 0, whole: at })),
  ownEnds: [{ at: 1000, part: "functions", code: 1, said: "no room" }],
  hasDisk: true,
  load: [1, 2, 3],
  wrong: [],
};

Deno.test("describeReport() counts what was done, and says when nothing is wrong", () => {
  const text = describeReport(report);
  assertStringIncludes(text, "kills: 25\n");
  assertStringIncludes(text, "gangs: 3, whole: 3, after 3.0 s (median)");
  assertStringIncludes(text, "\nNothing is wrong.");
  const other = describeReport({ ...report, hasDisk: false, wrong: ["gang-1 never was whole"] });
  assertStringIncludes(other, "this user may not mount one");
  assertStringIncludes(other, "\n- gang-1 never was whole");
});

Deno.test("describeFaults() tells each fault in the order of time, and what it met", () => {
  const [first] = report.faults;
  const faults = [{ ...first!, from: 2000, to: 2100, found: "workerd" }, { ...first!, from: 0 }];
  const lines = describeFaults(faults);
  assert(lines[0]!.startsWith("    0.0 s  "), lines[0]);
  assert(lines[1]!.endsWith("over after 100 ms: workerd"), lines[1]);
});

Deno.test("chaosSvg() draws a mark for each fault, with what it was", () => {
  const svg = chaosSvg(report);
  assertEquals(svg.match(/<title>/g)?.length, report.faults.length);
  assertEquals(svg.includes("NaN"), false);
});

const ends: [said: string, part: ChaosReport["ownEnds"][number]["part"], crashes: number][] = [
  ["error: Uncaught (in promise) TypeError", "relay-a", 1],
  ["*** Uncaught exception ***: key not found", "functions", 1],
  ["*** Uncaught exception ***: SQLite failed (SQLITE_IOERR_SHMSIZE)", "functions", 0],
  ["*** Uncaught exception ***: database or disk is full", "functions", 0],
  ["the API server does not answer", "relay-b", 0],
  ["panic: etcd is gone", "kube-apiserver", 0],
];

for (const [said, part, crashes] of ends) {
  Deno.test(`crashesOf(): "${said}" of ${part} is ${crashes ? "a crash" : "none"}`, () => {
    const found = crashesOf({ ...report, ownEnds: [{ at: 0, part, code: 1, said }] });
    assertEquals(found.length, crashes);
  });
}
