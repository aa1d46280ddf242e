import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openPolicy } from "../../../functions/serve.ts";
import { childDeno } from "../../../tools/child_deno.ts";
import { writeKubeconfig } from "../../../tools/control_plane/identities.ts";
import { gang, group } from "../../support/facts.ts";

const root = new URL("../../..", import.meta.url).pathname;
const token = "a-token-of-thirty-two-characters-or-more";
const hostile = "\u001b[2Jbad";

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly dir: string;
  readonly run: (...args: string[]) => Promise<{ code: number; out: string; err: string }>;
}

/** Functions that ask for a token, with gangs of cluster "ours"; `run` is the command line against them. */
async function served(): Promise<Served> {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/token`, `${token}\n`);
  await Deno.writeTextFile(`${dir}/wrong`, "another-token-of-thirty-two-characters");
  const vars = { MUSTER_TOKENS: JSON.stringify({ ours: [token] }) };
  const host = await openPolicy({ store: `${dir}/store`, vars });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, host.serve);
  const url = `http://127.0.0.1:${server.addr.port}`;
  const facts = [
    gang({ name: "short", minMember: 3, pending: 1 }),
    gang({ name: "runs", running: 1 }),
    gang({ namespace: "other", name: "late", minMember: 2, pending: 1 }),
    gang({ name: "hostile", pending: 1, problem: { reason: "InvalidMode", message: hostile } }),
  ];
  for (const [index, one] of facts.entries()) {
    const body = JSON.stringify({ ...group(one), relay: { id: "r", epoch: index } });
    const response = await fetch(`${url}/v1/prefilter`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body,
    });
    assertEquals([response.status, (await response.json()).message !== undefined], [200, true]);
  }
  return {
    url,
    dir,
    run: async (...args) => {
      const { code, stdout, stderr } = await childDeno(
        ["run", "--quiet", "-A", "--no-check", "cli/muster.ts", ...args],
        {
          cwd: root,
          env: { MUSTER_URL: url, MUSTER_TOKEN_FILE: `${dir}/token`, NO_COLOR: "1" },
          stdout: "piped",
          stderr: "piped",
        },
      ).output();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, out: text(stdout), err: text(stderr) };
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await host.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

Deno.test("muster: says what functions tell that want a token", async (t) => {
  await using functions = await served();
  const { run, dir } = functions;

  await t.step(
    "list shows the gangs of a namespace, and cuts nothing that is not for a terminal",
    async () => {
      const { code, out } = await run("list");
      assertEquals(code, 0);
      assertMatch(out, /^NAME +PHASE +MEMBERS +SINCE +REASON +WHY\n/);
      assertMatch(out, /^short +Pending +0\/3 +\d+s +MembersMissing +has 1 of/m);
      assertMatch(out, /^runs +Running +1\/1 /m);
      assert(!out.includes("late") && !out.includes("\u001b"), out);
      assert(!out.includes("…") && out.includes("waiting for 2 more pods to be created"), out);
    },
  );

  await t.step("-A shows all, and JSON is what the functions say", async () => {
    const { out } = await run("list", "-A", "-o", "json");
    const gangs: { namespace: string; name: string; place?: number }[] = JSON.parse(out);
    assertEquals(gangs.map(({ namespace }) => namespace), [
      "default",
      "default",
      "default",
      "other",
    ]);
    const { out: yaml } = await run("list", "-n", "other", "-o", "yaml");
    assertStringIncludes(yaml, "- namespace: other\n  name: late\n");
  });

  await t.step("queue shows who waits, the next first, and for what", async () => {
    const { code, out } = await run("queue", "-A");
    assertEquals(code, 0);
    assertMatch(out, /^PLACE +NAMESPACE +NAME +MEMBERS +SINCE +STARTS +WAITS FOR\n1 +default /);
    assertEquals(out.includes("runs"), false);
  });

  await t.step("explain says why, and exits with 4 while the gang waits", async () => {
    const { code, out } = await run("explain", "short");
    assertEquals(code, 4);
    assertMatch(out, /^gang default\/short: Pending, MembersMissing since /);
    assertMatch(out, /waiting for 2 more pods to be created\n {2}helps: +create the missing pods/);
    assertEquals((await run("explain", "runs")).code, 0);
    assertEquals(JSON.parse((await run("explain", "short", "-o", "json")).out).minMember, 3);
  });

  await t.step("an unknown gang is exit code 3, and says how to find others", async () => {
    const { code, err } = await run("explain", "nobody");
    assertEquals(code, 3);
    assertStringIncludes(err, 'error: No gang "default/nobody" is known');
    assertStringIncludes(err, "kubectl muster list -A");
  });

  await t.step("a wrong token is exit code 1, and says what to do", async () => {
    const { code, err } = await run("list", "--token-file", `${dir}/wrong`);
    assertEquals(code, 1);
    assertStringIncludes(err, "The token is missing or wrong (give --token-file)");
    assertEquals(err.includes("another-token"), false);
  });

  await t.step("another cluster's name is refused, and says why", async () => {
    const { code, err } = await run("list", "--cluster", "theirs");
    assertEquals(code, 1);
    assertStringIncludes(
      err,
      `Muster refuses this caller at "${functions.url}": The credential speaks for cluster "ours"`,
    );
  });

  await t.step("nobody there is exit code 1, and names the URL", async () => {
    const { code, err } = await run("list", "--url", "http://127.0.0.1:1");
    assertEquals(code, 1);
    assertStringIncludes(err, 'Cannot reach Muster at "http://127.0.0.1:1"');
  });

  await t.step("what answers and is not Muster is exit code 1", async () => {
    await using other = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => Response.json({ kind: "Status" }),
    );
    const url = `http://127.0.0.1:${other.addr.port}`;
    for (const args of [["list"], ["queue"], ["explain", "short"]]) {
      assertEquals(await run(...args, "--url", url), {
        code: 1,
        out: "",
        err: `error: What answers at "${url}" is not Muster: is --url right?\n`,
      });
    }
  });

  await t.step("a namespace without a name is none", async () => {
    assertEquals(
      (await run("list", "-o", "json", "-n", "")).out,
      (await run("list", "-o", "json")).out,
    );
  });

  await t.step("a context that is not there is exit code 1, and named", async () => {
    const kubeconfig = `${dir}/kubeconfig`;
    await writeKubeconfig(kubeconfig, { server: functions.url, ca: "", token: "none" });
    const { code, err } = await run("unpark", "a", "--kubeconfig", kubeconfig, "--context", "nope");
    assertEquals(code, 1);
    assertStringIncludes(err, `Kubeconfig "${kubeconfig}" has no context "nope"`);
  });

  await t.step("a wrong command line is exit code 2", async () => {
    for (const args of [["explain"], ["list", "-o", "xml"], ["no-such"], ["list", "--url", "x"]]) {
      const { code, err } = await run(...args);
      assertEquals([code, err.startsWith("error: ")], [2, true], args.join(" "));
    }
  });

  await t.step("every command has help, and completes", async () => {
    for (const name of ["list", "queue", "explain", "watch", "simulate", "export", "unpark"]) {
      const { code, out } = await run(name, "--help");
      assertEquals([code, out.includes(`Usage: kubectl-muster ${name}`)], [0, true]);
    }
    assertEquals((await run("complete", "--", "li")).out, "list\tlist gangs\n:4\n");
    for (const shell of ["bash", "zsh", "fish"]) {
      assertStringIncludes((await run("completion", shell)).out, "kubectl-muster");
    }
  });
});

Deno.test("muster: simulate reads manifests and nodes from files, and needs no cluster", async () => {
  await using functions = await served();
  const { run, dir } = functions;
  const [job, nodes] = [`${dir}/job.yaml`, `${dir}/nodes.yaml`];
  await Deno.writeTextFile(
    nodes,
    `{kind: Node, metadata: {name: gpu-node},
    status: {allocatable: {cpu: "8", memory: 8Gi, pods: "9"}}}
---
{kind: Pod, metadata: {name: leaves, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {containers: []}}`,
  );
  await Deno.writeTextFile(
    job,
    `{kind: Job, metadata: {name: j}, spec: {parallelism: 5, template: {
    metadata: {labels: {pod-group/name: j, pod-group/min-available: "5"}},
    spec: {containers: [{name: c, resources: {requests: {cpu: "4"}}}]}}}}`,
  );
  const { code, out } = await run("simulate", "-f", job, "--nodes", nodes);
  assertEquals(code, 4);
  assertMatch(out, /^- +gang default\/j +waits +/m);
  assertStringIncludes(out, "needs room for 5 more members and finds it for 2: short of cpu");
  const busy = `${dir}/busy.yaml`;
  await Deno.writeTextFile(
    busy,
    `${await Deno.readTextFile(nodes)}
---
{kind: Pod, metadata: {name: old, creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {schedulerName: muster,
    containers: [{name: c, resources: {requests: {cpu: "8"}}}]}}`,
  );
  const behind = await run("simulate", "-f", job, "--nodes", busy);
  assertMatch(
    behind.out,
    /^1 +pod default\/old +starts ahead +gpu-node: 1\n- +gang default\/j +waits /m,
  );
  const { ahead } = JSON.parse(
    (await run("simulate", "-f", job, "--nodes", busy, "-o", "json")).out,
  );
  assertEquals(ahead.map(({ title }: { title: string }) => title), ["pod default/old"]);
  const more = ["--add-nodes", "2", "--like", "gpu-node"];
  const grown = await run("simulate", "-f", job, "--nodes", nodes, ...more, "-o", "json");
  assertEquals(grown.code, 0);
  assertEquals(JSON.parse(grown.out).verdicts[0].starts, true);
  const running = `${dir}/running.yaml`;
  await Deno.writeTextFile(
    running,
    `{kind: Pod, metadata: {name: j-x7k2p, ownerReferences: [{kind: Job, name: j, uid: u, controller: true}]},
    spec: {nodeName: gpu-node, containers: []}}`,
  );
  const runs = await run("simulate", "-f", job, "--nodes", running);
  assertEquals([runs.code, runs.out], [0, "Nothing of that waits: it is there already\n"]);
  const other = `${dir}/other.yaml`;
  await Deno.writeTextFile(
    other,
    "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: v}}",
  );
  const both = await run("simulate", "-f", job, other, "--nodes", nodes, "-o", "json");
  assertEquals(JSON.parse(both.out).ignored, { "batch.volcano.sh/v1alpha1 Job": 1 });
  const nothing = await run("simulate", "-f", other, "--nodes", nodes, "-o", "json");
  assertEquals([nothing.code, nothing.out], [1, ""]);
  assertStringIncludes(
    nothing.err,
    `Nothing in "${other}" is a pod, or makes one now: not read: 1 batch.volcano.sh/v1alpha1 Job: only Pods, `,
  );
  const there = await run("simulate", "--nodes", nodes, "-o", "json");
  assertEquals([there.code, JSON.parse(there.out).verdicts], [0, []]);
  const { code: usage, err } = await run("simulate", "--nodes", nodes, "--like", "gpu-node");
  assertEquals([usage, err], [2, "error: --add-nodes and --like go together: give both\n"]);
  const twice = await run("simulate", "--nodes", "-", "-f", "-");
  assertEquals([twice.code, twice.err], [
    2,
    "error: Only one of the files of --filename and --nodes may be -, standard input\n",
  ]);
});

Deno.test("muster: watch prints each gang once, and again when it changes", async () => {
  await using functions = await served();
  const { url, dir } = functions;
  const child = childDeno(
    ["run", "--quiet", "-A", "--no-check", "cli/muster.ts", "watch", "--interval", "0.05"],
    {
      cwd: root,
      env: { MUSTER_URL: url, MUSTER_TOKEN_FILE: `${dir}/token`, NO_COLOR: "1" },
      stdout: "piped",
      stderr: "null",
    },
  ).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const until = async (pattern: RegExp) => {
    while (!pattern.test(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`It ended before ${pattern}: ${text}`);
      text += value;
    }
  };
  await until(/default\/short +Pending +0\/3 +has 1 of 3 members/);
  const facts = gang({ name: "short", minMember: 3, pending: 2 });
  const changed = await fetch(`${url}/v1/prefilter`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...group(facts), relay: { id: "r", epoch: 9 } }),
  });
  await changed.body?.cancel();
  await until(/default\/short +Pending +0\/3 +has 2 of 3 members/);
  child.kill("SIGINT");
  assertEquals((await child.status).code, 0);
  await reader.cancel();
  assertEquals(text.match(/default\/runs/g)?.length, 1);
});
