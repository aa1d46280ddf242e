import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseAllDocuments } from "yaml";
import { childDeno } from "../../../tools/child_deno.ts";

const root = new URL("../../..", import.meta.url).pathname;

/** Functions that know one gang, of which each look says something else; what `answer` gives goes before that. */
function gangServer(answer: (look: number) => Promise<Response> | undefined = () => undefined) {
  let looks = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    looks++;
    const gang = {
      namespace: "default",
      name: "a",
      phase: "Pending",
      minMember: 1,
      members: {},
      reason: "MembersMissing",
      message: `look ${looks}`,
      updatedAt: "2026-01-01T00:00:00.000Z",
    };
    return answer(looks) ?? Response.json({ gangs: [gang] });
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, port: server.addr.port, server };
}

function watching(args: string[], env: Record<string, string> = {}): Deno.ChildProcess {
  return childDeno(
    ["run", "--quiet", "-A", "--no-check", "cli/muster.ts", "watch", "--interval", "0.01", ...args],
    { cwd: root, env: { NO_COLOR: "1", ...env }, stdout: "piped", stderr: "piped" },
  ).spawn();
}

async function readUntil(pattern: RegExp, reader: ReadableStreamDefaultReader<string>) {
  let text = "";
  while (!pattern.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`It ended before ${pattern}: ${text}`);
    text += value;
  }
  return text;
}

function readerOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  return stream.pipeThrough(new TextDecoderStream()).getReader();
}

Deno.test("muster: watch ends when nobody reads any more", async () => {
  const { server, url } = gangServer();
  const child = watching(["--url", url]);
  const said = new Response(child.stderr).text();
  const reader = readerOf(child.stdout);
  await readUntil(/look 1\n/, reader);
  await reader.cancel();
  assertEquals([(await child.status).code, await said], [0, ""]);
  await server.shutdown();
});

Deno.test("muster: watch ends while a look is not answered", async () => {
  const hangs = Promise.withResolvers<Response>();
  const isAsked = Promise.withResolvers<void>();
  const { server, url } = gangServer((look) => {
    if (look === 1) return undefined;
    isAsked.resolve();
    return hangs.promise;
  });
  const child = watching(["--url", url]);
  const said = Promise.all([child.stdout, child.stderr].map((part) => new Response(part).text()));
  await isAsked.promise;
  child.kill("SIGINT");
  assertEquals([(await child.status).code, (await said)[1]], [0, ""]);
  hangs.resolve(new Response());
  await server.shutdown();
});

Deno.test("muster: watch -o yaml prints documents", async () => {
  const { server, url } = gangServer();
  const child = watching(["--url", url, "-o", "yaml"]);
  const said = new Response(child.stderr).text();
  const reader = readerOf(child.stdout);
  const text = await readUntil(/look 3\n(.*\n)*---\n/, reader);
  const [first, second] = parseAllDocuments(text).map((document) => document.toJS());
  assertEquals([first.message, second.message], ["look 1", "look 2"]);
  await reader.cancel();
  await Promise.all([child.status, said]);
  await server.shutdown();
});

Deno.test("muster: watch says what kubectl said where the relay's Pod has gone", async () => {
  const dir = await Deno.makeTempDir();
  const { server, port } = gangServer();
  const lease = { spec: { holderIdentity: "muster-x2k_0c9b" } };
  const api = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json(lease),
  );
  const config = {
    clusters: [{
      name: "c",
      cluster: { server: `http://127.0.0.1:${api.addr.port}`, "insecure-skip-tls-verify": true },
    }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  await Deno.writeTextFile(`${dir}/config`, JSON.stringify(config));
  await new Deno.Command("mkfifo", { args: [`${dir}/end`, `${dir}/said`] }).output();
  // It goes when it is told so, as kubectl does when the Pod has gone.
  await Deno.writeTextFile(
    `${dir}/kubectl`,
    `#!/bin/sh
echo "Forwarding from 127.0.0.1:${port} -> 8080"
read -r _ < ${dir}/end
echo "error: lost connection to pod" >&2
echo > ${dir}/said
exit 1
`,
    { mode: 0o755 },
  );
  const child = watching([], {
    KUBECONFIG: `${dir}/config`,
    PATH: `${dir}:${Deno.env.get("PATH")}`,
  });
  const said = new Response(child.stderr).text();
  const reader = readerOf(child.stdout);
  await readUntil(/look 1\n/, reader);
  await Deno.writeTextFile(`${dir}/end`, "\n");
  await Deno.readTextFile(`${dir}/said`);
  const [, { code }, error] = await Promise.all([server.shutdown(), child.status, said]);
  assertEquals(code, 1);
  assertStringIncludes(error, 'Cannot reach the relay in pod "muster-system/muster-x2k"');
  assertMatch(error, /lost connection to pod.*: try again/);
  await reader.cancel();
  await api.shutdown();
  await Deno.remove(dir, { recursive: true });
});
