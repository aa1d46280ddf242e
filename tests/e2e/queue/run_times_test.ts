import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { type Muster, startMuster } from "../../../tools/control_plane/muster.ts";
import { gangAt, untilGang } from "../support/gangs.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { isBound } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

// Minutes where the rows of placement.md have seconds: nobody has to wait for an end, and what a start takes does not matter.
const scenario = onCluster(() => ({
  nodes: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`node-${at}`, 1])),
  muster: { extraArgs: ["--backfill=easy"] },
  // Nobody is evicted: what is higher waits too, before the others.
  started: async ({ controlPlane }) => {
    await controlPlane.api.create("/apis/scheduling.k8s.io/v1/priorityclasses", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "first" },
      value: 2000,
      preemptionPolicy: "Never",
    });
  },
}));

const queue = "a 8/60, b 10/60, c 12/60, d 14/60, e 16/60, f 6/121, g 4/179, h 4/239, i 2/239, " +
  "j 2/299, k 2/59";
const long = "a 8/360, b 16/360, c 16/360, d 16/360, e 2/180";

/** Members by job. */
type Sizes = Record<string, number>;

async function createJob(
  space: Space,
  name: string,
  { what, spec }: { what: string; spec?: object },
): Promise<void> {
  const [size, minutes] = what.split("/");
  await space.createGang(name, {
    size: Number(size),
    gpus: 1,
    ...(minutes && { annotations: { "muster.scheduling/expected-duration": `${minutes}m` } }),
    ...(spec && { spec }),
  });
}

let last: Muster | undefined;

/** What happens while there is no Muster happens at once for the next one, which has this rule. */
async function atOnce(
  { rule, cluster: { muster, controlPlane } }: { rule: string; cluster: Cluster },
  happens: () => Promise<unknown>,
): Promise<void> {
  await (last ?? muster).kill("SIGTERM");
  await happens();
  const port = Number(new URL(muster.url).port);
  last = await startMuster(controlPlane, { port, extraArgs: [`--backfill=${rule}`] });
}

/** Jobs come one after another, and are planned together. */
async function submit(
  text: string,
  { rule, cluster, space }: { rule: string; cluster: Cluster; space: Space },
): Promise<Sizes> {
  const sizes: Sizes = {};
  await atOnce({ rule, cluster }, async () => {
    for (const each of text.split(", ")) {
      const [name, what] = each.split(" ") as [string, string];
      sizes[name] = Number(what.split("/")[0]);
      await createJob(space, name, { what });
    }
  });
  return sizes;
}

/** Resolves when all members of these jobs are bound; nobody else is. */
async function untilRunning(space: Space, { names, sizes }: { names: string[]; sizes: Sizes }) {
  await space.untilBound(names.flatMap((name) => membersOf(name, sizes[name]!)));
  const bound = (await space.pods()).filter(isBound).map(({ metadata }) =>
    metadata.name.replace(/-\d+$/, "")
  );
  assertEquals([...new Set(bound)].sort(), names);
}

/** The start that a job is promised, in ms since the epoch. */
async function promised(name: string, { url, space }: { url: string; space: Space }) {
  const gang = await untilGang(url, `${space.name}/${name}`, ({ estimate }) => !!estimate);
  return Date.parse(gang.estimate!.startsAt);
}

scenario(
  "PL-B1: who leaves the room that is reserved for the first may pass",
  async ({ cluster, space }) => {
    const sizes = await submit(queue, { rule: "easy", cluster, space });
    await untilRunning(space, { names: ["a", "f", "k"], sizes });
    await atOnce({ rule: "easy", cluster }, () => space.delete(...membersOf("f", 6)));
    await untilRunning(space, { names: ["a", "g", "i", "k"], sizes });
  },
);

scenario(
  "PL-B4, PL-B8: the first is promised a start, until a higher priority takes it over",
  async ({ cluster, space }) => {
    const { url } = cluster.muster;
    const sizes = await submit(long, { rule: "easy", cluster, space });
    await untilRunning(space, { names: ["a", "e"], sizes });
    await promised("b", { url, space });
    for (const name of ["c", "d"]) {
      const gang = await gangAt(url, `${space.name}/${name}`);
      assertEquals(gang?.estimate, undefined, name);
    }
    await createJob(space, "urgent", { what: "16/100", spec: { priorityClassName: "first" } });
    await promised("urgent", { url, space });
    await untilGang(url, `${space.name}/b`, ({ estimate }) => !estimate);
  },
);

scenario(
  "PL-B9: who would delay what is reserved waits, and starts when that falls behind it",
  async ({ cluster: { muster: { url } }, space }) => {
    const fillers = Array.from({ length: 5 }, (_, at) => `filler-${at}`);
    await Promise.all(
      fillers.map((name) => space.create(name, { gpus: 1 })),
    );
    await space.untilBound(fillers);
    await createJob(space, "runs", { what: "1/300" });
    await space.untilBound(["runs-0"]);
    await createJob(space, "large", { what: "11", spec: { priorityClassName: "first" } });
    await promised("large", { url, space });
    await createJob(space, "small", { what: "1/400", spec: { priorityClassName: "low" } });
    await space.untilTold(["small-0"], "waits behind gang");
    await space.delete(...membersOf("large", 11));
    await createJob(space, "large", { what: "11" });
    await space.untilBound(["small-0"]);
    assertEquals(await space.bound(), [...fillers, "runs-0", "small-0"]);
  },
);

scenario("PL-B2: reservations for three leave less to pass in", async ({ cluster, space }) => {
  const sizes = await submit(queue, { rule: "easy-3", cluster, space });
  await untilRunning(space, { names: ["a", "g", "k"], sizes });
  await atOnce({ rule: "easy-3", cluster }, () => space.delete(...membersOf("g", 4)));
  await untilRunning(space, { names: ["a", "i", "k"], sizes });
});

scenario("PL-B6: all are promised a start, one after another", async ({ cluster, space }) => {
  const { url } = cluster.muster;
  const sizes = await submit(long, { rule: "conservative", cluster, space });
  await untilRunning(space, { names: ["a", "e"], sizes });
  const starts: number[] = [];
  for (const name of ["b", "c", "d"]) starts.push(await promised(name, { url, space }));
  // What is told is rounded up, to an hour at most.
  const least = (360 - 60) * 60_000;
  assertGreaterOrEqual(starts[1]! - starts[0]!, least);
  assertGreaterOrEqual(starts[2]! - starts[1]!, least);
});
