import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { relayTest } from "../../support/relay_world.ts";

const folder = fileURLToPath(new URL("../../../deploy/monitoring", import.meta.url));

/** Runs promtool; throws what it says unless it succeeds. */
async function check(args: string[], input = ""): Promise<void> {
  const child = new Deno.Command("promtool", {
    args,
    cwd: folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await new Blob([input]).stream().pipeTo(child.stdin);
  const { code, stdout, stderr } = await child.output();
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assertEquals(code, 0, `promtool ${args.join(" ")}: ${said}`);
}

async function hasPromtool(): Promise<boolean> {
  try {
    return (await new Deno.Command("promtool", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return false;
  }
}

/** It is part of Prometheus, which can not be had everywhere. */
const ignore = !await hasPromtool();

Deno.test(
  "the alert rules are what Prometheus reads",
  { ignore },
  () => check(["check", "rules", "alerts.yaml"]),
);

Deno.test(
  "each alert fires when it should, and a healthy system fires none",
  { ignore },
  () => check(["test", "rules", "alerts_test.yaml"]),
);

relayTest(
  "what a relay answers at /metrics follows Prometheus' rules of naming",
  { nodes: { "node-1": 4 }, ignore },
  async (world) => {
    await world.untilBound(await world.createGang("gang", { size: 2, gpus: 1 }));
    const text = await (await fetch(`${world.relay.url}/metrics`)).text();
    assert(text.includes("muster_relay_gang_bind_duration_seconds_bucket"), text);
    await check(["check", "metrics"], text);
  },
);
