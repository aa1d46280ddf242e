import { assertEquals, assertGreater } from "@std/assert";
import { join } from "node:path";
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import { TestStore } from "./test_store.ts";

/** What others than the owner may do with the folder and what is in it, by path; what they may not do anything with is left out. */
function openToOthers(dir: string): string[] {
  const inside = [...Deno.readDirSync(dir)].flatMap(({ name, isDirectory }) => {
    const path = join(dir, name);
    return isDirectory ? openToOthers(path) : modeOf(path) & 0o077 ? [path] : [];
  });
  return modeOf(dir) & 0o077 ? [dir, ...inside] : inside;
}

function modeOf(path: string): number {
  return Deno.statSync(path).mode!;
}

function letOthersIn(dir: string): number {
  let files = 0;
  for (const { name, isDirectory } of Deno.readDirSync(dir)) {
    const path = join(dir, name);
    if (isDirectory) files += letOthersIn(path);
    else {
      Deno.chmodSync(path, 0o644);
      files++;
    }
  }
  Deno.chmodSync(dir, 0o755);
  return files;
}

Deno.test("embedded store: nobody but its owner may read it", async () => {
  await using store = new TestStore();
  await store.probes.getByName("a").add("one");
  await store.probes.getByName("b").setAlarm(4e12);
  assertEquals(openToOthers(store.dir), []);
  await store.reopen();
  await store.probes.getByName("a").add("two");
  assertEquals(openToOthers(store.dir), []);
});

Deno.test("embedded store: one that others may read is closed to them where it is opened", async () => {
  await using store = new TestStore();
  for (const name of ["a", "b"]) await store.probes.getByName(name).add("one");
  assertGreater(letOthersIn(store.dir), 5);
  await store.reopen();
  for (const name of ["a", "b"]) {
    assertEquals(await store.probes.getByName(name).list(), ["one"]);
  }
  assertEquals(openToOthers(store.dir), []);
});

Deno.test("embedded store: folders that are made for it are its owner's, too", async () => {
  await using store = new TestStore();
  const above = join(store.dir, "above");
  await new EmbeddedHost({ dir: join(above, "store") }).close();
  assertEquals(openToOthers(above), []);
});
