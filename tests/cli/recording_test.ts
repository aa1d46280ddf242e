import {
  assert,
  assertEquals,
  assertLessOrEqual,
  assertObjectMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "node:path";
import type { Decisions } from "../../shared/core/attend/decisions.ts";
import type { GroupEvent } from "../../shared/core/attend/event.ts";
import { childDeno } from "../../tools/child_deno.ts";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { RecordingFile } from "../../cli/recording_file.ts";
import { readRecording } from "../../cli/replay/read_recording.ts";
import { version } from "../../cli/version.ts";
import { recordingVersion } from "../../shared/core/record/recording.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { ServingChild } from "../functions/child.ts";
import { attended, gang, start } from "../support/attending.ts";
import { podOf } from "../support/gang_pods.ts";

const root = new URL("../..", import.meta.url).pathname;
const cluster = "cluster";

class Folder implements AsyncDisposable {
  readonly dir = Deno.makeTempDirSync({ prefix: "muster-recording-" });
  readonly file = join(this.dir, "muster.recording");

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.dir, { recursive: true });
  }
}

/** Lets members come, one each ms, with something said of each. */
function comes(by: Decisions, { members, says = "" }: { members: number; says?: string }): void {
  let group = attended();
  for (let at = 0; at < members; at++) {
    const pod = { namespace: "default", name: `member-${at}` };
    const refusal = { pod, gang, reason: "JustSeen", sentence: says, at: start };
    const event: GroupEvent = { is: "member came", uid: `uid-${at}`, refusal };
    group = by.advance(group, event, start + at).attended;
  }
}

async function replay(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await childDeno(
    ["run", "-A", "--no-check", "cli/replay.ts", ...args],
    { cwd: root, env: { NO_COLOR: "1" }, stdout: "piped", stderr: "piped" },
  ).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test("a recording takes no more room than it may, and is replayed from both files or the last one", async () => {
  await using folder = new Folder();
  const bytes = 100_000;
  const recording = await RecordingFile.open({ path: folder.file, bytes });
  const decisions = recording.begin({ cluster, isHashed: false });
  for (let left = 0; left < 3000; left++) {
    const event = { is: "member left", uid: `uid-${left}`, isIncomplete: true } as const;
    decisions.advance(attended(), event, start + left);
  }
  await recording.close();
  const before = `${folder.file}.1`;
  assertEquals((await Array.fromAsync(Deno.readDir(folder.dir))).length, 2);
  for (const path of [folder.file, before]) {
    const { size, mode } = await Deno.stat(path);
    assertLessOrEqual(size, bytes / 2 + 1000);
    assertEquals(mode! & 0o077, 0);
    const [first] = await readRecording(path);
    assertObjectMatch(first!.line, { recording: recordingVersion, muster: version, cluster });
  }
  for (const files of [[before, folder.file], [folder.file]]) {
    const { code, out, err } = await replay(...files);
    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, "decisions about 1 gang groups: 0 are others today");
  }
});

Deno.test("a recording of an earlier process is kept beside the new one", async () => {
  await using folder = new Folder();
  for (const name of ["first", "second"]) {
    const recording = await RecordingFile.open({ path: folder.file });
    recording.begin({ cluster: name, isHashed: false });
    await recording.close();
  }
  assertStringIncludes(await Deno.readTextFile(`${folder.file}.1`), `"first"`);
  assertStringIncludes(await Deno.readTextFile(folder.file), `"second"`);
});

Deno.test("a recording that breaks off in a line is replayed up to there", async () => {
  await using folder = new Folder();
  const recording = await RecordingFile.open({ path: folder.file });
  comes(recording.begin({ cluster, isHashed: false }), { members: 10 });
  await recording.close();
  const text = await Deno.readTextFile(folder.file);
  await Deno.writeTextFile(folder.file, text.slice(0, -20));
  const { code, out } = await replay(folder.file);
  assertEquals(code, 0);
  assertStringIncludes(
    out,
    "9 decisions about 1 gang groups: 0 are others today; the recording misses 1",
  );
});

Deno.test("what comes faster than the disk takes it is missed, said so, and does not grow", async () => {
  await using folder = new Folder();
  const recording = await RecordingFile.open({ path: folder.file });
  const decisions = recording.begin({ cluster, isHashed: false });
  comes(decisions, { members: 1000, says: "so ".repeat(10_000) });
  assertEquals(recording.isOpen, false);
  await recording.close();
  const lines = (await readRecording(folder.file)).map(({ line }) => line);
  const missed = lines.find((line) => "missed" in line);
  assert(missed && "missed" in missed && missed.missed > 100, JSON.stringify(missed));
  assertEquals((await replay(folder.file)).code, 0);
});

Deno.test("a recording has no password of a URL, and on request no names, and is replayed alike", async () => {
  await using folder = new Folder();
  const recording = await RecordingFile.open({ path: folder.file });
  const says = "the functions at https://user:secret@muster.example.com do not answer";
  comes(recording.begin({ cluster, isHashed: true }), { members: 3, says });
  comes(recording.begin({ cluster, isHashed: false }), { members: 3, says });
  await recording.close();
  const [, hashed = "", plain = ""] = (await Deno.readTextFile(folder.file)).split(`{"recording"`);
  assertEquals(plain.includes("secret"), false);
  assertStringIncludes(plain, "https://muster.example.com");
  for (const name of ["secret", "example.com", "uid-0", "member-1", "default"]) {
    assertEquals(hashed.includes(name), false, name);
  }
  assertEquals((await replay(folder.file)).code, 0);
});

Deno.test("replay: says what is wrong with what it is given", async () => {
  await using folder = new Folder();
  const recording = await RecordingFile.open({ path: folder.file });
  comes(recording.begin({ cluster, isHashed: false }), { members: 2 });
  await recording.close();
  const other = join(folder.dir, "other");
  await Deno.writeTextFile(other, `{"recording":99}\n`);
  const none = ["", "# Muster\n", "5\n", '{"group":"default/a"}\n'].map((text, index) => {
    const file = join(folder.dir, `none-${index}`);
    Deno.writeTextFileSync(file, text);
    return [[file], 1, `Cannot read the recording "${file}": its first line must be`] as const;
  });
  for (
    const [args, exitCode, says] of [
      ...none,
      [[join(folder.dir, "none")], 1, "Cannot read the recording"],
      [[other], 1, "the recording is of version 99"],
      [[folder.file, "--gang", "default/other"], 3, `no gang "default/other"`],
      [[], 2, "missing required argument"],
    ] as const
  ) {
    const { code, err } = await replay(...args);
    assertEquals(code, exitCode);
    assertStringIncludes(err, says);
  }
});

Deno.test("start --record: what a relay decides is replayed alike, and a gang's story told", async () => {
  await using folder = new Folder();
  const sandbox = await startSandbox();
  await using child = new ServingChild();
  try {
    const args = ["run", "-A", "--no-check", "cli/start.ts", "--port=0"];
    const from = `--kubeconfig=${sandbox.kubeconfigPath}`;
    await child.start([...args, from, `--record=${folder.file}`], {
      MUSTER_RECORD_HASHED: "false",
    });
    const labels = { gang: { name: "big", minAvailable: 5 }, spec: { schedulerName: "muster" } };
    await sandbox.createPod(podOf("big-0", labels));
    await untilReady(async () => (await child.ask("/v1/gangs")).gangs.length === 1, {
      what: "the gang",
      signal: new AbortController().signal,
    });
    await child.process!.kill("SIGTERM");
    assertEquals((await child.process!.exited).code, 0);
    const { code, out } = await replay(folder.file, "--gang", "default/big");
    assertEquals(code, 0, out);
    for (const told of ["a member came", "ask prefilter", "answer: reject, MembersMissing"]) {
      assertStringIncludes(out, told);
    }
    assertStringIncludes(out, "0 are others today");
  } finally {
    await sandbox.stop();
  }
});

Deno.test("start --record: a file that can not be written stops the start with a reason", async () => {
  const sandbox = await startSandbox();
  const { code, stderr } = await childDeno([
    ...["run", "-A", "--no-check", "cli/start.ts", `--kubeconfig=${sandbox.kubeconfigPath}`],
    "--record=/nonexistent/folder/file",
  ], { cwd: root, stdout: "null", stderr: "piped" }).output();
  await sandbox.stop();
  assertEquals(code, 1);
  assertStringIncludes(
    new TextDecoder().decode(stderr),
    `Cannot record to "/nonexistent/folder/file"`,
  );
});
