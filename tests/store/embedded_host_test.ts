import {
  assert,
  assertEquals,
  assertGreaterOrEqual,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { join } from "node:path";
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import type { DurableObjectState } from "../../shared/store/embedded/types.ts";
import { DurableObject } from "../../shared/store/platform.ts";
import { startProcess } from "../../cli/process.ts";
import { TestStore } from "./test_store.ts";

Deno.test("embedded store: what an object stored is there after a restart", async () => {
  await using store = new TestStore();
  await store.probes.getByName("a").addAll(["one", "two"]);
  await store.probes.getByName("a").setAlarm(4e12);
  await store.reopen();
  assertEquals(await store.probes.getByName("a").list(), ["one", "two"]);
  assertEquals(await store.probes.getByName("a").getAlarm(), 4e12);
  assertEquals(await store.probes.getByName("b").list(), []);
});

Deno.test("embedded store: a folder that can not be made is named with why", async () => {
  const file = await Deno.makeTempFile();
  const { message } = assertThrows(() => new EmbeddedHost({ dir: `${file}/store` }), Error);
  assertStringIncludes(message, `Cannot use store folder "${file}/store": ENOTDIR`);
  await Deno.remove(file);
});

Deno.test("embedded store: kill -9 loses no acknowledged write, and the folder is free again", async () => {
  await using store = new TestStore();
  await store.host.close();
  const acknowledged: number[] = [];
  const enough = Promise.withResolvers<void>();
  const child = startProcess({
    name: "writer",
    command: Deno.execPath(),
    args: ["run", "-A", new URL("embedded_host_child.ts", import.meta.url).pathname, store.dir],
    logFile: join(store.dir, "writer.log"),
    onLine: (line) => {
      acknowledged.push(Number(line.split(" ")[1]));
      if (acknowledged.length === 200) enough.resolve();
    },
  });
  try {
    await child.orFailure(() => enough.promise);
    const refused = assertThrows(() => new EmbeddedHost({ dir: store.dir }), Error);
    assertStringIncludes(refused.message, `"${store.dir}" is in use by process ${child.pid}:`);
  } finally {
    await child.kill("SIGKILL");
  }
  await store.reopen();
  const notes = await store.probes.getByName("a").list();
  assertGreaterOrEqual(notes.length, acknowledged.length);
  assertEquals(notes, notes.map((_, index) => `note ${index + 1}`));
  assertEquals(await store.probes.getByName("a").getAlarm(), 4e12);
});

Deno.test("embedded store: a second host in one process is refused until the first is closed", async () => {
  await using store = new TestStore();
  assertThrows(() => new EmbeddedHost({ dir: store.dir }), Error, `process ${Deno.pid}`);
  await store.reopen();
});

Deno.test("embedded store: calls to one object run one at a time in order of arrival", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  assertEquals(await Promise.all([stub.overlap(), stub.overlap(), stub.overlap()]), [1, 1, 1]);
  const texts = Array.from({ length: 50 }, (_, index) => `note ${index}`);
  await Promise.all(texts.map((text) => store.probes.getByName("a").add(text)));
  assertEquals(await stub.list(), texts);
});

Deno.test("embedded store: a failing call does not stop those behind it", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  const results = await Promise.allSettled([stub.addAll(["a", "fail"]), stub.add("b")]);
  assertEquals(results.map((result) => result.status), ["rejected", "fulfilled"]);
  assertEquals(await stub.list(), ["b"]);
});

Deno.test("embedded store: arguments and results are copies", async () => {
  await using store = new TestStore();
  const value = { list: [1] };
  const call = store.probes.getByName("a").echo(value);
  value.list.push(2);
  const result = await call;
  assertEquals(result, { list: [1] });
  await assertRejects(() => store.probes.getByName("a").echo(() => 1), DOMException);
  await assertRejects(() => store.probes.getByName("a").echo([{ call: () => 1 }]), DOMException);
});

Deno.test("embedded store: an object beyond the bound is closed when idle and constructed anew", async () => {
  await using store = new TestStore({ maxOpen: 2 });
  const [a, b, c] = ["a", "b", "c"].map((name) => store.probes.getByName(name));
  assert(a && b && c);
  assertEquals([await a.calls(), await b.calls(), await a.calls()], [1, 1, 2]);
  await c.add("evicts b, the longest unused");
  assertEquals([await a.calls(), await b.calls()], [3, 1]);
});

Deno.test("embedded store: an object that has deleted all takes no other's place", async () => {
  await using store = new TestStore({ maxOpen: 2 });
  const [a, b, c] = ["a", "b", "c"].map((name) => store.probes.getByName(name));
  assert(a && b && c);
  await a.add("kept");
  assertEquals(await a.calls(), 1);
  await b.add("deleted");
  await b.clear();
  await c.add("kept");
  assertEquals([await a.calls(), await c.list()], [2, ["kept"]]);
});

Deno.test("embedded store: a store whose folder is deleted begins anew", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  await stub.add("lost");
  await Deno.remove(store.dir, { recursive: true });
  assertEquals(await stub.add("kept"), 1);
  await stub.setAlarm(4e12);
  await store.reopen();
  assertEquals(await store.probes.getByName("a").list(), ["kept"]);
  assertEquals(await store.probes.getByName("a").getAlarm(), 4e12);
  assertStringIncludes(store.errors.join(), "was deleted or replaced: what it kept is begun anew");
});

for (const [what, suffix] of [["file", ".sqlite"], ["write-ahead log", ".sqlite-wal"]] as const) {
  Deno.test(`embedded store: an object whose ${what} is deleted begins anew and keeps what comes`, async () => {
    await using store = new TestStore();
    const stub = store.probes.getByName("a");
    await stub.add("before");
    for (const file of store.files()) if (file.endsWith(suffix)) await Deno.remove(file);
    await stub.add("after");
    const notes = await stub.list();
    await store.reopen();
    assertEquals(await store.probes.getByName("a").list(), notes);
    assertEquals(notes.at(-1), "after");
    assertEquals(store.errors.length, 1);
  });
}

Deno.test("embedded store: a new object takes nothing over from others, nor from a log left behind", async () => {
  await using store = new TestStore();
  await store.probes.getByName("a").add("old");
  const [log] = store.files().filter((file) => file.endsWith("-wal"));
  assert(log);
  const content = await Deno.readFile(log);
  await store.reopen(() => {
    for (const file of store.files()) Deno.removeSync(file);
    Deno.writeFileSync(log, content);
    Deno.writeTextFileSync(join(store.dir, "ProbeObject", "unfinished"), "cut off".repeat(10_000));
  });
  await store.probes.getByName("b").add("of b");
  assertEquals(await store.probes.getByName("a").list(), []);
  await store.probes.getByName("a").add("new");
  await store.reopen();
  assertEquals(await store.probes.getByName("a").list(), ["new"]);
  assertEquals(await store.probes.getByName("b").list(), ["of b"]);
  assertEquals(store.errors, []);
});

Deno.test("embedded store: a folder that was deleted and taken by another host is not written to", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  await stub.add("lost");
  await Deno.remove(store.dir, { recursive: true });
  const other = new EmbeddedHost({ dir: store.dir });
  await assertRejects(() => stub.add("not ours any more"), Error, "locked");
  await other.close();
  assertEquals(await stub.add("ours again"), 1);
});

Deno.test("embedded store: a file that is no database is deleted and the object starts empty", async () => {
  await using store = new TestStore();
  await store.probes.getByName("a").add("lost");
  await store.reopen(() => {
    const [file] = store.files();
    assert(file);
    Deno.writeTextFileSync(file, "This is not a database. ".repeat(100));
  });
  assertEquals(await store.probes.getByName("a").list(), []);
  assertEquals(await store.probes.getByName("a").add("new"), 1);
  assertEquals(store.errors.length, 1);
  assertStringIncludes(store.errors[0] ?? "", "it was deleted and is begun anew");
});

Deno.test("embedded store: a file whose damage shows only in a call is deleted and the call repeated", async () => {
  await using store = new TestStore();
  const texts = Array.from({ length: 500 }, (_, index) => `a rather long note, number ${index}`);
  await store.probes.getByName("a").addAll(texts);
  await store.reopen(() => {
    const [file] = store.files();
    assert(file);
    const content = Deno.readFileSync(file);
    // The first page holds the schema, which is what opening reads.
    Deno.writeFileSync(file, content.fill(0xff, 4096));
  });
  assertEquals(await store.probes.getByName("a").list(), []);
  assertEquals(await store.probes.getByName("a").add("new"), 1);
  assertStringIncludes(store.errors[0] ?? "", "is damaged");
});

Deno.test("embedded store: a damaged list of alarms is deleted, the objects stay", async () => {
  await using store = new TestStore();
  await store.probes.getByName("a").add("kept");
  await store.reopen(() =>
    Deno.writeTextFileSync(join(store.dir, "alarms.sqlite"), "no database ".repeat(100))
  );
  assertEquals(await store.probes.getByName("a").list(), ["kept"]);
  assertStringIncludes(store.errors[0] ?? "", "alarms.sqlite");
});

Deno.test("embedded store: a list of alarms whose damage shows only in a call is deleted, the objects stay", async () => {
  await using store = new TestStore();
  for (let index = 0; index < 200; index++) {
    await store.probes.getByName(`a-${index}`).setAlarm(4e12);
  }
  await store.probes.getByName("a").add("kept");
  await store.reopen(() => {
    const path = join(store.dir, "alarms.sqlite");
    Deno.writeFileSync(path, Deno.readFileSync(path).fill(0xff, 4096));
  });
  assertEquals(await store.probes.getByName("a").list(), ["kept"]);
  assertEquals(await store.probes.getByName("a").setAlarm(4e12), 4e12);
  assertEquals(await store.probes.getByName("a").list(), ["kept"]);
  assertEquals(store.errors.length, 1);
  assertStringIncludes(store.errors[0] ?? "", "alarms.sqlite");
});

class Unlucky extends DurableObject {
  static failures = 2;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    ctx.blockConcurrencyWhile(async () => {
      await Promise.resolve();
      if (Unlucky.failures-- > 0) throw new Error("Cannot migrate");
    });
  }

  ok(): boolean {
    return true;
  }
}

Deno.test("embedded store: an object that cannot be constructed is tried again by the next call", async () => {
  await using store = new TestStore();
  const stub = store.host.namespace(Unlucky, { className: "Unlucky", env: {} }).getByName("a");
  await assertRejects(() => stub.ok(), Error, "Cannot migrate");
  await assertRejects(() => stub.ok(), Error, "Cannot migrate");
  assertEquals(await stub.ok(), true);
});

class Gaps extends DurableObject {
  /** What touching a name on ctx or on its storage says. */
  touch(where: "ctx" | "storage", name: string): string {
    const target: object = where === "ctx" ? this.ctx : this.ctx.storage;
    try {
      Reflect.get(target, name);
      return "nothing";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async unhandled(): Promise<void> {
    await this.ctx.storage.setAlarm(1);
  }

  late(): void {
    this.ctx.storage.transactionSync(async () => await Promise.resolve());
  }
}

Deno.test("embedded store: what it does not do fails with a sentence", async () => {
  await using store = new TestStore();
  const stub = store.host.namespace(Gaps, { className: "Gaps", env: {} }).getByName("a");
  assertEquals(
    await stub.touch("storage", "put"),
    '"storage.put" is not supported by the embedded store: use storage.sql',
  );
  assertEquals(
    await stub.touch("ctx", "waitUntil"),
    '"ctx.waitUntil" is not supported by the embedded store: await the work before the method returns',
  );
  await assertRejects(() => stub.unhandled(), TypeError, "must have an alarm() handler");
  await assertRejects(() => stub.late(), TypeError, "body is async");
  assertThrows(() => Reflect.get(store.probes, "newUniqueId"), Error, "use getByName");
  const probe = store.probes.getByName("a");
  await assertRejects(
    () => probe.query("INSERT INTO notes (text) VALUES (?)", true as unknown as string),
    TypeError,
    "Cannot bind SQL parameter 1",
  );
});

Deno.test("embedded store: a closed store refuses calls", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  const running = stub.overlap();
  await store.host.close();
  assertEquals(await running, 1);
  await assertRejects(() => stub.list(), Error, 'Cannot call "a": the store is closed');
});

Deno.test("embedded store: closing waits for calls that run, for what follows from them, and leaves the folder free", async () => {
  await using store = new TestStore();
  const [a, b] = [store.probes.getByName("a"), store.probes.getByName("b")];
  const told = a.overlap().then(() => b.setAlarm(4e12));
  await store.host.close();
  assertEquals(await told, 4e12);
  await store.reopen();
  assertEquals(await store.probes.getByName("b").getAlarm(), 4e12);
});
