import { assertEquals, assertGreater } from "@std/assert";
import { readRecording } from "../../../cli/replay/read_recording.ts";
import { storyOf } from "../../../cli/replay/story.ts";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import { listFiles } from "../../../tools/list_files.ts";
import { differencesIn, replannedIn, replayed } from "../../support/tape.ts";

const folder = new URL("recordings", import.meta.url).pathname;

const names = await Promise.all(
  [".recording", ".recording.gz"].map((ending) => listFiles(folder, ending)),
);

for (const name of names.flat()) {
  Deno.test(`the recording "${name}" is decided alike today; where it is not meant to be, record it anew`, async () => {
    const lines = (await readRecording(`${folder}/${name}`)).map(({ line }) => line);
    const all = replayed(lines, decisions);
    assertGreater(all.length, 0);
    const differences = differencesIn(all);
    const told = storyOf(differences).join("\n");
    assertEquals(differences.length, 0, told);
    assertEquals(replannedIn(lines).differences, []);
  });
}
