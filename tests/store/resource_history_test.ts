import { assertEquals } from "@std/assert";
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import type { DurableObjectState } from "../../shared/store/embedded/types.ts";
import { DurableObject } from "../../shared/store/platform.ts";
import { ResourceHistory, resourceSamplesTable } from "../../shared/store/resource_history.ts";

const hourMs = 3_600_000;

class History extends DurableObject {
  readonly #history: ResourceHistory;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    ctx.storage.sql.exec(resourceSamplesTable);
    this.#history = new ResourceHistory(ctx.storage.sql);
  }

  keep(times: number[]): void {
    for (const at of times) {
      this.#history.keep([{ name: "cpu", allocatable: at, bound: 0, held: 0 }], at);
    }
  }

  times(now: number): number[] {
    return this.#history.lastHour(now).map(({ at, amounts }) => {
      assertEquals(amounts[0]!.allocatable, at);
      return at;
    });
  }

  rows(): number {
    return this.ctx.storage.sql.exec("SELECT slot FROM resource_samples").toArray().length;
  }
}

async function withHistory(
  body: (history: {
    keep(times: number[]): Promise<void>;
    times(now: number): Promise<number[]>;
    rows(): Promise<number>;
  }) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "muster-history-" });
  const host = new EmbeddedHost({ dir });
  try {
    await body(host.namespace(History, { className: "History", env: {} }).getByName("a"));
  } finally {
    await host.close();
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("resource history: an hour of samples, and the last one before it", () =>
  withHistory(async (history) => {
    assertEquals(await history.times(hourMs), []);
    await history.keep([hourMs, hourMs + 600_000, 2 * hourMs - 1]);
    assertEquals(await history.times(2 * hourMs - 1), [hourMs, hourMs + 600_000, 2 * hourMs - 1]);
    assertEquals(await history.times(2 * hourMs + 700_000), [hourMs + 600_000, 2 * hourMs - 1]);
    assertEquals(await history.times(9 * hourMs), [2 * hourMs - 1]);
  }));

Deno.test("resource history: has at most a row for ten seconds of an hour", () =>
  withHistory(async (history) => {
    await history.keep(Array.from({ length: 1000 }, (_, index) => hourMs + index * 7000));
    assertEquals(await history.rows(), 360);
    const times = await history.times(hourMs + 999 * 7000);
    assertEquals(times, times.toSorted((a, b) => a - b));
    assertEquals(times.at(-1), hourMs + 999 * 7000);
  }));
