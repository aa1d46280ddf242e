import { assertEquals, assertStringIncludes } from "@std/assert";
import { childDeno } from "../../tools/child_deno.ts";

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
        ["run", "-A", "--no-check", "tools/start.ts", "--kubeconfig=/nonexistent", ...args],
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
