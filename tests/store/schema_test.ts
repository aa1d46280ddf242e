import { assertEquals } from "@std/assert";
import { profiles } from "../../shared/core/gang/settings.ts";
import type { DurableObjectState } from "../../shared/store/embedded/types.ts";
import { GangObject } from "../../shared/store/gang_object.ts";
import { IndexObject } from "../../shared/store/index_object.ts";
import { DurableObject } from "../../shared/store/platform.ts";
import { openSchema } from "../../shared/store/schema.ts";
import { gang, group } from "../support/facts.ts";
import { TestStore } from "./test_store.ts";

const event = { stage: "permit", group: group(gang()), settings: profiles.default } as const;

const gangNamespace = { className: "GangObject", env: {}, kept: "values" } as const;

/** An object of a version whose tables are named alike and have other columns. */
class Earlier extends DurableObject {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    openSchema(
      ctx.storage,
      "CREATE TABLE gangs (line INTEGER); CREATE TABLE of_its_own (text TEXT);",
    );
    ctx.storage.sql.exec("INSERT INTO gangs VALUES (1)");
  }

  async arm(): Promise<void> {
    await this.ctx.storage.setAlarm(4e12);
  }

  alarm(): void {}
}

/** An object of a version that keeps something else under the same key. */
class EarlierValues extends DurableObject {
  async arm(): Promise<void> {
    this.ctx.storage.kv.put("group", JSON.stringify({ form: "group 0", state: 7 }));
    await this.ctx.storage.setAlarm(4e12);
  }

  alarm(): void {}
}

Deno.test("schema: what was stored by the same one stays, and so does what comes after deleteAll", async () => {
  await using store = new TestStore();
  const open = () => store.host.namespace(GangObject, gangNamespace).getByName("a");
  await open().permit(event);
  await store.reopen();
  const stub = open();
  assertEquals((await stub.describe("default/a"))!.decisions.length, 1);
  const lost = [{ pod: { namespace: "default", name: "a", uid: "a" }, cause: "gone" }] as const;
  const relay = { id: "relay", epoch: 9 };
  await stub.unreserve({
    ...event,
    stage: "unreserve",
    group: { ...event.group, relay },
    lost,
  });
  assertEquals(await stub.describe("default/a"), undefined);
  await stub.permit(event);
  assertEquals((await stub.describe("default/a"))!.decisions.length, 1);
});

Deno.test("schema: a store of another version, newer or older, begins anew", async () => {
  await using store = new TestStore();
  await store.host.namespace(EarlierValues, gangNamespace).getByName("a").arm();
  const earlier = store.host.namespace(Earlier, { className: "IndexObject", env: {} });
  await earlier.getByName("a").arm();
  await store.reopen();
  const gangs = store.host.namespace(GangObject, gangNamespace);
  const index = store.host.namespace(IndexObject, { className: "IndexObject", env: {} });
  const stub = gangs.getByName("a");
  assertEquals(await stub.describe("default/a"), undefined);
  const { lines } = await stub.permit(event);
  await index.getByName("a").record(lines, profiles.default);
  assertEquals((await stub.describe("default/a"))!.decisions.length, 1);
  assertEquals((await index.getByName("a").list({ limit: 9 })).gangs.length, 1);
  assertEquals(store.errors, []);
});
