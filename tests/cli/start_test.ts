import { Buffer } from "node:buffer";
import { get, type IncomingMessage } from "node:http";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ManagedProcess, startProcess } from "../../cli/process.ts";
import { childDeno } from "../../tools/child_deno.ts";
import { writeKubeconfig } from "../../tools/control_plane/identities.ts";
import { freePorts } from "../../tools/control_plane/ports.ts";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { ServingChild } from "../functions/child.ts";
import { errorsIn } from "../support/errors_in.ts";

const root = new URL("../..", import.meta.url).pathname;

/** A relay, whose lines are waited for. */
class WaitingChild implements AsyncDisposable {
  readonly dir = Deno.makeTempDirSync({ prefix: "muster-child-" });
  readonly #port = freePorts(["health"]).health;
  readonly #lines: string[] = [];
  #came = Promise.withResolvers<void>();
  process: ManagedProcess | undefined;

  start(kubeconfig: string, more = [`--store=${this.dir}/store`]): void {
    const args = ["run", "-A", "--no-check", "cli/start.ts", "--port=0"].concat(
      `--kubeconfig=${kubeconfig}`,
      `--health-address=127.0.0.1:${this.#port}`,
      more,
    );
    this.process = startProcess({
      name: "relay",
      command: Deno.execPath(),
      args,
      cwd: root,
      logFile: `${this.dir}/log`,
      onLine: (line) => this.#heard(line),
      onErrorLine: (line) => this.#heard(line),
    });
  }

  /** The first line that has the text. */
  async said(text: string): Promise<string> {
    for (;;) {
      const line = this.#lines.find((line) => line.includes(text));
      if (line !== undefined) return line;
      await this.process!.orFailure(() => this.#came.promise);
    }
  }

  /** What kubelet is answered. */
  async health(path: string): Promise<[status: number, text: string]> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`);
    return [response.status, await response.text()];
  }

  #heard(line: string): void {
    this.#lines.push(line);
    this.#came.resolve();
    this.#came = Promise.withResolvers();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process?.kill();
    await Deno.remove(this.dir, { recursive: true });
  }
}

Deno.test("start: a token file that can not be used stops the start with a reason", async (t) => {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/two`, "two words");
  const url = "--functions-url=http://127.0.0.1:1";
  const cases: [args: string[], says: string][] = [
    [[`--functions-token-file=${dir}/two`], "--functions-url only: give both"],
    [[url, `--functions-token-file=${dir}/none`], "Cannot read the token for the functions"],
    [[url, `--functions-token-file=${dir}/two`], "Cannot use the token for the functions"],
  ];
  for (const [args, says] of cases) {
    await t.step(says, async () => {
      const { code, stderr } = await childDeno(
        ["run", "-A", "--no-check", "cli/start.ts", "--kubeconfig=/nonexistent", ...args],
        { cwd: root, stdout: "null", stderr: "piped" },
      ).output();
      const text = new TextDecoder().decode(stderr);
      assertEquals(code, 1);
      assertStringIncludes(text, `error: `);
      assertStringIncludes(text, says);
      assertEquals(text.includes("two words"), false);
    });
  }
  await Deno.remove(dir, { recursive: true });
});

Deno.test("start: all that is wrong with the flags is said at once", async () => {
  const flags = ["--wait-seconds=-1", "--match-policy=x", "--stage-url=foo=bar", "--port=99999"]
    .concat("--scheduler-name=muster,");
  const { code, stderr } = await childDeno(
    ["run", "-A", "--no-check", "cli/start.ts", ...flags],
    {
      cwd: root,
      stdout: "null",
      stderr: "piped",
      env: { MUSTER_PROFILE: "nope", MUSTER_TOPOLOGY_LEVELS: "a,,b" },
    },
  ).output();
  const said = errorsIn(new TextDecoder().decode(stderr));
  const about = [
    /^error: option '--stage-url .*' argument 'foo=bar' is invalid\. "foo=bar" is not <stage>=/,
    /^error: option '--topology-levels .*' value 'a,,b' from env 'MUSTER_TOPOLOGY_LEVELS' is /,
    /^error: option '--scheduler-name .*' argument 'muster,' is invalid\. "muster," is not one name/,
    /^error: option '--port .*' argument '99999' is invalid\. "99999" is not a number from 0/,
    /^error: Cannot use these settings: .*"nope".*MUSTER_MATCH_POLICY is "x".*MUSTER_WAIT_SECONDS is "-1"/,
  ];
  assertEquals(said.length, about.length, said.join("\n"));
  for (const one of about) assert(said.some((line) => one.test(line)), `${one} of ${said}`);
  assertEquals(code, 1);
});

Deno.test("start: a variable that is not used, such as one mistyped, is told of", async () => {
  const { code, stderr } = await childDeno(
    ["run", "-A", "--no-check", "cli/start.ts", "--kubeconfig=/nonexistent"],
    {
      cwd: root,
      stdout: "null",
      stderr: "piped",
      env: { MUSTER_EVICTS: "false", MUSTER_PORT: "0", MUSTER_TOKENS: "{}" },
    },
  ).output();
  const text = new TextDecoder().decode(stderr);
  const isTold = (name: string) =>
    text.includes(`Variable \\"${name}\\" is not used: see --help for those that are`);
  assertEquals(["MUSTER_EVICTS", "MUSTER_PORT", "MUSTER_TOKENS"].map(isTold), [true, false, false]);
  assertEquals(code, 1);
});

for (
  const [flag, host, before] of [
    ["--port", "127.0.0.1", ""],
    ["--health-address", "127.0.0.1", "127.0.0.1:"],
    ["--health-address", "", ":"],
  ] as const
) {
  Deno.test(`start: a port of ${flag}=${before} that is in use stops the start with a reason`, async () => {
    using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = other.addr as Deno.NetAddr;
    const value = `${before}${port}`;
    const { code, stderr } = await childDeno(
      ["run", "-A", "--no-check", "cli/start.ts", "--port=0", `${flag}=${value}`],
      { cwd: root, stdout: "null", stderr: "piped", env: { MUSTER_KUBECONFIG: "/nonexistent" } },
    ).output();
    assertEquals(errorsIn(new TextDecoder().decode(stderr)), [
      `error: Cannot listen on ${host}:${port}: the port is in use: choose another ${flag}`,
    ]);
    assertEquals(code, 1);
  });
}

Deno.test("start: credentials that are refused stop the start with the API server's address", async () => {
  const sandbox = await startSandbox();
  const { url } = sandbox.server;
  sandbox.server.intercept = () => Response.json({ message: "nobody is let in" }, { status: 401 });
  const dir = await Deno.makeTempDir();
  const { code, stderr } = await childDeno(
    ["run", "-A", "--no-check", "cli/start.ts", "--port=0", `--store=${dir}/store`]
      .concat(`--kubeconfig=${sandbox.kubeconfigPath}`),
    { cwd: root, stdout: "null", stderr: "piped" },
  ).output();
  assertEquals(code, 1);
  const why = `error: Cannot learn the cluster from "${url}": nobody is let in`;
  assertEquals(errorsIn(new TextDecoder().decode(stderr)), [why]);
  await Deno.remove(dir, { recursive: true });
  await sandbox.stop();
});

Deno.test("start: while the API server is away the relay says so, lives, is not ready, and goes on when it answers", async () => {
  const sandbox = await startSandbox();
  await using child = new WaitingChild();
  let isAway = true;
  sandbox.server.intercept = () => isAway ? new Response("", { status: 503 }) : undefined;
  child.start(sandbox.kubeconfigPath);
  const why = `the API server at "${sandbox.server.url}" does not answer: HTTP 503`;
  assertStringIncludes(await child.said("Waiting: "), JSON.stringify(why).slice(1, -1));
  assertEquals(await child.health("/healthz"), [200, "ok"]);
  assertEquals(await child.health("/readyz"), [503, why]);
  isAway = false;
  await child.said("listening: ");
  assertEquals(await child.health("/readyz"), [200, "ok"]);
  await child.said("The API server answers");
  await child.process!.kill("SIGTERM");
  assertEquals((await child.process!.exited).code, 0);
  await sandbox.stop();
});

Deno.test("start: a relay is not ready before functions elsewhere have taken its credential once, and says why", async () => {
  const sandbox = await startSandbox();
  await using child = new WaitingChild();
  let isKnown = false;
  await using functions = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url, headers }) =>
      isKnown && url.endsWith("/v1/queue-sort") && headers.get("authorization") === "Bearer good"
        ? Response.json({ keys: [] })
        : Response.json({ title: "nobody is let in" }, { status: 401 }),
  );
  const url = `http://127.0.0.1:${functions.addr.port}`;
  const token = `${child.dir}/token`;
  await Deno.writeTextFile(token, "good");
  child.start(sandbox.kubeconfigPath, [
    `--functions-url=${url}`,
    `--functions-token-file=${token}`,
  ]);
  const why = `the policy functions at "${url}" have not answered yet: HTTP 401: nobody is let in`;
  assertStringIncludes(await child.said("Not ready: "), JSON.stringify(why).slice(1, -1));
  await child.said("listening: ");
  assertEquals(await child.health("/healthz"), [200, "ok"]);
  assertEquals(await child.health("/readyz"), [503, why]);
  isKnown = true;
  await untilReady(async () => (await child.health("/readyz"))[0] === 200, {
    what: "the relay",
    signal: new AbortController().signal,
  });
  await child.process!.kill("SIGTERM");
  assertEquals((await child.process!.exited).code, 0);
  await sandbox.stop();
});

Deno.test("start: a relay that waits for an API server ends when it is asked to", async () => {
  await using child = new WaitingChild();
  const server = `https://127.0.0.1:${freePorts(["nobody"]).nobody}`;
  await writeKubeconfig(`${child.dir}/kubeconfig`, { server, ca: "", token: "none" });
  child.start(`${child.dir}/kubeconfig`);
  await child.said("Waiting: ");
  await child.process!.kill("SIGTERM");
  assertEquals((await child.process!.exited).code, 0);
});

Deno.test("start: ends at SIGTERM although somebody watches the page", async () => {
  const sandbox = await startSandbox();
  const child = new ServingChild();
  try {
    const args = ["run", "-A", "--no-check", "cli/start.ts"];
    await child.start([...args, `--kubeconfig=${sandbox.kubeconfigPath}`, "--port=0"]);
    const { body } = await fetch(`${child.url}/page/changes`);
    const stream = body!.pipeThrough(new TextDecoderStream()).getReader();
    assertMatch((await stream.read()).value!, /^event: changed\n/);
    const rest = readAll(stream);
    await child.process!.kill("SIGTERM");
    assertEquals((await child.process!.exited).code, 0);
    // The stream broke off: by itself it would have ended with an event that says so.
    assertEquals((await rest).includes("event: end"), false);
  } finally {
    await child[Symbol.asyncDispose]();
    await sandbox.stop();
  }
});

Deno.test("start: a credential says which cluster its caller sees, and where none speaks for the relay's the start says so", async () => {
  const sandbox = await startSandbox();
  await using child = new ServingChild();
  try {
    const args = ["run", "-A", "--no-check", "cli/start.ts"];
    args.push(`--kubeconfig=${sandbox.kubeconfigPath}`, "--port=0");
    const token = "token-0123456789abcdef0123456789abcdef";
    const noted = async (cluster: string) => {
      await child.start(args, { MUSTER_TOKENS: JSON.stringify({ [cluster]: [token] }) });
      const headers = { authorization: `Bearer ${token}` };
      const gangs = await fetch(`${child.url}/v1/gangs`, { headers });
      assertEquals([gangs.status, await gangs.json()], [200, { gangs: [] }]);
      const output = await child.output();
      await child.process!.kill("SIGTERM");
      return /No credential speaks for this cluster.*?name it \\"([\w-]+)\\"/.exec(output)?.[1];
    };
    const own = await noted("another");
    assertMatch(own!, /^[\da-f-]{36}$/);
    await Deno.remove(`${child.dir}/log`);
    assertEquals(await noted(own!), undefined);
  } finally {
    await sandbox.stop();
  }
});

Deno.test("start: stages are told to this machine, and to no page or proxy, whatever credentials there are", async (t) => {
  const sandbox = await startSandbox();
  await using child = new ServingChild();
  try {
    const args = ["run", "-A", "--no-check", "cli/start.ts", "--shadow-stage=admit=http://[::1]:1"];
    args.push(`--kubeconfig=${sandbox.kubeconfigPath}`, "--port=0");
    const tokens = { another: ["token-0123456789abcdef0123456789abcdef"] };
    await child.start(args, { MUSTER_TOKENS: JSON.stringify(tokens) });
    const cases: [headers: Record<string, string>, status: number][] = [
      [{}, 200],
      [{ origin: "http://localhost" }, 200],
      [{ host: "evil.example" }, 403],
      [{ origin: "http://evil.example" }, 403],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "x-forwarded-for": "10.0.0.7" }, 403],
    ];
    for (const [headers, status] of cases) {
      await t.step(JSON.stringify(headers), async () => {
        const answer = await answerTo(`${child.url}/stages`, headers);
        assertEquals(answer.status, status);
        assertEquals(answer.text.includes('"differences"'), status === 200, answer.text);
      });
    }
  } finally {
    await sandbox.stop();
  }
});

/** Of a call by Node's client: `fetch` does not send another Host. */
async function answerTo(url: string, headers: Record<string, string>) {
  const answered = Promise.withResolvers<IncomingMessage>();
  get(url, { headers, agent: false }, answered.resolve).on("error", answered.reject);
  const response = await answered.promise;
  const text = Buffer.concat(await Array.fromAsync(response)).toString();
  return { status: response.statusCode, text };
}

/** What is still read of a stream, up to its end or to where it breaks off. */
async function readAll(stream: ReadableStreamDefaultReader<string>): Promise<string> {
  let text = "";
  try {
    for (let part; !(part = await stream.read()).done;) text += part.value;
  } catch {
    // It broke off.
  }
  return text;
}
