import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { childDeno } from "../../tools/child_deno.ts";
import { conform, folder, serveOnDeno } from "../examples/served.ts";

const root = new URL("../..", import.meta.url).pathname;

async function deno(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await childDeno(args, {
    cwd: root,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).output();
  return { code, text: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
}

Deno.test("new-policy: what it writes passes its own test and the suite, by the commands that it prints", async () => {
  await using dir = folder();
  const written = await deno("task", "new-policy", "fair", `--dir=${dir.path}`);
  assertEquals(written.code, 0, written.text);
  const [, test] = /npx -y deno@2 (test \S+)/.exec(written.text) ?? [];
  const tested = await deno(...test!.split(" "));
  assertEquals(tested.code, 0, tested.text);
  assertMatch(tested.text, /2 passed/);
  assertStringIncludes(written.text, `serve --host 127.0.0.1 --port 8090 ${dir.path}/fair.ts`);
  await using served = await serveOnDeno(`${dir.path}/fair.ts`);
  const { code, text } = await conform(served.url);
  assertEquals(code, 0, text);

  const again = await deno("task", "new-policy", "fair", `--dir=${dir.path}`);
  assertEquals(again.code, 1);
  assertStringIncludes(again.text, "is there already: choose another name");
  assertEquals((await deno("task", "new-policy", "No-Name")).code, 1);

  await Deno.remove(`${dir.path}/fair.ts`);
  assertEquals((await deno("task", "new-policy", "fair", `--dir=${dir.path}`)).code, 1);
  assertEquals((await Array.fromAsync(Deno.readDir(dir.path))).map(({ name }) => name), [
    "fair_test.ts",
  ]);
});
