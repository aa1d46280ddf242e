import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { PageServer } from "./browser.ts";
import { browserTests, live, screenshot } from "./browser_visit.ts";
import { tell } from "./gangs.ts";

const browserTest = browserTests();
const widths = [400, 1000, 1400];
const minuteMs = 60_000;
const gib = 2 ** 30;

/** GPUs over the last 50 minutes: what nodes have, what runs, and what is held, by the minutes since. */
const gpus: [minutesAgo: number, allocatable: number, bound: number, held: number][] = [
  [50, 16, 4, 0],
  [40, 16, 4, 8],
  [20, 16, 12, 0],
  [10, 32, 16, 0],
];

/** Tells of a gang that ran at these times, and of the resources then; resolves with now. */
async function tellHistory(server: PageServer): Promise<number> {
  const { now: clock } = Date;
  const now = clock();
  try {
    for (const [minutesAgo, allocatable, bound, held] of gpus) {
      Date.now = () => now - minutesAgo * minuteMs;
      const resources = [
        { name: "nvidia.com/gpu", allocatable, bound, held },
        { name: "example.com/an-accelerator-with-a-long-name", allocatable: 100, bound, held },
        { name: "cpu", allocatable: 1_048_576_000, bound: bound * 7900, held: held * 1500 },
        { name: "memory", allocatable: 1023.5 * gib, bound: bound * gib, held: held * 30.5 * gib },
      ];
      await tell(server, { minMember: 2, running: 2 }, { resources });
    }
  } finally {
    Date.now = clock;
  }
  return now;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where the texts themselves stand, and not the boxes that have room for them. */
function boxesOf(page: Page, selector: string): Promise<Box[]> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    const box = (e.children.length > 0 || e.matches("svg") ? e : range).getBoundingClientRect();
    return { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
  })`);
}

/** Whether two edges are one to the eye. */
const isOne = (a: number, b: number) => Math.abs(a - b) <= 3;

for (const width of widths) {
  browserTest(`the axes of the charts stand at their charts, ${width} px wide`, async (visit) => {
    const { server, open, problems } = visit;
    await tellHistory(server);
    const page = await open("/page", { viewport: { width, height: 900 } });
    await page.waitForSelector(live);
    await screenshot(page, `charts ${width}`);
    const cards = await boxesOf(page, ".chart");
    const plots = await boxesOf(page, ".chart svg[role=img]");
    assertEquals([cards.length, plots.length], [4, 4]);
    const [most, none, first, last] = await Promise.all(
      ["p:first-child > :first-child", "p:first-child > :last-child"].concat([
        ".times > :first-child",
        ".times > :last-child",
      ]).map((part) => boxesOf(page, `.chart .plot > ${part}`)),
    );
    for (const [index, plot] of plots.entries()) {
      const card = cards[index]!;
      const about = `${width} px, chart ${index}`;
      const amounts = [most![index]!, none![index]!];
      assert(amounts.every(({ left }) => left >= card.left), `${about}: an amount leaves its card`);
      assert(
        amounts.every(({ right }) => right <= plot.left),
        `${about}: an amount is in the plot`,
      );
      assert(
        amounts.every(({ top, bottom }) => bottom - top < 20),
        `${about}: an amount takes two lines`,
      );
      assert(isOne(amounts[0]!.top, plot.top), `${about}: the greatest amount is not at the top`);
      assert(isOne(amounts[1]!.bottom, plot.bottom), `${about}: 0 is not at the bottom`);
      assert(isOne(first![index]!.left, plot.left), `${about}: the first time is not at the left`);
      assert(isOne(last![index]!.right, plot.right), `${about}: now is not at the right`);
      assert(first![index]!.top >= plot.bottom, `${about}: the times are in the plot`);
      assert(first![index]!.right < last![index]!.left, `${about}: the times overlap`);
    }
    const legends = await boxesOf(page, ".chart .legend");
    const bottoms = cards.map(({ bottom }) => ({ top: bottom }));
    for (const row of Map.groupBy(cards.keys(), (index) => cards[index]!.top).values()) {
      for (const parts of [plots, legends, bottoms]) {
        const tops = new Set(row.map((index) => parts[index]!.top));
        assertEquals(tops.size, 1, `${width} px: the cards of a row do not align`);
      }
    }
    const texts = await page.locator(".chart .plot > p").allInnerTexts();
    assertEquals(texts.map((text) => text.split(/\s*\n\s*/)), [
      ["100", "0"],
      ["50 min ago", "now"],
      ["32", "0"],
      ["50 min ago", "now"],
      ["1048576", "0"],
      ["50 min ago", "now"],
      ["1023.5 GiB", "0"],
      ["50 min ago", "now"],
    ]);
    assertEquals(problems, []);
  });

  browserTest(`pointing at a chart tells what was so then, ${width} px wide`, async (visit) => {
    const { server, open } = visit;
    const now = await tellHistory(server);
    const page = await open("/page", { viewport: { width, height: 900 } });
    await page.waitForSelector(live);
    const chart = page.locator(".chart", { hasText: "nvidia.com/gpu" });
    await chart.scrollIntoViewIfNeeded();
    const box = (await chart.locator("svg[role=img]").boundingBox())!;
    const clock = (minutesAgo: number) =>
      new Date(now - minutesAgo * minuteMs).toISOString().slice(11, 19);
    for (const [index, [minutesAgo, allocatable, bound, held]] of gpus.entries()) {
      const until = gpus[index + 1]?.[0];
      for (const part of [0.1, 0.5, 0.9]) {
        const at = minutesAgo + part * ((until ?? 0) - minutesAgo);
        await page.mouse.move(box.x + box.width * (1 - at / 50), box.y + box.height * part);
        const [title, fill, still] = await page.evaluate(`(() => {
          const pointed = document.querySelector(".chart .moment:hover");
          const other = document.querySelector(".chart .moment:not(:hover)");
          return [pointed?.querySelector("title").textContent, getComputedStyle(pointed).fill,
            getComputedStyle(other).fill];
        })()`) as [string, string, string];
        const told = `running ${bound}, held ${held}, free ${allocatable - bound - held}`;
        const [, from, to, amounts] = /^(\S+) to (\S+) UTC: (.*)$/.exec(title)!;
        assertEquals([from, amounts], [clock(minutesAgo), told], `${at} minutes ago`);
        if (until !== undefined) assertEquals(to, clock(until));
        assert(fill !== still, "what is pointed at looks like the rest");
      }
    }
  });
}

for (const width of [1000, 1400]) {
  browserTest(`the timetable's axis stands over its bars, ${width} px wide`, async (visit) => {
    const { server, open } = visit;
    const startedAt = new Date(Date.now() - 30 * minuteMs).toISOString();
    const times = { "default/a": { startedAt, runTime: { seconds: 3600, source: "declared" } } };
    await tell(server, { running: 2 }, { times });
    const page = await open("/page", { viewport: { width, height: 900 } });
    await page.waitForSelector(live);
    await screenshot(page, `timetable ${width}`);
    const [bar] = await boxesOf(page, ".timetable svg");
    const [first, last] = await boxesOf(page, ".timetable thead .axis > span");
    assert(isOne(first!.left, bar!.left), "the first time is not at the left");
    assert(isOne(last!.right, bar!.right), "the last time is not at the right");
    assertEquals(first!.top, last!.top);
  });
}
