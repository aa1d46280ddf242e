import { assert, assertLessOrEqual } from "@std/assert";
import { type AuditEvent, relayUser } from "../../../tools/control_plane/audit.ts";
import { untilGang } from "../support/gangs.ts";
import { auditOf } from "../support/invariants.ts";
import { metricOf } from "../support/metrics.ts";
import { type Cluster, onCluster, progress } from "../support/on_cluster.ts";
import { needsAnchor, whyPending } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 64 } }));
const gated = { schedulingGates: [{ name: "muster.scheduling/queued" }] };
const sizes = [2, 16, 64];
/** Events, and what else is written for a gang whatever its size. */
const fewPerGang = 4;
/** How often room comes and goes while a gang waits. */
const changes = 40;

/** What the relay wrote in a namespace. */
async function writesIn({ cluster, space }: { cluster: Cluster; space: Space }): Promise<string[]> {
  const events = await auditOf(cluster.controlPlane);
  return events.filter((event) => isWrite(event, space.name))
    .map(({ verb, objectRef }) =>
      [verb, objectRef?.resource, objectRef?.subresource, objectRef?.name].join(" ")
    );
}

function isWrite({ user, verb, objectRef }: AuditEvent, namespace: string): boolean {
  return user.username === relayUser && objectRef?.namespace === namespace &&
    !["get", "list", "watch"].includes(verb);
}

/** The writes about a gang's members. */
function about(writes: readonly string[], gang: string): string[] {
  return writes.filter((write) => write.includes(` ${gang}-`));
}

for (const size of sizes) {
  scenario(
    `a gang of ${size} costs at most two writes a member: its binding, and its gate or what wakes it`,
    async (context) => {
      const { space } = context;
      await space.createGang("free", { size, gpus: 1 });
      await space.untilBound(membersOf("free", size));
      await space.delete(...membersOf("free", size));
      await space.createGang("gated", { size, gpus: 1, spec: gated });
      await space.untilBound(membersOf("gated", size));
      await space.delete(...membersOf("gated", size));
      const gang = { name: "woken", minAvailable: size };
      const [last = "", ...rest] = membersOf("woken", size);
      await Promise.all(rest.map((name) => space.create(name, { gpus: 1, gang })));
      await space.until(
        "all that are there are refused",
        (pods) => pods.filter(whyPending).length === size - 1,
      );
      await space.create(last, { gpus: 1, gang });
      await space.untilBound(membersOf("woken", size));
      const writes = await writesIn(context);
      for (const name of ["free", "gated", "woken"]) {
        const own = about(writes, name);
        progress(`${name}, ${size} members: ${own.length} writes`);
        assertLessOrEqual(own.length, 2 * size + fewPerGang, `${name}: ${tally(own)}`);
        assert(own.length >= size, `${name}: ${tally(own)}`);
      }
    },
  );
}

scenario(
  "a round that fails costs at most two writes a member, and so does waiting then",
  async (context) => {
    const { cluster, space } = context;
    const roundsOf = () =>
      metricOf(cluster.muster.url, "muster_relay_round_duration_seconds_count");
    const before = await roundsOf();
    const gang = { name: "torn", minAvailable: 3 };
    const [last = "", ...rest] = membersOf("torn", 3);
    for (const name of rest) await space.create(name, { gpus: 1, gang });
    await space.create(last, { gpus: 1, gang, spec: needsAnchor });
    const lacks = "short of nodes that the scheduler takes its members on";
    await untilGang(
      cluster.muster.url,
      `${space.name}/torn`,
      ({ message }) => message.includes(lacks),
    );
    const rounds = await roundsOf() - before;
    assert(rounds > 0, "a round has failed");
    const own = about(await writesIn(context), "torn");
    progress(`torn, 3 members, ${rounds} rounds: ${own.length} writes`);
    assertLessOrEqual(own.length, 2 * 3 * (rounds + 1) + fewPerGang, tally(own));
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.untilBound(membersOf("torn", 3));
  },
);

for (
  const [where, spec] of [["in the scheduler's queue", {}], ["behind the gate", gated]] as const
) {
  scenario(
    `a gang that waits ${where} costs no more for every change of the cluster's room`,
    async (context) => {
      const { cluster, space } = context;
      const size = 16;
      await space.create("full", { gpus: 56 });
      await space.untilBound(["full"]);
      await space.createGang("waiting", { size, gpus: 1, spec });
      const id = `${space.name}/waiting`;
      await untilGang(cluster.muster.url, id, ({ reason }) => reason === "InsufficientResources");
      const since = Date.now();
      for (let change = 0; change < changes; change += 2) {
        // A name of its own for each: what deletes a pod for its kubelet may come late, and hit its successor.
        const guest = `guest-${change}`;
        await space.create(guest, { gpus: 1 + change % 7 });
        await space.untilBound([guest]);
        await space.delete(guest);
      }
      const own = about(await writesIn(context), "waiting");
      progress(`${where}: ${own.length} writes in ${Date.now() - since} ms`);
      // A member's sentence may be put right in the meantime, but not at every change.
      assertLessOrEqual(own.length, size * changes / 8, tally(own));
      await space.delete("full");
      await space.untilBound(membersOf("waiting", size));
    },
  );
}

/** How often each kind of write came, for messages. */
function tally(writes: readonly string[]): string {
  const kinds = Map.groupBy(writes, (write) => write.split(" ").slice(0, 3).join(" "));
  return JSON.stringify([...kinds].map(([kind, all]) => `${kind}: ${all.length}`));
}
