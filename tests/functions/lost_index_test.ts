import { assertEquals, assertNotEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { join } from "node:path";
import { openPolicy, type PolicyHost } from "../../functions/serve.ts";
import type { PrefilterRequest } from "../../shared/contract/types.ts";
import type { Group } from "../../shared/core/gang/facts.ts";
import { gang, group, now } from "../support/facts.ts";
import { Service } from "./service.ts";

const cluster = "test";

/** The functions over a store in a folder of its own, which may lose its indexes. */
class Losing implements AsyncDisposable {
  readonly #store = Deno.makeTempDirSync({ prefix: "muster-lost-index-" });
  #host: PolicyHost = openPolicy({ store: this.#store });

  async lose(): Promise<void> {
    await this.#host.close();
    await Deno.remove(join(this.#store, "IndexObject"), { recursive: true });
    this.#host = openPolicy({ store: this.#store });
  }

  /** A relay tells of gangs; names of those that are listed then. */
  async listedAfter(stage: "prefilter" | "permit", facts: Group, id: string): Promise<string[]> {
    const request = { ...facts, relay: { id, epoch: 1 } } as PrefilterRequest;
    await this.#host.stages(cluster)[stage](request, "1");
    const { gangs } = await this.#ask("/v1/gangs");
    return gangs.map(({ name }: { name: string }) => name);
  }

  /** What queue-sort says of the index. */
  async index(units: { id: string; priority: number; queuedAt: string }[] = []) {
    return (await this.#host.stages(cluster).queueSort({ units }, "1")).index;
  }

  // deno-lint-ignore no-explicit-any -- as in JSON.parse
  async #ask(path: string): Promise<any> {
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "127.0.0.1", port: 0 };
    const headers = { "x-muster-cluster": cluster };
    const request = new Request(`http://localhost${path}`, { headers });
    const info = { remoteAddr, completed: Promise.resolve() };
    return await (await this.#host.serve(request, info)).json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.close();
    await Deno.remove(this.#store, { recursive: true });
  }
}

Deno.test("lost index: a gang that has not changed is listed again as soon as another relay tells of it", async () => {
  const cases: [what: string, facts: Group][] = [
    ["waits for members", group(gang({ minMember: 2, pending: 1 }))],
    ["is held", group(gang({ minMember: 2, pending: 1, held: 1 }))],
    ["runs", group(gang({ minMember: 2, bound: 2 }))],
  ];
  for (const [what, facts] of cases) {
    await using losing = new Losing();
    using _time = new FakeTime(now);
    for (const stage of ["prefilter", "permit"] as const) {
      assertEquals(await losing.listedAfter(stage, facts, "one"), ["a"], what);
    }
    await losing.lose();
    assertEquals(await losing.listedAfter("prefilter", facts, "other"), ["a"], what);
  }
});

Deno.test("lost index: asked about nothing queue-sort names the index, and one that is begun anew otherwise", async () => {
  await using losing = new Losing();
  const named = await losing.index();
  assertNotEquals(named, undefined);
  assertEquals(await losing.index(), named);
  const unit = { id: "default/a", priority: 0, queuedAt: "2026-01-01T00:00:00Z" };
  assertEquals(await losing.index([unit]), undefined, "one call of the index is enough");
  await losing.lose();
  assertNotEquals(await losing.index(), named);
});

Deno.test("lost index: it is named over the network too, and on workerd", async () => {
  await using service = new Service();
  const asked = await service.post("/v1/queue-sort", { units: [] });
  assertEquals([asked.status, asked.body.keys, typeof asked.body.index], [200, [], "string"]);
  assertEquals(await service.post("/v1/queue-sort", { units: [] }), asked);
});
