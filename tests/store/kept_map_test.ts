import { assertEquals } from "@std/assert";
import { clusterMapTable, KeptMap } from "../../shared/store/kept_map.ts";
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import type { DurableObjectState } from "../../shared/store/embedded/types.ts";
import { DurableObject } from "../../shared/store/platform.ts";

class Maps extends DurableObject {
  readonly #map: KeptMap;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    ctx.storage.sql.exec(clusterMapTable);
    this.#map = new KeptMap(ctx.storage.sql);
  }

  /** Keeps a map of this many seconds after a time. */
  keep(seconds: number): void {
    const at = new Date(Date.UTC(2026) + seconds * 1000).toISOString();
    this.#map.keep({ at, resource: "gpu", levels: [], gangs: [], places: [] });
  }

  /** The seconds of the map that is kept. */
  kept(): number | undefined {
    const map = this.#map.read();
    return map && (Date.parse(map.at) - Date.UTC(2026)) / 1000;
  }
}

const cases: [name: string, told: number[], kept: number | undefined][] = [
  ["none", [], undefined],
  ["the last one", [100, 200], 200],
  ["not one that comes late", [200, 190], 200],
  ["one by another clock", [200, 100], 100],
];

for (const [name, told, kept] of cases) {
  Deno.test(`kept map: ${name}`, async () => {
    const dir = await Deno.makeTempDir({ prefix: "muster-map-" });
    const host = new EmbeddedHost({ dir });
    try {
      const maps = host.namespace(Maps, { className: "Maps", env: {} }).getByName("a");
      for (const seconds of told) await maps.keep(seconds);
      assertEquals(await maps.kept(), kept);
    } finally {
      await host.close();
      await Deno.remove(dir, { recursive: true });
    }
  });
}
