import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { GateSwitch } from "../../relay/run/gate_switch.ts";
import { KubeError } from "../../shared/client/kube_api.ts";
import { gateLabel, type Write } from "../../shared/kubernetes/writes.ts";
import type { Metrics } from "../../relay/report/metrics.ts";

/** A switch under a clock of its own. `said`: what was written; `fail`: what the next write fails with. */
async function withSwitch(
  body: (world: {
    gateSwitch: GateSwitch;
    said: string[];
    fail: (error: Error) => void;
    pass: (ms: number) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  using time = new FakeTime();
  const said: string[] = [];
  const failures: Error[] = [];
  const gateSwitch = new GateSwitch({
    metrics: { writeFailed: () => {} } as unknown as Metrics,
    write: (write) => {
      const failure = failures.shift();
      if (failure) return Promise.reject(failure);
      said.push(write.path.endsWith("/muster-gate") ? gateIn(write) : write.path);
      return Promise.resolve();
    },
  });
  try {
    await body({
      gateSwitch,
      said,
      fail: (error) => failures.push(error),
      pass: (ms) => time.tickAsync(ms),
    });
  } finally {
    gateSwitch.pause(true);
  }
}

function gateIn({ body }: Write): string {
  return (body as { metadata: { labels: Record<string, string> } }).metadata.labels[gateLabel]!;
}

Deno.test("gate switch: what an earlier relay left is put right by the first look at the queue", () =>
  withSwitch(async ({ gateSwitch, said, pass }) => {
    gateSwitch.happened({ is: "planned", isQueueing: false });
    await pass(0);
    assertEquals(said, ["off"]);
    assertEquals(gateSwitch.isOn, false);
  }));

Deno.test("gate switch: it is on while gangs queue, and off only after a rest", () =>
  withSwitch(async ({ gateSwitch, said, pass }) => {
    for (const isQueueing of [true, true, false, true, false]) {
      gateSwitch.happened({ is: "planned", isQueueing });
      await pass(1000);
    }
    assertEquals(said, ["on"]);
    await pass(10_000);
    assertEquals(said, ["on", "off"]);
  }));

Deno.test("gate switch: a write that fails is tried again; one that is refused or finds nothing is not", () =>
  withSwitch(async ({ gateSwitch, said, fail, pass }) => {
    fail(new KubeError(500, { message: "etcd is on its knees" }));
    gateSwitch.happened({ is: "planned", isQueueing: true });
    await pass(0);
    assertEquals(said, []);
    await pass(5000);
    assertEquals(said, ["on"]);
    fail(new KubeError(403, { message: "forbidden" }));
    gateSwitch.happened({ is: "planned", isQueueing: false });
    await pass(60_000);
    assertEquals(said, ["on"]);
    assertEquals(gateSwitch.isOn, false);
    gateSwitch.happened({ is: "planned", isQueueing: true });
    await pass(0);
    assertEquals(said, ["on", "on"]);
  }));

Deno.test("gate switch: members without a gate let it write once more, now and then", () =>
  withSwitch(async ({ gateSwitch, said, pass }) => {
    gateSwitch.happened({ is: "missed" });
    gateSwitch.happened({ is: "planned", isQueueing: true });
    await pass(0);
    gateSwitch.happened({ is: "missed" });
    await pass(0);
    assertEquals(said, ["on"]);
    await pass(60_000);
    for (let member = 0; member < 64; member++) gateSwitch.happened({ is: "missed" });
    assertEquals(gateSwitch.isOn, true);
    await pass(0);
    for (let member = 0; member < 64; member++) gateSwitch.happened({ is: "missed" });
    await pass(0);
    assertEquals(said, ["on", "on"]);
  }));

Deno.test("gate switch: while another relay acts it writes nothing, and afterwards what is wanted then", () =>
  withSwitch(async ({ gateSwitch, said, pass }) => {
    gateSwitch.happened({ is: "planned", isQueueing: true });
    await pass(6000);
    gateSwitch.happened({ is: "planned", isQueueing: false });
    gateSwitch.pause(true);
    assertEquals(gateSwitch.isOn, false);
    gateSwitch.happened({ is: "missed" });
    await pass(60_000);
    assertEquals(said, ["on"]);
    gateSwitch.pause(false);
    gateSwitch.happened({ is: "planned", isQueueing: true });
    await pass(0);
    assertEquals(said, ["on", "on"]);
  }));
