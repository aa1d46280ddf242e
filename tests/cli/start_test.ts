import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { childDeno } from "../../tools/child_deno.ts";
import { writeKubeconfig } from "../../tools/control_plane/identities.ts";
import { freePorts } from "../../tools/control_plane/ports.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { ServingChild } from "../functions/child.ts";

const root = new URL("../..", import.meta.url).pathname;

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

Deno.test("start: an API server that does not answer stops the start with its address", async () => {
  const dir = await Deno.makeTempDir();
  const server = `https://127.0.0.1:${freePorts(["nobody"]).nobody}`;
  await writeKubeconfig(`${dir}/kubeconfig`, { server, ca: "", token: "none" });
  const { code, stderr } = await childDeno(
    ["run", "-A", "--no-check", "cli/start.ts", "--port=0", `--store=${dir}/store`]
      .concat(`--kubeconfig=${dir}/kubeconfig`),
    { cwd: root, stdout: "null", stderr: "piped" },
  ).output();
  assertEquals(code, 1);
  const text = new TextDecoder().decode(stderr);
  assertStringIncludes(text, `error: Cannot learn the cluster from "${server}": `);
  assertEquals(text.trim().split("\n").length, 1);
  await Deno.remove(dir, { recursive: true });
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
