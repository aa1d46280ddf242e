import { assertEquals, assertThrows } from "@std/assert";
import { settingFields, settingsFrom } from "../../shared/contract/settings.ts";
import { profiles } from "../../shared/core/gang/settings.ts";

for (const [name, profile] of Object.entries(profiles)) {
  Deno.test(`settings: profile ${name}`, () => {
    assertEquals(settingsFrom({ MUSTER_PROFILE: name }), profile);
  });
}

Deno.test("settings: no variable is the default profile", () => {
  assertEquals(settingsFrom({}), profiles.default);
});

Deno.test("settings: every setting of a profile can be given alone", () => {
  assertEquals(settingFields.map(({ name }) => name).sort(), Object.keys(profiles.default).sort());
  const variables = {
    MUSTER_PROFILE: "sigs",
    MUSTER_QUEUE_TIME: "failure",
    MUSTER_GANG_SWITCH: "true",
    MUSTER_MATCH_POLICY: "only-waiting",
    MUSTER_WAIT_SECONDS: "90",
    MUSTER_PARK_AFTER_TIMEOUT: "true",
    MUSTER_MEMBER_FAILURE: "fail-round",
    MUSTER_CLOSED_SECONDS: "2.5",
    MUSTER_BACKFILL: "easy-4",
  };
  assertEquals(
    Object.keys(variables).slice(1).sort(),
    settingFields.map(({ variable }) => variable).sort(),
  );
  assertEquals(settingsFrom(variables), {
    queueTime: "failure",
    gangSwitch: true,
    matchPolicy: "only-waiting",
    waitSeconds: 90,
    parkAfterTimeout: true,
    memberFailure: "fail-round",
    closedSeconds: 2.5,
    backfill: "easy-4",
  });
});

Deno.test("settings: each has a flag and a variable", () => {
  assertEquals(
    settingFields.map(({ flag, variable }) => [flag, variable]).slice(0, 2),
    [["--queue-time", "MUSTER_QUEUE_TIME"], ["--gang-switch", "MUSTER_GANG_SWITCH"]],
  );
});

Deno.test("settings: everything that is wrong is named at once", () => {
  const error = assertThrows(() =>
    settingsFrom({
      MUSTER_PROFILE: "fancy",
      MUSTER_WAIT_SECONDS: "0",
      MUSTER_GANG_SWITCH: "yes",
      MUSTER_CLOSED_SECONDS: "soon",
      MUSTER_BACKFILL: "easy-0",
    }), RangeError) as RangeError;
  for (
    const name of [
      "MUSTER_PROFILE",
      "MUSTER_WAIT_SECONDS",
      "MUSTER_GANG_SWITCH",
      "MUSTER_CLOSED_SECONDS",
      "MUSTER_BACKFILL",
    ]
  ) {
    assertEquals(error.message.includes(`${name} is "`), true, error.message);
  }
});
