import { assert, assertEquals } from "@std/assert";
import { listFiles } from "../../tools/list_files.ts";

const deploy = new URL("../../deploy/", import.meta.url).pathname;
const chart = `${deploy}helm/muster/`;

Deno.test("chart: what it reads of deploy/ are copies, because Helm reads nothing outside of a chart: copy what changes", async () => {
  const paths = (await listFiles(chart, ".yaml")).filter((path) =>
    /^(admission|base|overlays|scheduler)\//.test(path)
  );
  assert(paths.length > 10);
  for (const path of paths) {
    const [copy, original] = await Promise.all(
      [chart, deploy].map((folder) => Deno.readTextFile(`${folder}${path}`)),
    );
    assertEquals(copy, original, path);
  }
});
