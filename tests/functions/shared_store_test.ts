import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { startProcess } from "../../tools/process.ts";
import { at, gang, group, pod } from "../support/facts.ts";
import { ServingChild } from "./child.ts";

const root = new URL("../..", import.meta.url).pathname;
const waiting = group(gang({ minMember: 2, held: 1, pending: 1 }));
const lost = [{ pod: pod("a-9"), cause: "deleted" }];

/** The process that keeps the store, on a folder. */
async function startStore(dir: string) {
  const listening = Promise.withResolvers<string>();
  const child = startProcess({
    name: "store",
    command: Deno.execPath(),
    args: ["run", "-A", "--no-check", "functions/serve_store.ts", "--store", join(dir, "store")],
    cwd: root,
    logFile: join(dir, "log"),
    env: { NO_COLOR: "1" },
    onLine: (line) => listening.resolve(/^listening: (unix:.+)$/.exec(line)?.[1] ?? ""),
  });
  return { child, address: await child.orFailure(() => listening.promise) };
}

/** A stage as a process of its own. */
async function startStage(stage: string, store: string): Promise<ServingChild> {
  const child = new ServingChild();
  const serve = ["serve", "-A", "--no-check", "--host", "127.0.0.1", "--port", "0"];
  await child.start([...serve, `functions/${stage}.ts`], { MUSTER_STORE: store });
  return child;
}

Deno.test("shared store: a gang goes through one process per stage, and through a kill of the store", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-shared-" });
  let store = await startStore(dir);
  const { mode } = await Deno.stat(store.address.slice("unix:".length));
  assertEquals((mode ?? 0) & 0o777, 0o600);
  const stages: Record<string, ServingChild> = {};
  try {
    for (const stage of ["queue_sort", "prefilter", "permit", "postfilter", "unreserve", "gangs"]) {
      stages[stage] = await startStage(stage, store.address);
    }
    const ask = (stage: string, body?: unknown) =>
      stages[stage]!.ask(`/v1/${stage.replace("_", "-")}`, body);
    const told = (epoch: number, more = {}) => ({
      ...waiting,
      relay: { id: "relay", epoch },
      ...more,
    });

    assertEquals((await ask("prefilter", told(1))).verdict, "allow");
    const held = await ask("permit", told(2));
    assertEquals(held.verdict, "wait");
    assertEquals((await ask("postfilter", told(3, { failed: [] }))).deadline, held.deadline);
    const { deadline } = await stages["gangs"]!.ask("/v1/gangs/default/a");
    assertEquals(deadline, held.deadline);

    await store.child.kill("SIGKILL");
    const down = await ask("permit", told(4));
    assertEquals([down.status, down.title], [503, "Store not available"]);
    assertStringIncludes(await stages["permit"]!.output(), "start functions/serve_store.ts");
    store = await startStore(dir);
    assertEquals((await ask("permit", told(4))).deadline, held.deadline);

    const failed = await ask("unreserve", told(5, { lost }));
    assertEquals(failed.reason, "MemberLost");
    assertEquals((await ask("prefilter", told(6))).reason, "MemberLost");
    const units = [
      { id: "failed", gang: waiting.gangs[0]!.gang, priority: 0, queuedAt: at(0) },
      { id: "pod", priority: 0, queuedAt: at(0) },
    ];
    const [first, second] = (await ask("queue_sort", { units })).keys;
    assert(first.key > second.key);

    await store.child.kill("SIGTERM");
    assertEquals((await store.child.exited).code, 0);
  } finally {
    for (const stage of Object.values(stages)) await stage[Symbol.asyncDispose]();
    await store.child.kill();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("shared store: large and odd texts come through as they are, many at once", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-shared-" });
  const store = await startStore(dir);
  const permit = await startStage("permit", store.address);
  try {
    const messages = Array.from({ length: 8 }, (_, n) => `${n}\n\u2028\r"🂡ü`.repeat(50_000));
    const answers = await Promise.all(messages.map((message, n) => {
      const problem = { reason: "InvalidMinMember", message };
      return permit.ask("/v1/permit", group(gang({ name: `g${n}`, held: 1, problem })));
    }));
    answers.forEach(({ message }, n) => assert(message.includes(messages[n]), `${n}`));
  } finally {
    await permit[Symbol.asyncDispose]();
    await store.child.kill();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("shared store: a folder that is in use is refused, and what makes no sense is hung up on", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-shared-" });
  const store = await startStore(dir);
  try {
    const second = await startStore(dir).then(() => "", (error) => String(error));
    assertStringIncludes(second, `is in use by process ${store.child.pid}`);
    for (const junk of ["junk", "null", '{"id":1,"binding":"close","method":"then"}', "[]"]) {
      using client = await Deno.connect({ transport: "unix", path: store.address.slice(5) });
      await client.write(new TextEncoder().encode(`${junk}\n`));
      await client.read(new Uint8Array(100));
    }
    // What was there still answers.
    const permit = await startStage("permit", store.address);
    assertEquals((await permit.ask("/v1/permit", waiting)).verdict, "wait");
    await permit[Symbol.asyncDispose]();
  } finally {
    await store.child.kill();
    await Deno.remove(dir, { recursive: true });
  }
});
