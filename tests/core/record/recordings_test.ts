import { assertEquals, assertGreater } from "@std/assert";
import { readRecording } from "../../../cli/replay/read_recording.ts";
import { storyOf } from "../../../cli/replay/story.ts";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import { listFiles } from "../../../tools/list_files.ts";
import { differencesIn, replayed } from "../../support/tape.ts";

const folder = new URL("recordings", import.meta.url).pathname;

for (const name of await listFiles(folder, ".recording")) {
  Deno.test(`the recording "${name}" is decided alike today; where it is not meant to be, record it anew`, async () => {
    const lines = (await readRecording(`${folder}/${name}`)).map(({ line }) => line);
    const all = replayed(lines, decisions);
    assertGreater(all.length, 0);
    const differences = differencesIn(all);
    const told = storyOf(differences).join("\n");
    assertEquals(differences.length, 0, told);
  });
}
