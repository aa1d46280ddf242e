import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import { bundleWorkers } from "../../cli/worker_bundle.ts";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { startWorkerd, type Workerd } from "../../cli/workerd.ts";
import { answer, type Call } from "./parity_worker.ts";
import { ProbeObject } from "./probe_object.ts";
import { ValuesObject } from "./values_object.ts";

/** Something that runs the probe objects. */
interface Runtime {
  call(call: Call): Promise<Answer>;
  /** Ends it without notice, where that is possible, and starts it again on the same folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface Answer {
  value?: unknown[];
  error?: { name: string; kind: string; message: string };
}

/** A row of the table: object, method, arguments; `loose` where only the kind of an error must be the same. */
type Row = [object: string, method: string, args: unknown[], loose?: "loose"];

const TABLE: Row[] = [
  ["a", "identity", []],
  ["a", "add", ["one"]],
  ["a", "addAll", [["two", "three"]]],
  ["a", "addAll", [["four", "fail", "five"]]],
  ["a", "addNested", ["outer", "inner"]],
  ["a", "list", []],
  ["b", "list", []],
  ["a", "add", ["one"], "loose"],
  ["a", "cursor", []],
  ["a", "one", ["SELECT * FROM notes"], "loose"],
  ["a", "one", ["SELECT * FROM notes WHERE id < 0"], "loose"],
  ["a", "query", ["SELECT 1 AS a, 2 AS a"]],
  ["a", "query", ["SELECT ? AS x, typeof(?1) AS t", 5]],
  ["a", "query", ["SELECT ? AS x, typeof(?1) AS t", 5.5]],
  ["a", "query", ["SELECT ? AS x, '?' AS y -- ?", null]],
  ["a", "query", ["SELECT ? AS x", { $: "undefined" }]],
  ["a", "query", ["SELECT ?"], "loose"],
  ["a", "query", ["SELECT ?", 1, 2], "loose"],
  ["a", "query", ["SELECT nothing FROM nowhere"], "loose"],
  ["a", "query", ["SELEC"], "loose"],
  ["a", "query", [""], "loose"],
  ["a", "query", ["-- nothing"], "loose"],
  ["a", "query", ["CREATE TABLE t (x); INSERT INTO t VALUES (7); SELECT x FROM t WHERE x = ?", 7]],
  ["a", "query", ["INSERT INTO t VALUES (?); SELECT 1", 8], "loose"],
  ["a", "query", ["-- first\n/* ; */ SELECT count(*) AS n FROM t;\n"]],
  ["a", "query", ["SELECT x, row_number() OVER (PARTITION BY x / 8 ORDER BY x DESC) AS n FROM t"]],
  ["a", "query", ["SELECT 1; -- a comment after the last statement"], "loose"],
  ["a", "query", ["SELECT 1;;"], "loose"],
  ["a", "query", [";SELECT 1"], "loose"],
  ["a", "query", ["SELECT 1 AS x -- a comment in the last statement"]],
  ["a", "query", ["BEGIN"], "loose"],
  ["a", "query", ["SAVEPOINT s"], "loose"],
  ["a", "query", ["PRAGMA user_version"], "loose"],
  ["a", "query", ["PRAGMA table_info(t)"]],
  ["a", "query", ["ATTACH 'x' AS x"], "loose"],
  ["a", "query", ["VACUUM"], "loose"],
  ["a", "query", ["SELECT json_extract('{\"a\": [1]}', '$.a[0]') AS j"]],
  ["a", "echo", [{ $: "rich" }]],
  ["a", "echo", [{ $: "undefined" }]],
  ["a", "echo", [{ $: "symbol" }], "loose"],
  ["a", "throwText", []],
  ["a", "throwOwn", []],
  ["a", "missing", []],
  ["a", "field", []],
  ["a", "alarm", []],
  ["a", "getAlarm", []],
  ["a", "setAlarm", [{ $: "date" }]],
  ["a", "setAlarm", [4e12 + 0.7]],
  ["a", "setAlarmInVain", [5e12]],
  ["a", "setAlarm", [0], "loose"],
  ["a", "setAlarm", ["soon"], "loose"],
  ["a", "deleteAlarm", []],
  ["a", "setAlarm", [4e12]],
  ["s", "open", ["CREATE TABLE one (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE two (x)"]],
  ["s", "query", ["INSERT INTO one (id) VALUES (7) RETURNING id"]],
  ["s", "open", ["CREATE TABLE one (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE two (x)"]],
  ["s", "query", ["SELECT id FROM one"]],
  ["s", "open", ["CREATE TABLE one (y); CREATE INDEX one_by_y ON one (y)"]],
  ["s", "query", ["SELECT y FROM one"]],
  ["b", "wipe", []],
  ["b", "calls", []],
  ["b", "calls", []],
  ["b", "list", [], "loose"],
  ["values a", "get", ["x"]],
  ["values a", "put", ["x", "text"]],
  ["values a", "get", ["x"]],
  ["values b", "get", ["x"]],
  ["values a", "put", ["x", { $: "rich" }]],
  ["values a", "get", ["x"]],
  ["values a", "put", ["", null]],
  ["values a", "get", [""]],
  ["values a", "put", ["nothing", { $: "undefined" }], "loose"],
  ["values a", "get", ["nothing"], "loose"],
  ["values a", "put", ["x", { $: "symbol" }], "loose"],
  ["values a", "putAndChange", ["y"]],
  ["values a", "putAll", [["one", "two"]]],
  ["values a", "putAll", [["three", "fail"]]],
  ["values a", "get", ["two"]],
  ["values a", "get", ["three"]],
  ["values a", "getAlarm", []],
  ["values a", "delete", ["one"]],
  ["values a", "delete", ["one"]],
  ["values a", "get", ["one"]],
  ["values b", "put", ["x", "of b"]],
  ["values b", "wipe", []],
  ["values b", "get", ["x"]],
  ["values b", "calls", []],
  ["values b", "calls", []],
  ["values b", "put", ["x", "again"]],
];

Deno.test({
  name: "embedded store: answers as workerd does",
  async fn(t) {
    const dir = await Deno.makeTempDir({ prefix: "muster-parity-" });
    const embedded = openEmbedded(join(dir, "embedded"));
    const workerd = await openWorkerd(dir);
    try {
      for (const [index, [object, method, args, loose]] of TABLE.entries()) {
        await t.step(`${index + 1}: ${method}(${JSON.stringify(args).slice(1, -1)})`, async () => {
          const call = { object, method, args };
          const [ours, theirs] = [await embedded.call(call), await workerd.call(call)];
          assertEquals(loose ? kindOf(ours) : ours, loose ? kindOf(theirs) : theirs);
        });
      }
      await t.step("what was stored is there after a restart", async () => {
        await Promise.all([embedded.restart(), workerd.restart()]);
        for (const method of ["list", "getAlarm", "calls"]) {
          const call = { object: "a", method, args: [] };
          assertEquals(await embedded.call(call), await workerd.call(call));
        }
        for (const [object, method, args] of KEPT_VALUES) {
          const call = { object, method, args };
          assertEquals(await embedded.call(call), await workerd.call(call));
        }
      });
      await t.step("alarms fire, are tried again and set themselves again", async () => {
        const [ours, theirs] = [await alarmStory(embedded), await alarmStory(workerd)];
        assertEquals(ours, theirs);
      });
      await t.step("an alarm set before a restart fires after it", async () => {
        const due = Date.now() + 1000;
        for (const runtime of [embedded, workerd]) {
          await runtime.call({ object: "later", method: "setAlarm", args: [due] });
        }
        await Promise.all([embedded.restart(), workerd.restart()]);
        for (const runtime of [embedded, workerd]) {
          assertEquals(await notesOf(runtime, { object: "later", count: 1 }), [
            "alarm 0: due null, retry no",
          ]);
        }
      });
      await t.step("every API of workerd is there or refused with a sentence", async () => {
        const apis = ["a", "values a"].map((object) => ({ object, method: "api", args: [] }));
        for (const call of [...apis, NAMESPACE_API]) {
          const [ours, theirs] = [await embedded.call(call), await workerd.call(call)];
          assertEquals(missing(theirs.value, ours.value), []);
        }
      });
      await t.step("known difference: workerd lets calls overlap while one waits", async () => {
        const call = { object: "c", method: "overlap", args: [], times: 3 };
        assertEquals((await embedded.call(call)).value, [1, 1, 1]);
        assert((await workerd.call(call)).value?.includes(3));
      });
    } finally {
      await embedded.close();
      await workerd.close();
      await Deno.remove(dir, { recursive: true });
    }
  },
});

const KEPT_VALUES: Row[] = [
  ["values a", "get", ["two"]],
  ["values a", "get", ["y"]],
  ["values a", "getAlarm", []],
  ["values b", "get", ["x"]],
  ["values b", "getAlarm", []],
];

const NAMESPACE_API: Call = { object: null, method: "", args: [] };

function openEmbedded(dir: string): Runtime {
  const open = () => {
    const host = new EmbeddedHost({ dir });
    const env = {
      PROBE: host.namespace(ProbeObject, { className: "ProbeObject", env: {} }),
      VALUES: host.namespace(ValuesObject, {
        className: "ValuesObject",
        env: {},
        kept: "values",
      }),
    };
    return { host, env };
  };
  let { host, env } = open();
  return {
    // The same way through JSON as an answer of workerd takes.
    call: async (call) => JSON.parse(JSON.stringify(await answer(call, env))),
    async restart() {
      await host.close();
      ({ host, env } = open());
    },
    close: () => host.close(),
  };
}

async function openWorkerd(dir: string): Promise<Runtime> {
  const entry = new URL("parity_worker.ts", import.meta.url).pathname;
  const { parity } = await bundleWorkers({ parity: entry }, dir);
  const objects = [
    { name: "PROBE", class: "ProbeObject" },
    { name: "VALUES", class: "ValuesObject" },
  ];
  const classes = objects.map((object) => object.class);
  const workers = { parity: { bundle: parity.path, classes, objects } };
  const options = { dir: join(dir, "workerd"), workers };
  let workerd: Workerd = await startWorkerd(options);
  return {
    async call(call) {
      const response = await fetch(workerd.urlOf("parity"), {
        method: "POST",
        body: JSON.stringify(call),
      });
      return await response.json();
    },
    async restart() {
      await workerd.kill("SIGKILL");
      workerd = await startWorkerd(options);
    },
    close: () => workerd.stop(),
  };
}

/** What of an answer must be the same when the wording of an error may differ. */
function kindOf(answer: Answer): unknown {
  return answer.error === undefined ? answer : answer.error.kind;
}

/** The notes of an object whose alarm fires at once, sets itself again and fails in doing so, and then fails once. */
async function alarmStory(runtime: Runtime): Promise<unknown> {
  const call = (method: string, ...args: unknown[]) =>
    runtime.call({ object: "alarms", method, args });
  await call("planAlarms", { failures: 2, again: 1, at: 1 });
  await call("setAlarm", Date.now());
  return await notesOf(runtime, { object: "alarms", count: 3 });
}

/** The notes of an object once there are so many. */
async function notesOf(
  runtime: Runtime,
  { object, count }: { object: string; count: number },
): Promise<unknown> {
  let notes: string[] = [];
  // Neither runtime tells the outside when an alarm has fired.
  await untilReady(async () => {
    const { value } = await runtime.call({ object, method: "list", args: [] });
    [notes = []] = value as string[][];
    if (notes.length >= count) return true;
    throw new Error(`it has ${JSON.stringify(notes)}`);
  }, { what: `note ${count} of object "${object}"`, signal: new AbortController().signal });
  return notes;
}

/** Names in `theirs` that `ours` lacks, in all lists. */
function missing(theirs: unknown, ours: unknown): string[] {
  if (typeof theirs === "string") return [];
  if (Array.isArray(theirs) && theirs.every((item) => typeof item === "string")) {
    return theirs.filter((name) => !(ours as string[]).includes(name));
  }
  return Object.entries(theirs as Record<string, unknown>).flatMap(([key, list]) =>
    missing(list, (ours as Record<string, unknown>)[key])
  );
}
