import { assertEquals, assertStringIncludes } from "@std/assert";
import { childDeno } from "../../../tools/child_deno.ts";
import { goIsInstalled } from "../../../tools/control_plane/go_build.ts";
import { commandLinesWith } from "../support/process_tree.ts";

const root = new URL("../../..", import.meta.url).pathname;

/** The quickest to build; `deno task operators` tells of all. */
const operator = "training-operator";

Deno.test({
  name: `deno task operators --only ${operator} tells its story, and leaves nothing behind`,
  // An operator comes from nowhere else than its Go module.
  ignore: !await goIsInstalled(),
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "muster-operators-test-" });
    const { code, stdout } = await childDeno(["task", "operators", "--only", operator], {
      cwd: root,
      env: { TMPDIR: folder, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).output();
    const told = new TextDecoder().decode(stdout);
    assertEquals(code, 0, told);
    assertStringIncludes(told, "all 5 pods run");
    assertEquals(commandLinesWith(folder), []);
    assertEquals(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), []);
    await Deno.remove(folder, { recursive: true });
  },
});
