import { assertEquals, assertObjectMatch, assertThrows } from "@std/assert";
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import type { DurableObjectClass, DurableObjectState } from "../../shared/store/embedded/types.ts";
import { gangMigrations, GangObject } from "../../shared/store/gang_object.ts";
import { indexMigrations, IndexObject } from "../../shared/store/index_object.ts";
import { migrate, type Migration } from "../../shared/store/migrations.ts";
import { DurableObject } from "../../shared/store/platform.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { gang, group } from "../support/facts.ts";

/** Released migrations as SHA-256 of id and SQL. Append only: an edited one would never run where the old one has. */
const released: Record<string, string[]> = {
  GangObject: [
    "001_group_and_decisions c7be5c0c626afcaed7780d9c0d7b5085aa45a448f2466396e01d06257cbe7960",
    "002_long_texts 8975eecbb0c06e9b87a32f38cb8a176f1a7d2268c97234ce4d80b4e461bc39f7",
  ],
  IndexObject: [
    "001_gangs 1311e81ea2f2716b6d79717c2cc12dc02f57caa26bca83e5554986eb186ee2a3",
    "002_first_sight_and_last_group 1427f4ca06be0ba4bcb18ead941d790b75bb4e28b01939f0722072833a98e5cf",
    "003_long_texts 128239c8623a0a5319fbd7e15e72ac2544d3c080ad2333c546984c876d08c104",
    "004_places 68b57b30d2ff12b4edfa1c38dbb65eaa8d456986d30604b0abdc8b081a9691eb",
    "005_phases 0b05fe8aef1c0efbaaa6cd8c067f4e6656b1bcf70b6bc9d6b25f469bfdefd2a5",
    "006_resource_samples 6333552ac49e9536c3f9535ace4d5cc675ff354f3930c979fb1adf92a3220892",
  ],
};

const all = { GangObject: gangMigrations, IndexObject: indexMigrations };

for (const [name, migrations] of Object.entries(all)) {
  Deno.test(`migrations: those of ${name} are what was released, and new ones come last`, async () => {
    assertEquals(
      await Promise.all(migrations.map(fingerprint)),
      released[name],
      "append a migration, and its line here; never edit one",
    );
  });
}

async function fingerprint({ id, sql }: Migration): Promise<string> {
  const bytes = new TextEncoder().encode(`${id}\n${sql}`);
  return `${id} ${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}`;
}

/** What an object of an earlier release has stored, by how many migrations it knew. */
const stored: Record<string, readonly string[]> = {
  GangObject: [`
    INSERT INTO gang_group (id, state, gangs, answer, reported, asked_at)
      VALUES (1, '{"failure":{"at":1000,"closedUntil":1,"reason":"TimedOut","message":"m"}}',
        '${
    JSON.stringify([gang({ minMember: 2 })])
  }', '{"stage":"permit","relay":"r","epoch":1}', '', 9);
    INSERT INTO decisions (at, stage, verdict, reason, message)
      VALUES (1000, 'permit', 'reject', 'TimedOut', 'm')`],
  IndexObject: [`
    INSERT INTO gangs (id, gang_group, line, failed_at) VALUES ('default/a', 'default/a',
      '${
    JSON.stringify({ spec: gang().gang, summary: { phase: "Pending" }, failedAt: 1000 })
  }', 1000)`],
};

/** An object that knows the first `count` migrations, and has stored what it could by each. */
function earlier(name: "GangObject" | "IndexObject", count: number): DurableObjectClass<object> {
  return class extends DurableObject {
    constructor(ctx: DurableObjectState, env: unknown) {
      super(ctx, env);
      migrate(ctx.storage, all[name].slice(0, count));
      for (const sql of stored[name]!.slice(0, count)) ctx.storage.sql.exec(sql);
    }

    touch(): void {}
  };
}

async function after<T>(
  { name, count, ask }: {
    name: "GangObject" | "IndexObject";
    count: number;
    ask: (host: EmbeddedHost) => Promise<T>;
  },
): Promise<T> {
  const dir = await Deno.makeTempDir({ prefix: "muster-migrations-" });
  const before = new EmbeddedHost({ dir });
  const old = before.namespace<{ touch(): void }>(
    earlier(name, count) as DurableObjectClass<{ touch(): void }>,
    { className: name, env: {} },
  );
  await old.getByName("default").touch();
  await before.close();
  const host = new EmbeddedHost({ dir });
  try {
    return await ask(host);
  } finally {
    await host.close();
    await Deno.remove(dir, { recursive: true });
  }
}

for (let count = 1; count <= gangMigrations.length; count++) {
  Deno.test(`migrations: a gang group stored after ${count} of them is read`, async () => {
    const ask = async (host: EmbeddedHost) => {
      const stub = host.namespace(GangObject, { className: "GangObject", env: {} })
        .getByName("default");
      const before = await stub.describe("default/a");
      const event = { stage: "permit", group: group(gang()), settings: profiles.default } as const;
      await stub.permit(event);
      return [before, await stub.describe("default/a")];
    };
    const [before, now] = await after({ name: "GangObject", count, ask });
    assertObjectMatch(before!, {
      failedAt: "1970-01-01T00:00:01.000Z",
      decisions: [{ reason: "TimedOut" }],
    });
    assertEquals(now!.decisions.length, 2);
  });
}

for (let count = 1; count <= indexMigrations.length; count++) {
  Deno.test(`migrations: an index stored after ${count} of them is read`, async () => {
    const ask = async (host: EmbeddedHost) => {
      const stub = host.namespace(IndexObject, { className: "IndexObject", env: {} })
        .getByName("default");
      const found = await stub.find("default/a");
      const { phases } = await stub.look({ from: 0, after: "", limit: 1 });
      assertEquals(phases, { Pending: 1 });
      const times = await stub.queueTimes(["default/a", "default/b"], profiles.default);
      await stub.forget("default/a");
      return { found, times, rest: await stub.list({ limit: 1 }) };
    };
    const { found, times, rest } = await after({ name: "IndexObject", count, ask });
    assertObjectMatch(found!, { line: { failedAt: 1000 } });
    assertEquals([times, rest], [[["default/a", 1000]], { gangs: [] }]);
  });
}

Deno.test("migrations: a store of a newer release is refused", async () => {
  const ask = (host: EmbeddedHost) => {
    const Newer = class extends DurableObject {
      check(): string {
        const { message } = assertThrows(
          () => migrate(this.ctx.storage, [{ id: "other", sql: "" }]),
          Error,
        );
        return message;
      }
    };
    return host.namespace(Newer, { className: "GangObject", env: {} }).getByName("default").check();
  };
  assertEquals(
    await after({ name: "GangObject", count: 1, ask }),
    'Cannot open the store: migration 1 was "001_group_and_decisions" and is now "other"; the list is ' +
      "append-only, so run the version that wrote the store or a newer one",
  );
});
