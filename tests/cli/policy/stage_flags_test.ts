import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Command } from "commander";
import { addStages, namedStages, type StageFlags } from "../../../cli/policy/stage_flags.ts";

function flagsOf(...args: string[]): StageFlags {
  const command = addStages(new Command("start")).exitOverride().configureOutput({
    writeErr: () => {},
  });
  return command.parse(args, { from: "user" }).opts();
}

const url = "https://policy.example.com";

Deno.test("stage flags: each stage has its own address, time and failure", async () => {
  const { own, shadows } = await namedStages(
    flagsOf(
      `--stage-url=queue-sort=${url}/v1/queue-sort`,
      `--stage-url=admit=${url}/team/`,
      "--stage-timeout=admit=1m",
      "--stage-failure=queue-sort=wait",
      `--shadow-stage=permit=${url}?a=b`,
    ),
    () => {},
  );
  assertEquals(own, [
    { stage: "queue-sort", url, timeoutMs: 2000, failureMode: "wait" },
    { stage: "admit", url: `${url}/team`, timeoutMs: 60_000, failureMode: "wait" },
  ]);
  assertEquals(shadows, [{ stage: "permit", url: `${url}?a=b`, timeoutMs: 2000 }]);
});

Deno.test("stage flags: what can not be used is refused, and a credential is not repeated", async (t) => {
  const bad: [string, string, RegExp][] = [
    ["no stage", `--stage-url=${url}`, /is not <stage>=<value> with one of queue-sort/],
    ["another stage", `--stage-url=score=${url}`, /"score=https/],
    ["no URL", "--stage-url=admit=policy", /"policy" is not an http or https URL/],
    ["too long", "--stage-timeout=admit=2h", /"2h" is not a duration up to 60s/],
    ["another mode", "--stage-failure=admit=allow", /"allow" is none of built-in, wait/],
  ];
  for (const [name, flag, message] of bad) {
    await t.step(name, () => {
      const error = assertThrows(() => flagsOf(flag), Error);
      assertEquals(message.test(error.message), true, error.message);
    });
  }
  await t.step("a stage without a URL", async () => {
    const flags = flagsOf("--stage-failure=admit=wait");
    const error = await assertRejects(() => namedStages(flags, () => {}), Error);
    assertEquals(
      error.message,
      '--stage-failure names stage "admit", which has no --stage-url: give both',
    );
  });
  await t.step("a credential", async () => {
    const flags = flagsOf("--stage-url=admit=https://me:secret@example.com");
    const error = await assertRejects(() => namedStages(flags, () => {}), Error);
    assertEquals(
      error.message,
      "The URL of stage admit holds a credential: use --stage-token-file",
    );
  });
  await t.step("a token that is none", async () => {
    const flags = flagsOf(`--stage-url=admit=${url}`, "--stage-token-file=admit=/dev/null");
    const error = await assertRejects(() => namedStages(flags, () => {}), Error);
    assertEquals(
      /^Cannot use the token for stage admit in "\/dev\/null"/.test(error.message),
      true,
    );
  });
});
