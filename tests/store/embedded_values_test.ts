import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { DurableObject } from "../../shared/store/platform.ts";
import { TestStore } from "./test_store.ts";

class Touching extends DurableObject {
  /** What touching a name on the storage says. */
  touch(name: string): string {
    try {
      Reflect.get(this.ctx.storage, name);
      return "nothing";
    } catch (error) {
      return (error as Error).message;
    }
  }
}

Deno.test("embedded values: all objects of a class have one file, and nothing of each other", async () => {
  await using store = new TestStore();
  const names = Array.from({ length: 20 }, (_, index) => `object ${index}`);
  for (const name of names) await store.values.getByName(name).put("x", name);
  await store.values.getByName("object 7").wipe();
  await store.reopen();
  const kept = await Promise.all(names.map((name) => store.values.getByName(name).get("x")));
  assertEquals(kept, names.map((name) => name === "object 7" ? undefined : name));
  const files = await Array.fromAsync(
    Deno.readDir(`${store.dir}/ValuesObject`),
    ({ name }) => name,
  );
  assertEquals(files.filter((name) => !name.endsWith("-wal")), ["values.sqlite"]);
});

Deno.test("embedded values: an object beyond the bound is constructed anew, and has what it kept", async () => {
  await using store = new TestStore({ maxOpen: 2 });
  const [a, b, c] = ["a", "b", "c"].map((name) => store.values.getByName(name));
  await a!.put("x", 1);
  await b!.put("x", 2);
  assertEquals([await a!.calls(), await c!.calls(), await b!.calls()], [1, 1, 1]);
  assertEquals([await a!.calls(), await a!.get("x")], [1, 1]);
});

Deno.test("embedded values: an object that has deleted all takes no other's place, until it keeps something again", async () => {
  await using store = new TestStore({ maxOpen: 2 });
  const [a, b, c] = ["a", "b", "c"].map((name) => store.values.getByName(name));
  assertEquals(await a!.calls(), 1);
  await b!.put("x", 1);
  await b!.wipe();
  await c!.put("x", 1);
  assertEquals(await a!.calls(), 2);
  await b!.wipe();
  await b!.put("x", 1);
  await c!.put("x", 1);
  assertEquals(await b!.calls(), 1);
});

Deno.test("embedded values: files that objects had of their own are removed at the start, and nothing else", async () => {
  await using store = new TestStore();
  await store.probes.getByName("a").add("kept");
  await store.values.getByName("a").put("x", "kept");
  const [a, b] = ["a", "b"].map((digit) => digit.repeat(64));
  const former = [`${a}.sqlite`, `${a}.sqlite-wal`, `${a}.sqlite-shm`, `${b}.sqlite`];
  const others = [`${a}.sqlite.bak`, `${a}`, `x${b}.sqlite`, `${"A".repeat(64)}.sqlite`];
  const notAFile = `${"c".repeat(64)}.sqlite`;
  const folder = join(store.dir, "ValuesObject");
  await store.reopen(() => {
    for (const name of [...former, ...others]) Deno.writeTextFileSync(join(folder, name), "");
    Deno.mkdirSync(join(folder, notAFile));
  });
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  assertEquals(names.filter((name) => former.includes(name)), []);
  const kept = [...others, notAFile, "values.sqlite"];
  assertEquals(kept.filter((name) => !names.includes(name)), []);
  assertEquals(await store.values.getByName("a").get("x"), "kept");
  assertEquals(await store.probes.getByName("a").list(), ["kept"]);
  assertEquals(store.notes, [
    `Store folder "${folder}" had files of 2 objects as an earlier version kept them: they were removed, as nobody reads them`,
  ]);
  await store.reopen();
  assertEquals([store.notes.length, store.errors], [1, []]);
});

for (const what of ["file", "write-ahead log", "folder"] as const) {
  Deno.test(`embedded values: where their ${what} is deleted all objects begin anew and keep what comes`, async () => {
    await using store = new TestStore();
    const [a, b] = [store.values.getByName("a"), store.values.getByName("b")];
    for (const each of [a, b]) {
      await each.put("x", "lost");
      await each.calls();
    }
    const { valuesFile } = store;
    if (what === "folder") await Deno.remove(store.dir, { recursive: true });
    else await Deno.remove(what === "file" ? valuesFile : `${valuesFile}-wal`);
    await a.put("y", "kept");
    assertEquals([await a.calls(), await b.calls()], [1, 1]);
    await b.put("y", "kept");
    const kept = [await a.get("x"), await b.get("y")];
    await store.reopen();
    assertEquals(
      [await store.values.getByName("a").get("x"), await store.values.getByName("b").get("y")],
      kept,
    );
    assertEquals(kept[1], "kept");
    const [error = ""] = store.errors;
    assertStringIncludes(
      error,
      'values.sqlite" was deleted or replaced: what it kept is begun anew',
    );
    assertEquals(store.errors.length, 1);
  });
}

Deno.test("embedded values: a file whose damage shows only in a call is deleted and the call repeated", async () => {
  await using store = new TestStore();
  for (let index = 0; index < 100; index++) {
    await store.values.getByName(`object ${index}`).put("x", "a rather long text ".repeat(20));
  }
  await store.reopen(() => {
    const content = Deno.readFileSync(store.valuesFile);
    // The first page holds the schema, which is what opening reads.
    Deno.writeFileSync(store.valuesFile, content.fill(0xff, 4096));
  });
  const stub = store.values.getByName("object 5");
  assertEquals(await stub.get("x"), undefined);
  await stub.put("x", "new");
  assertEquals(await stub.get("x"), "new");
  assertEquals(store.errors.length, 1);
  assertStringIncludes(store.errors[0]!, "is damaged");
});

Deno.test("embedded values: tables are not there for who keeps values, nor values for who keeps tables", async () => {
  await using store = new TestStore();
  const touched = store.host.namespace(Touching, { className: "A", env: {}, kept: "values" });
  assertEquals(
    await touched.getByName("a").touch("sql"),
    '"storage.sql" is not there for objects that keep values: use storage.kv',
  );
  const other = store.host.namespace(Touching, { className: "B", env: {} });
  assertEquals(
    await other.getByName("a").touch("kv"),
    '"storage.kv" is not there for objects that keep tables: use storage.sql',
  );
  await assertRejects(() => store.values.getByName("a").put("x", () => {}), DOMException);
});
