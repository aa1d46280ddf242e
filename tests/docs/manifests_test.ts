import { assertEquals, assertGreater } from "@std/assert";
import { readManifests } from "../../cli/muster/simulation/manifests.ts";
import { listFiles } from "../../tools/list_files.ts";

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const options = { namespace: "default", now: "2026-01-01T00:00:00Z" };

Deno.test("whole manifests of README and docs lack nothing", async () => {
  const pages = (await listFiles(root, ".md"))
    .filter((path) => /^(README|docs\/.*)\.md$/.test(path));
  let count = 0;
  const problems: string[] = [];
  for (const name of pages) {
    const page = await Deno.readTextFile(`${root}/${name}`);
    for (const [, text = ""] of page.matchAll(/^ *```yaml\n(apiVersion: [^]*?)^ *```/gm)) {
      count++;
      try {
        readManifests([{ name, text }], options);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
  }
  assertEquals(problems, []);
  assertGreater(count, 5);
});
