import { assert, assertEquals, assertMatch } from "@std/assert";
import { childDeno } from "../../../tools/child_deno.ts";
import { untilGang } from "../support/gangs.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { untilMetric } from "../support/metrics.ts";
import { membersOf } from "../support/space.ts";
import { until } from "../support/until.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4 },
  muster: { extraArgs: ["--backfill=easy"] },
}));

const expected = (duration: string) => ({ "muster.scheduling/expected-duration": duration });

const root = new URL("../../..", import.meta.url).pathname;

/** Runs `kubectl muster` in a folder. */
async function muster(cluster: Cluster, args: string[], cwd = root): Promise<string> {
  const { stdout } = await childDeno(["run", "-A", `${root}cli/muster.ts`, ...args], {
    cwd,
    env: {
      KUBECONFIG: cluster.controlPlane.kubeconfig,
      MUSTER_URL: cluster.muster.url,
      NO_COLOR: "1",
    },
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

scenario(
  "a gang that waits is told when it starts, on its pods too, and why; who ends before passes it",
  async ({ cluster, space }) => {
    const long = `${space.name}/long`;
    await space.createGang("long", { size: 3, gpus: 1, annotations: expected("1h") });
    await space.untilBound(membersOf("long", 3));
    await space.createGang("next", { size: 4, gpus: 1, annotations: expected("30m") });
    const start =
      /it is expected to start at \d{4}-\d\d-\d\d \d\d:\d\d UTC, after gang (\S+) has ended/;
    await space.until(
      "the waiting gang says when it starts",
      (pods) =>
        pods.filter(({ metadata }) => metadata.name.startsWith("next-")).every((pod) =>
          start.exec(JSON.stringify(pod["status"].conditions))?.[1] === long
        ),
    );
    const { estimate, runTime } = await untilGang(
      cluster.muster.url,
      `${space.name}/next`,
      ({ estimate }) => estimate !== undefined,
    );
    assertEquals(estimate!.after, long);
    assertEquals(runTime, { seconds: 1800, source: "declared" });
    const running = await untilGang(
      cluster.muster.url,
      long,
      ({ startedAt }) => startedAt !== undefined,
    );
    const promised = Date.parse(estimate!.startsAt);
    const ends = Date.parse(running.startedAt!) + 3600_000;
    assert(promised >= ends && promised <= ends + 600_000, `${estimate!.startsAt} is not near`);

    const story = await muster(cluster, ["explain", "next", "-n", space.name]);
    assertMatch(story, new RegExp(`starts: +\\d{4}.* UTC, after gang ${long} has +ended`));
    assertMatch(story, /runs: +30 min, as it declares/);
    assertMatch(
      await muster(cluster, ["queue", "-n", space.name]),
      /^1 +next +0\/4 +\d+s +in \d+ min/m,
    );

    await space.createGang("short", { size: 1, gpus: 1, annotations: expected("5m") });
    await space.untilBound(["short-0"]);
    await space.createGang("late", { size: 1, gpus: 1, annotations: expected("3h") });
    await space.delete("short-0");
    await space.untilTold(["late-0"], "waits behind gang");

    await space.delete(...membersOf("long", 3));
    await space.untilBound(membersOf("next", 4));
    await untilMetric(cluster.muster.url, "muster_relay_promised_start_error_seconds_count", 1);
  },
);

scenario(
  "a duration that is none keeps no gang from running, and its pods' events say so",
  async ({ cluster, space }) => {
    await space.createGang("wrong", { size: 2, gpus: 1, annotations: expected("soon") });
    await space.untilBound(membersOf("wrong", 2));
    const path = `/api/v1/namespaces/${space.name}/events`;
    const events = await cluster.controlPlane.api.watchUntil(
      path,
      (events) =>
        events.some((event) => String(event["note"] ?? event["message"]).includes("soon")),
      { timeoutMs: 30_000 },
    );
    assertMatch(JSON.stringify(events), /is \\"soon\\", but must be a duration above 0/);
  },
);

scenario(
  "what a cluster's gangs did is written, and replayed by other rules",
  async ({ cluster, space }) => {
    await space.createGang("ran", { size: 2, gpus: 1 });
    await space.untilBound(membersOf("ran", 2));
    await space.untilRunning(membersOf("ran", 2));
    await untilGang(
      cluster.muster.url,
      `${space.name}/ran`,
      ({ startedAt }) => startedAt !== undefined,
    );
    await space.delete(...membersOf("ran", 2));
    await untilRan(cluster, "ran");
    await space.createGang("runs", { size: 3, gpus: 1, annotations: expected("1h") });
    await space.untilBound(membersOf("runs", 3));
    await untilGang(
      cluster.muster.url,
      `${space.name}/runs`,
      ({ startedAt }) => startedAt !== undefined,
    );
    const folder = await Deno.makeTempDir();
    try {
      const told = await muster(cluster, ["export", "past"], folder);
      assertMatch(told, /^past\/gangs.csv: \d+ gangs\npast\/nodes.csv: 1 nodes$/m);
      const replay = ["past/gangs.csv", "--nodes", "past/nodes.csv", "--backfill", "timed,easy"];
      const { code, stderr } = await childDeno(
        ["run", "-A", `${root}cli/replay_trace.ts`, ...replay],
        { cwd: folder, stdin: "null" },
      ).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

/** Resolves when the store remembers that a gang of this name ran; only asking tells. */
async function untilRan(cluster: Cluster, name: string): Promise<void> {
  await until(`the store remembers that "${name}" ran`, async () => {
    const response = await fetch(`${cluster.muster.url}/v1/runs`);
    const { runs } = await response.json();
    return runs.some((run: { name: string }) => run.name === name);
  });
}
