import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { ApiClient, type Connection } from "../../../tools/control_plane/api_client.ts";
import { addNode } from "../../../tools/control_plane/node.ts";
import { KeptConnections } from "../../support/kept_connections.ts";
import { untilPrinted } from "../support/output.ts";
import { commandLinesWith, descendantsOf, untilDead } from "../support/process_tree.ts";
import { membersOf, Space } from "../support/space.ts";
import { hasBrowser, startBrowser } from "../../page/browser.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** `deno task …` as a user runs it: in a process group of its own, which a Ctrl-C goes to, and dead when this process is. */
function denoTask(args: string[], options: Deno.CommandOptions = {}): Deno.Command {
  return new Deno.Command("setpriv", {
    args: ["--pdeathsig", "KILL", "--", Deno.execPath(), "task", ...args],
    cwd: root,
    env: { NO_COLOR: "1", ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  });
}

/** How to reach the cluster that a kubeconfig names. */
async function connectionOf(kubeconfig: string): Promise<Connection> {
  const { clusters, users } = parse(await Deno.readTextFile(kubeconfig));
  return {
    server: clusters[0].cluster.server,
    ca: atob(clusters[0].cluster["certificate-authority-data"]),
    token: users[0].user.token,
  };
}

/** Opens a watch that nobody reads, until it is disposed. */
async function watchUnread(kubeconfig: string): Promise<Disposable> {
  const { server, ca, token } = await connectionOf(kubeconfig);
  const client = Deno.createHttpClient({ caCerts: [ca] });
  const { ok, body } = await fetch(`${server}/api/v1/pods?watch=true`, {
    headers: { authorization: `Bearer ${token}` },
    client,
  });
  assert(ok && body);
  return {
    [Symbol.dispose]() {
      client.close();
      body.cancel().catch(() => {});
    },
  };
}

Deno.test("deno task cluster serves a gang on a node created later, and Ctrl-C leaves no process", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-cluster-" });
  const task = denoTask(["cluster", "--nodes", "0", `--dir=${dir}`]).spawn();
  const { output, rest } = await untilPrinted(task.stdout, /^page: .*\n/m);
  const url = /^MUSTER_URL=(.*)$/m.exec(output)?.[1];
  assertStringIncludes(output, `page: ${url}/page\n`);
  assertStringIncludes(output, "\nMUSTER_SCHEDULER_NAME=default-scheduler,muster\n");
  const kubeconfig = /^ready: KUBECONFIG=(.*)$/m.exec(output)?.[1] ?? "";
  const pids = descendantsOf(task.pid);
  // Somebody who watches, and never reads, does not keep it.
  using _watching = await watchUnread(kubeconfig);
  {
    using api = new ApiClient(await connectionOf(kubeconfig));
    const space = new Space(api, "default");
    await space.createGang("train", { size: 3, gpus: 1 });
    await addNode(api, { name: "node-1", resources: { gpus: 4, cpus: 8, memory: "16Gi" } });
    await space.untilBound(membersOf("train", 3));
    const { gangs } = await (await fetch(`${url}/v1/gangs`)).json();
    assertEquals(gangs.map(({ name }: { name: string }) => name), ["train"]);
    await space.until("all run", (pods) => pods.every((pod) => pod["status"].phase === "Running"));
  }
  Deno.kill(-task.pid, "SIGINT");
  await task.status;
  await rest;
  await untilDead(pids);
  assert(pids.length >= 6, `only ${pids.length} processes were there`);
  assertEquals(commandLinesWith(dir), []);
  await Deno.remove(dir, { recursive: true });
});

for (const args of [["demo"], ["demo", "--real"]]) {
  Deno.test(`deno task ${args.join(" ")} tells its story, ends with code 0 and leaves nothing behind`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "muster-demo-test-" });
    const { code, stdout } = await denoTask(args, { env: { TMPDIR: folder } }).output();
    const told = new TextDecoder().decode(stdout);
    assertEquals(code, 0, told);
    assertEquals(commandLinesWith(folder), []);
    assertEquals(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), []);
    await Deno.remove(folder, { recursive: true });
  });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`deno task demo --serve ends at ${signal} although clients keep connections to Muster and to the sandbox`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "muster-demo-test-" });
    const task = denoTask(["demo", "--serve"], { env: { TMPDIR: folder } }).spawn();
    const { output, rest } = await untilPrinted(task.stdout, /^Watch .*\n/m);
    const pids = descendantsOf(task.pid);
    using kept = new KeptConnections();
    await kept.open(/^Watch .*(http:\S+)/m.exec(output)![1]!, {
      stream: "/page/changes",
      body: "/extender/bind",
    });
    await kept.open(await sandboxIn(folder), {
      stream: "/api/v1/pods?watch=true",
      body: "/api/v1/namespaces/default/pods",
    });
    Deno.kill(-task.pid, signal);
    await task.status;
    await rest;
    await untilDead(pids);
    assertEquals(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), []);
    await Deno.remove(folder, { recursive: true });
  });
}

/** The API server of a demo that keeps its files in a folder. */
async function sandboxIn(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith("muster-sandbox-")) continue;
    return parse(await Deno.readTextFile(`${folder}/${name}/kubeconfig`)).clusters[0].cluster
      .server;
  }
  throw new Error(`No sandbox keeps its files in "${folder}"`);
}

const isSkipped = !hasBrowser();

Deno.test({
  name:
    "deno task demo --serve shows gangs in a browser that wait, run and are mistaken, and Ctrl-C leaves no process",
  ignore: isSkipped,
  // What the driver of the browser awaits belongs to no test.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "muster-demo-test-" });
    const task = denoTask(["demo", "--serve"], { env: { TMPDIR: folder } }).spawn();
    const { output, rest } = await untilPrinted(task.stdout, /^Watch .*\n/m);
    const pids = descendantsOf(task.pid);
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(/^Watch .*(http:\S+)/m.exec(output)![1]!);
      await page.waitForSelector("#live.on");
      const rows = [
        "Pending .* waiting for",
        "Scheduling .* needs room for",
        "Running",
        'of scheduler "no-such-scheduler" is not Muster\'s to place',
      ];
      // Which comes first depends on the machine: each is waited for from the beginning.
      await Promise.all(
        [
          ...rows.map((row) => page.getByRole("row", { name: new RegExp(row) }).first()),
          page.getByRole("img", { name: /^nvidia.com\/gpu: running / }),
        ].map((seen) => seen.waitFor()),
      );
    } finally {
      await browser.close();
    }
    Deno.kill(-task.pid, "SIGINT");
    await task.status;
    await rest;
    await untilDead(pids);
    assertEquals(commandLinesWith(folder), []);
    assertEquals(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), []);
    await Deno.remove(folder, { recursive: true });
  },
});
