import { assertEquals, assertGreaterOrEqual, assertNotEquals, assertRejects } from "@std/assert";
import { profiles } from "../../shared/core/gang/settings.ts";
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import type { DurableObjectStub } from "../../shared/store/embedded/types.ts";
import type { GangLine } from "../../shared/store/gang_line.ts";
import type { EndedGang } from "../../shared/store/kept_group.ts";
import { IndexObject } from "../../shared/store/index_object.ts";
import { gang } from "../support/facts.ts";
import { ManualClock } from "./manual_clock.ts";
import { TestStore } from "./test_store.ts";

const dayMs = 24 * 3600 * 1000;
const settings = profiles.default;

/** An index of its own. */
async function withIndex(
  test: (
    index: ReturnType<ReturnType<typeof indexes>["getByName"]>,
    clock: ManualClock,
  ) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "muster-index-" });
  const clock = new ManualClock();
  const host = new EmbeddedHost({ dir, clock });
  try {
    await test(indexes(host).getByName("default"), clock);
  } finally {
    await host.close();
    await Deno.remove(dir, { recursive: true });
  }
}

function indexes(host: EmbeddedHost) {
  return host.namespace(IndexObject, { className: "IndexObject", env: {} });
}

/** A line of a gang that waits, created and told of at these times, in ms since the epoch. */
function line(name: string, { created = 0, told = Date.now() } = {}): GangLine {
  const { gang: spec, census } = gang({
    name,
    pending: 1,
    createdAt: new Date(created).toISOString(),
  });
  return {
    spec,
    summary: {
      namespace: spec.namespace,
      name,
      group: `default/${name}`,
      phase: "Scheduling",
      minMember: 1,
      members: { ...census, held: 0 },
      reason: "Admitted",
      message: "",
      updatedAt: new Date(told).toISOString(),
    },
  };
}

Deno.test("index: gangs that nobody told of for seven days are dropped, others stay", async () => {
  await withIndex(async (index, clock) => {
    await index.record([line("gone", { told: Date.now() - 8 * dayMs })], settings);
    await index.record([line("quiet", { told: Date.now() - 6 * dayMs })], settings);
    await index.record([line("new")], settings);
    const rearmed = clock.nextTimer();
    clock.advance(Date.now() + 2 * dayMs);
    await rearmed;
    const { gangs } = await index.list({ limit: 9 });
    assertEquals(gangs.map(({ name }) => name), ["new", "quiet"]);
  });
});

class Broken extends IndexObject {
  /** Makes sweeping fail. */
  break(): void {
    this.ctx.storage.sql.exec("DROP TABLE runs");
  }

  due(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
}

Deno.test("index: a sweep that fails is followed by the next one", async () => {
  await using store = new TestStore();
  const index = store.host.namespace(Broken, { className: "Broken", env: {} }).getByName("a");
  await index.record([line("a")], settings);
  await index.break();
  const rearmed = store.clock.nextTimer();
  store.clock.advance(Date.now() + 2 * dayMs);
  await rearmed;
  // A retry would be set by the clock, which is two days ahead.
  assertGreaterOrEqual(Date.now() + dayMs, await index.due());
});

class Failing extends IndexObject {
  /** From now on nothing can be written, because of this; or something again. */
  fail(why?: string): void {
    this.ctx.storage.sql.exec(
      why
        ? `CREATE TRIGGER fails BEFORE UPDATE ON gangs BEGIN SELECT RAISE(ABORT, '${why}'); END`
        : "DROP TRIGGER fails",
    );
  }
}

async function namesAround(why: string, index: DurableObjectStub<Failing>): Promise<string[]> {
  await index.record([line("a")], settings);
  const name = await index.identity();
  await index.fail(why);
  await assertRejects(() => index.record([line("b"), line("a")], settings), Error, why);
  await index.fail();
  return [name, await index.identity()];
}

Deno.test("index: one that missed something while the disk was full begins anew under another name, so that it is told all again", async () => {
  await using store = new TestStore();
  const index = store.host.namespace(Failing, { className: "Failing", env: {} }).getByName("a");
  const [before, after] = await namesAround("database or disk is full", index);
  assertNotEquals(after, before);
  assertEquals((await index.list({ limit: 9 })).gangs, []);
  await index.record([line("a"), line("b")], settings);
  assertEquals(await index.identity(), after);
  assertEquals((await index.list({ limit: 9 })).gangs.map(({ name }) => name), ["a", "b"]);
});

Deno.test("index: what can not be written for another cause costs no other line", async () => {
  await using store = new TestStore();
  const index = store.host.namespace(Failing, { className: "Failing", env: {} }).getByName("a");
  const [before, after] = await namesAround("string or blob too big", index);
  assertEquals(after, before);
  assertEquals((await index.list({ limit: 9 })).gangs.map(({ name }) => name), ["a"]);
});

Deno.test("index: an older line does not replace a newer one", async () => {
  await withIndex(async (index) => {
    await index.record([line("a")], settings);
    await index.record([line("a", { created: 5, told: Date.now() - 1000 })], settings);
    assertEquals((await index.find("default/a"))?.line.spec.createdAt, "1970-01-01T00:00:00.000Z");
  });
});

Deno.test("index: a line of a clock that was ahead is replaced, and its failure left aside", async () => {
  await withIndex(async (index) => {
    const ahead = Date.now() + dayMs;
    await index.record([{ ...line("a", { told: ahead }), failedAt: ahead }], settings);
    for (const failed of [Date.now() - 1, ahead]) {
      await index.record([{ ...line("b"), failedAt: failed }], settings);
      const times = await index.queueTimes(["default/a", "default/b"], settings);
      assertEquals(times, failed === ahead ? [] : [["default/b", failed]]);
    }
    await index.record([line("a", { created: 5 })], settings);
    assertEquals((await index.find("default/a"))?.line.spec.createdAt, "1970-01-01T00:00:00.005Z");
  });
});

Deno.test("index: among a thousand waiting gangs each has its place, and pages add up to all", async () => {
  await withIndex(async (index) => {
    const count = 1000;
    // Created in an order that is not that of their names.
    const created = (number: number) => (number * 37) % count * 1000;
    const lines = Array.from(
      { length: count },
      (_, number) => line(`g-${number}`, { created: created(number) }),
    );
    await index.record(lines, settings);
    for (const number of [0, 1, 500, 999]) {
      assertEquals(
        (await index.find(`default/g-${number}`))?.place,
        created(number) / 1000 + 1,
      );
    }
    const names = new Set<string>();
    for (let after: string | undefined = ""; after !== undefined;) {
      const page: { gangs: { name: string }[]; continue?: string } = await index.list({
        limit: 300,
        after,
      });
      for (const { name } of page.gangs) names.add(name);
      after = page.continue;
    }
    assertEquals(names.size, count);
  });
});

/** The story of a gang that ended at this time, in ms since the epoch. */
function story(name: string, endedAt: number): EndedGang {
  const { summary, spec } = line(name);
  const at = new Date(endedAt).toISOString();
  return { ...summary, spec, decisions: [], ended: { at, message: "" } };
}

Deno.test("index: of gangs that have ended the last five hundred are kept, and a hundred listed", async () => {
  await withIndex(async (index) => {
    const stories = Array.from({ length: 600 }, (_, number) => story(`g-${number}`, Date.now()));
    await index.forget("default/x", stories);
    const listed = (await index.ended()).map(({ name }) => name);
    assertEquals([listed.length, listed[0], listed.at(-1)], [100, "g-599", "g-500"]);
    const known = [99, 100].map((number) => index.ended(`default/g-${number}`));
    assertEquals((await Promise.all(known)).map(({ length }) => length), [0, 1]);
  });
});

Deno.test("index: of gangs that have ended those of a namespace that has most make place, the oldest first", async () => {
  await withIndex(async (index) => {
    const of = (namespace: string, count: number) =>
      Array.from({ length: count }, (_, number) => {
        const told = story(`g-${number}`, Date.now());
        return { ...told, namespace, spec: { ...told.spec, namespace } };
      });
    for (const stories of [of("few", 3), of("some", 30), of("most", 600)]) {
      await index.forget("default/x", stories);
    }
    const kept = async (id: string) => (await index.ended(id)).length;
    assertEquals(await Promise.all(["few/g-0", "some/g-0", "most/g-132", "most/g-133"].map(kept)), [
      ...[1, 1, 0, 1],
    ]);
  });
});

Deno.test("index: gangs that ended more than seven days ago are forgotten", async () => {
  await withIndex(async (index, clock) => {
    await index.forget("default/x", [story("old", Date.now() - 8 * dayMs)]);
    await index.forget("default/x", [story("new", Date.now())]);
    await index.record([line("a")], settings);
    const rearmed = clock.nextTimer();
    clock.advance(Date.now() + 2 * dayMs);
    await rearmed;
    assertEquals((await index.ended()).map(({ name }) => name), ["new"]);
  });
});

Deno.test("index: runs that ended more than ninety days ago teach nothing, and are forgotten", async () => {
  await withIndex(async (index, clock) => {
    const run = (name: string, endedAt: number) => {
      const { summary, spec } = line(name);
      const times = { createdAt: endedAt - 9000, startedAt: endedAt - 5000, endedAt };
      const pattern = "default//run";
      const known = { namespace: "default", name, pattern, members: 1, priority: 0, requests: {} };
      return { summary, spec, run: { ...known, ...times, isLearnt: true } };
    };
    const old = Date.now() - 91 * dayMs;
    await index.record([run("old", old), run("new", Date.now())], settings);
    assertEquals((await index.runs({ limit: 9 })).runs.length, 2);
    const rearmed = clock.nextTimer();
    clock.advance(Date.now() + 2 * dayMs);
    await rearmed;
    assertEquals(await index.runTimes(["default//run", "default//other"]), [[
      "default//run",
      { seconds: 5, source: "learnt", runs: 1, median: 5 },
    ]]);
    assertEquals((await index.runs({ limit: 9 })).runs.map(({ name }) => name), ["new"]);
  });
});

Deno.test("index: the map that was told last lacks gangs that are gone since, until they come again", async () => {
  await withIndex(async (index) => {
    const [first, last] = ["default/first", "default/last"];
    const place = { node: "n", nodes: 1, allocatable: 8, others: { bound: 1 } };
    const map = {
      at: new Date().toISOString(),
      resource: "nvidia.com/gpu",
      levels: [],
      gangs: [first, last, "default/unheard"],
      places: [{ ...place, gangs: [0, 1, 2].map((gang) => ({ gang, bound: 2 })) }],
    };
    const shown = async () => {
      const { gangs = [], places = [] } = await index.map() ?? {};
      return places.flatMap((place) => place.gangs.map(({ gang, bound }) => [gangs[gang], bound]));
    };
    await index.record([line("first"), line("last")], settings, { map });
    assertEquals((await index.map())?.gangs, map.gangs);
    await index.forget(first, [story("first", Date.now())]);
    assertEquals(await shown(), [[last, 2], ["default/unheard", 2]]);
    assertEquals((await index.map())?.gangs, [last, "default/unheard"]);
    await index.record([line("first")], settings);
    assertEquals(await index.map(), map);
  });
});
