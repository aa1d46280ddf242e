import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { get, type IncomingMessage } from "node:http";
import { childDeno } from "../../tools/child_deno.ts";
import { errorsIn } from "../support/errors_in.ts";
import { gang, group } from "../support/facts.ts";
import { ServingChild } from "./child.ts";

const serve = ["run", "-A", "--no-check", "functions/serve.ts"];
const root = new URL("../..", import.meta.url).pathname;
const facts = group(gang({ minMember: 2, held: 1, pending: 1 }));

function told(epoch: number): typeof facts {
  return { ...facts, relay: { id: "relay", epoch } };
}

async function run(args: string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await childDeno([...serve, ...args], {
    cwd: root,
    env: { NO_COLOR: "1", MUSTER_STORE: "/nonexistent/never-opened", ...env },
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("serve: says where it listens, ends at SIGTERM, and finds its state again", async () => {
  await using child = new ServingChild();
  await child.start([...serve, "--port", "0"]);
  assertMatch(await child.output(), /^listening: http:\/\/127\.0\.0\.1:\d+$/m);
  const before = await child.ask("/v1/permit", told(1));
  assertEquals(before.verdict, "wait");
  await child.process!.kill("SIGTERM");
  assertEquals((await child.process!.exited).code, 0);

  await child.start([...serve, "--port", "0"]);
  const after = await child.ask("/v1/permit", told(2));
  assertEquals(after.deadline, before.deadline);
  assertEquals((await child.ask("/v1/gangs/default/a")).reason, "WaitingForMembers");
});

Deno.test("serve: a port that is in use ends it with a reason", async () => {
  await using child = new ServingChild();
  await child.start([...serve, "--port", "0"]);
  const { port } = new URL(child.url);
  const { code, stderr } = await run(["--port", port], { MUSTER_STORE: `${child.dir}/other` });
  const why =
    `error: Cannot listen on 127.0.0.1:${port}: the port is in use: choose another --port`;
  assertEquals(errorsIn(stderr), [why]);
  assertEquals(code, 1);
});

Deno.test("serve: kill -9 between calls loses nothing that was answered", async () => {
  await using child = new ServingChild();
  const gangs = [1, 2, 3].map((index) => `g${index}`);
  const deadlines = new Map<string, string>();
  for (const [killed, name] of gangs.entries()) {
    await child.start([...serve, "--port", "0"]);
    for (const [known, deadline] of deadlines) {
      const again = group(gang({ name: known, minMember: 2, held: 1, pending: 1 }));
      // The same call: its answer was stored before it was given.
      assertEquals((await child.ask("/v1/permit", again)).deadline, deadline);
    }
    const first = group(gang({ name, minMember: 2, held: 1, pending: 1 }));
    deadlines.set(name, (await child.ask("/v1/permit", first)).deadline);
    await child.process!.kill("SIGKILL");
    assertEquals(deadlines.size, killed + 1);
  }
});

Deno.test("serve: what it logs of its store names the cause", async () => {
  await using child = new ServingChild();
  const folder = join(child.store, "GangObject");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "values.sqlite"), "no database".repeat(100));
  await child.start([...serve, "--port", "0"]);
  await child.ask("/v1/permit", told(1));
  assertStringIncludes(
    await child.output(),
    "it was deleted and is begun anew: file is not a database",
  );
});

Deno.test("serve: --help names every flag and its variable", async () => {
  const { code, stdout } = await run(["--help"]);
  assertEquals(code, 0);
  for (
    const word of [
      "--port",
      "MUSTER_PORT",
      "--store",
      "MUSTER_STORE",
      "--profile",
      "MUSTER_PROFILE",
      "MUSTER_TOKENS",
      "MUSTER_ISSUERS",
    ]
  ) {
    assertStringIncludes(stdout, word);
  }
});

Deno.test("serve: what it can not use is refused with a reason", async (t) => {
  const cases: [args: string[], says: string][] = [
    [["--profile", "fast"], `"fast"`],
    [["--port", "70000"], `"70000"`],
    [["--port", "http"], `"http"`],
    [["--colour", "red"], "--colour"],
  ];
  for (const [args, says] of cases) {
    await t.step(args.join(" "), async () => {
      const { code, stdout, stderr } = await run(args);
      assertEquals([code, stdout], [1, ""]);
      assertStringIncludes(stderr, says);
      assertEquals(stderr.includes("    at "), false, stderr);
    });
  }
});

Deno.test("serve: wrong variables stop the start, all at once and without their secrets", async () => {
  const token = "token-0123456789abcdef0123456789abcdef";
  const { code, stderr } = await run(["--wait-seconds", "-1"], {
    MUSTER_TOKENS: `{"east": "${token}"`,
  });
  assertEquals(code, 1);
  for (const name of ["MUSTER_WAIT_SECONDS", "MUSTER_TOKENS"]) assertStringIncludes(stderr, name);
  assertEquals(stderr.includes(token), false);
});

Deno.test("serve: MUSTER_TOKENS and the name in Host rule over the network too", async () => {
  const token = "token-0123456789abcdef0123456789abcdef";
  await using child = new ServingChild();
  // `fetch` does not send another Host.
  const statusOf = async (headers: Record<string, string>) => {
    const answered = Promise.withResolvers<IncomingMessage>();
    get(`${child.url}/v1/gangs`, { headers, agent: false }, answered.resolve)
      .on("error", answered.reject);
    const response = await answered.promise;
    await Array.fromAsync(response);
    return response.statusCode;
  };
  await child.start([...serve, "--port", "0"]);
  assertEquals([await statusOf({}), await statusOf({ host: "evil.example" })], [200, 403]);
  assertEquals(await statusOf({ host: "no url" }), 400);
  await child.process!.kill("SIGTERM");
  await child.start([...serve, "--port", "0"], {
    MUSTER_TOKENS: JSON.stringify({ east: [token] }),
  });
  assertEquals(await statusOf({}), 401);
  assertEquals(await statusOf({ authorization: `Bearer ${token}`, host: "muster.example" }), 200);
});

Deno.test("serve: a store that is in use is refused", async () => {
  await using child = new ServingChild();
  await child.start([...serve, "--port", "0"]);
  const { code, stderr } = await run(["--port", "0", "--store", child.store]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, `in use by process ${child.process!.pid}`);
});
