import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Alarms, alarmsSetup } from "../../shared/store/embedded/alarms.ts";
import { SqliteFile } from "../../shared/store/embedded/sqlite_file.ts";
import { ManualClock } from "./manual_clock.ts";
import { TestStore } from "./test_store.ts";

Deno.test("embedded store: an alarm fires when due and once", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  await stub.setAlarm(store.clock.now() + 500);
  store.clock.advance(499);
  assertEquals(await stub.list(), []);
  store.clock.advance(1);
  assertEquals(await stub.list(), ["alarm 0: due null, retry no"]);
  assertEquals(await stub.getAlarm(), null);
  store.clock.advance(1e9);
  assertEquals((await stub.list()).length, 1);
});

Deno.test("embedded store: a new alarm replaces the old one, and a deleted one does not fire", async () => {
  await using store = new TestStore();
  const [a, b] = [store.probes.getByName("a"), store.probes.getByName("b")];
  await a.setAlarm(store.clock.now() + 500);
  await a.setAlarm(store.clock.now() + 1500);
  await b.setAlarm(store.clock.now() + 500);
  await b.deleteAlarm();
  store.clock.advance(1000);
  assertEquals([await a.list(), await b.list()], [[], []]);
  store.clock.advance(1000);
  assertEquals([(await a.list()).length, (await b.list()).length], [1, 0]);
});

Deno.test("embedded store: alarms that came due while nobody ran fire at the start", async () => {
  await using store = new TestStore();
  const names = Array.from({ length: 40 }, (_, index) => `object ${index}`);
  for (const name of names) {
    await store.probes.getByName(name).setAlarm(store.clock.now() + 500);
  }
  await store.reopen(() => store.clock.advance(1e6));
  // They fire in batches, each of which sets the timer for the next.
  for (let fired = 0; fired < names.length;) {
    store.clock.advance(0);
    const lists = await Promise.all(names.map((name) => store.probes.getByName(name).list()));
    fired = lists.flat().length;
  }
  await store.reopen();
  store.clock.advance(0);
  for (const name of names) {
    assertEquals((await store.probes.getByName(name).list()).length, 1);
  }
});

Deno.test("embedded store: an alarm that throws is tried again six times, from 2 s on, then given up", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  await stub.planAlarms({ failures: 99, again: 0, at: 0 });
  await stub.setAlarm(store.clock.now());
  const delays: number[] = [];
  for (let delay = 0, n = 0; n < 6; n++) {
    const next = store.clock.nextTimer();
    store.clock.advance(delay);
    delay = await next;
    delays.push(delay);
  }
  assertEquals(delays, [2000, 4000, 8000, 16000, 32000, 64000]);
  store.clock.advance(64000);
  const notes = await stub.list();
  assertEquals(notes.map((note) => note.split("retry ")[1]), ["no", "1", "2", "3", "4", "5", "6"]);
  assertEquals(await stub.getAlarm(), null);
  assertEquals(store.errors, ['Alarm of "a" (ProbeObject) is given up: it failed 7 times']);
});

Deno.test("embedded store: retries go on after a restart", async () => {
  await using store = new TestStore();
  await store.probes.getByName("a").planAlarms({ failures: 2, again: 0, at: 0 });
  await store.probes.getByName("a").setAlarm(store.clock.now());
  const failed = store.clock.nextTimer();
  store.clock.advance(0);
  await failed;
  await store.reopen(() => store.clock.advance(2000));
  store.clock.advance(0);
  assertEquals((await store.probes.getByName("a").list()).at(-1), "alarm 1: due null, retry 1");
});

Deno.test("embedded store: an alarm that the handler sets is kept, also when the handler fails", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  await stub.planAlarms({ failures: 1, again: 1, at: store.clock.now() + 700 });
  await stub.setAlarm(store.clock.now());
  store.clock.advance(0);
  assertEquals(await stub.list(), ["alarm 0: due null, retry no"]);
  assertEquals(await stub.getAlarm(), store.clock.now() + 700);
  store.clock.advance(700);
  assertEquals((await stub.list())[1], "alarm 1: due null, retry no");
  assertEquals(store.errors, []);
});

Deno.test("embedded store: where the alarms can not be read they are tried again, until they can", async () => {
  await using store = new TestStore();
  const stub = store.probes.getByName("a");
  await stub.setAlarm(store.clock.now() + 500);
  const again = store.clock.nextTimer();
  store.clock.advance(500);
  const bringBack = takeAway(store.dir);
  assertEquals(await again, 2000);
  store.clock.advance(2000);
  bringBack();
  assertEquals(await stub.list(), []);
  store.clock.advance(2000);
  assertEquals(await stub.list(), ["alarm 0: due null, retry no"]);
  assertEquals([...new Set(store.errors)], [
    'Cannot store the alarm of "a"',
    "Cannot read the alarms of the embedded store",
  ]);
});

Deno.test("embedded store: an alarm that can not be stored as over is left alone, twice as long each time, and others are not", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-alarms-" });
  const clock = new ManualClock();
  const onError = () => {};
  const file = new SqliteFile(join(dir, "alarms.sqlite"), { setup: alarmsSetup, onError });
  const start = clock.now();
  const fired: string[] = [];
  const fire = async ({ name }: { name: string }) => {
    await Promise.resolve();
    fired.push(`${name} ${clock.now() - start}`);
  };
  const alarms = new Alarms({ file, clock, fire, onError });
  alarms.enable("Thing");
  alarms.put({ className: "Thing", name: "first" }, start);
  alarms.put({ className: "Thing", name: "second" }, start + 7000);
  // What is there can be read, as on a full disk.
  file.db.exec("PRAGMA query_only = ON");
  const passes = async (seconds: number) => {
    for (let left = seconds; left > 0; left--) {
      clock.advance(0);
      await setImmediate();
      clock.advance(1000);
      await setImmediate();
    }
  };
  await passes(8);
  file.db.exec("PRAGMA query_only = OFF");
  await passes(99);
  assertEquals(fired, [
    "first 0",
    "first 2000",
    "first 6000",
    "second 7000",
    "second 9000",
    "first 14000",
  ]);
  await alarms.stop();
  alarms.close();
  await Deno.remove(dir, { recursive: true });
});

/** Takes a folder away at once, as a volume goes; gives what brings it back. */
function takeAway(dir: string): () => void {
  const away = `${dir}-away`;
  Deno.renameSync(dir, away);
  Deno.writeTextFileSync(dir, "");
  return () => {
    Deno.removeSync(dir);
    Deno.renameSync(away, dir);
  };
}
