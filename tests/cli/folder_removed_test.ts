import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { onFolderRemoved } from "../../cli/folder_removed.ts";

/** Does something to a folder with one within, which has a file; gives what is said of it then, relative to where it is. */
function heardOf(deed: (at: { folder: string; within: string; file: string }) => void): string[] {
  using time = new FakeTime();
  const dir = Deno.makeTempDirSync({ prefix: "muster-folder-" });
  const folder = join(dir, "objects");
  const within = join(folder, "class");
  const file = join(within, "file");
  Deno.mkdirSync(within, { recursive: true });
  Deno.writeTextFileSync(file, "");
  const heard: string[] = [];
  try {
    using _ = onFolderRemoved(folder, (path) => heard.push(path.slice(dir.length + 1)));
    deed({ folder, within, file });
    for (let times = 0; times < 3; times++) time.tick(1000);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
  return heard;
}

const rows: [id: string, deed: Parameters<typeof heardOf>[0], heard: string[]][] = [
  ["is left alone", () => {}, []],
  ["is removed", ({ folder }) => Deno.removeSync(folder, { recursive: true }), ["objects"]],
  ["is renamed", ({ folder }) => Deno.renameSync(folder, `${folder}-2`), ["objects"]],
  [
    "is another one",
    ({ folder }) => {
      Deno.renameSync(folder, `${folder}-2`);
      Deno.mkdirSync(folder);
    },
    ["objects"],
  ],
  [
    "loses one within",
    ({ within }) => Deno.removeSync(within, { recursive: true }),
    ["objects/class"],
  ],
  ["gets one more", ({ within }) => Deno.mkdirSync(`${within}-2`), []],
  ["loses a file further down", ({ file }) => Deno.removeSync(file), []],
];

for (const [id, deed, heard] of rows) {
  Deno.test(`onFolderRemoved(): one that ${id}`, () => assertEquals(heardOf(deed), heard));
}

Deno.test("onFolderRemoved(): nothing is said any more of one that nobody asks about", () => {
  using time = new FakeTime();
  const dir = Deno.makeTempDirSync({ prefix: "muster-folder-" });
  const heard: string[] = [];
  onFolderRemoved(dir, (path) => heard.push(path))[Symbol.dispose]();
  Deno.removeSync(dir);
  time.tick(1000);
  assertEquals(heard, []);
});
