import { assertEquals, assertRejects } from "@std/assert";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { folder } from "../../examples/served.ts";

Deno.test("startControlPlane() leaves a folder alone that holds files of somebody else", async () => {
  await using dir = folder();
  await Deno.mkdir(`${dir.path}/logs`);
  await Deno.writeTextFile(`${dir.path}/logs/mine.txt`, "mine");
  await Deno.writeTextFile(`${dir.path}/lock`, "mine");
  await assertRejects(
    () => startControlPlane({ dir: dir.path }),
    Error,
    `Cannot use "${dir.path}": it holds files that are not a control plane's: choose an empty folder`,
  );
  assertEquals(await Deno.readTextFile(`${dir.path}/logs/mine.txt`), "mine");
  assertEquals(await Deno.readTextFile(`${dir.path}/lock`), "mine");
});
