import { assert, assertEquals } from "@std/assert";
import { auditOf } from "../support/invariants.ts";
import { metricOf, untilHeld } from "../support/metrics.ts";
import { onCluster, progress } from "../support/on_cluster.ts";
import { type Pair, type PairOptions, Pairs, writesOf } from "../support/pairs.ts";
import { isBound, koordinatorAnnotations, needsAnchor, whyPending } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";
import { until } from "../support/until.ts";
import { withoutHostnames } from "../support/without_hostnames.ts";

/** One member that finds no node does not end its round: those that are held stay so. */
const annotations = koordinatorAnnotations({
  name: "train",
  "min-available": "3",
  mode: "NonStrict",
});
const members = membersOf("train", 3);
const [first, second, last] = members as [string, string, string];

/**
 * What must hold of two schedulers, each with its relay, when the leading one goes; `stores` says what the relays keep their
 * gangs in, and `before` runs first.
 */
export async function testHandOver(
  stores: string,
  optionsOf: PairOptions,
  before: () => Promise<void> = async () => {},
): Promise<void> {
  const pairs = new Pairs();
  const scenario = onCluster(async () => {
    await before();
    return pairs.options(optionsOf);
  }, { ignore: await withoutHostnames() });

  /** A half held gang is brought up whole by the other pair, whose relay has written nothing before. */
  function handsOver(what: string, take: (leading: Pair) => Promise<() => Promise<void>>): void {
    scenario(`${stores}: ${what}`, async ({ cluster, space }) => {
      const { leading, standby } = await pairs.roles();
      await holdTwo(space, leading);
      const takenAt = Date.now();
      const afterwards = await take(leading);
      await pairs.untilLeads(standby);
      await space.create("anchor", { labels: { app: "anchor" } });
      await space.untilBound(members);
      await afterwards();
      await pairs.revive();
      const events = await auditOf(cluster.controlPlane);
      const written = writesOf(standby, { events, namespace: space.name });
      const early = written.filter((event) => Date.parse(event.requestReceivedTimestamp) < takenAt);
      assertEquals(early, [], "the relay that stood by wrote");
      const bound = written.filter(({ objectRef }) => objectRef?.subresource === "binding")
        .map(({ objectRef }) => objectRef?.name);
      assert(members.every((name) => bound.includes(name)), `bound by the other: ${bound}`);
    });
  }

  handsOver("the leading scheduler is killed while a gang is half held", async (leading) => {
    await leading.scheduler.kill();
    return () => untilHeld(leading.muster.url, 0);
  });

  handsOver(
    "the leading scheduler and its relay are killed at once while a gang is half held",
    async ({ scheduler, muster }) => {
      await Promise.all([scheduler.kill(), muster.kill()]);
      return async () => {};
    },
  );

  handsOver(
    "the leading scheduler stops for longer than its lease while a gang is half held, and wakes when the other has bound it",
    ({ scheduler, muster }) => {
      const { process } = scheduler;
      Deno.kill(process.pid, "SIGSTOP");
      return Promise.resolve(async () => {
        // Its calls are still open, but its relay does not stand for them any more.
        await untilHeld(muster.url, 0);
        Deno.kill(process.pid, "SIGCONT");
        // kube-scheduler ends when it finds that it has lost the lease.
        await process.exited;
      });
    },
  );

  scenario(
    `${stores}: the leading scheduler and its relay are killed while a gang is being bound: the other binds the rest`,
    async ({ space }) => {
      const { leading, standby } = await pairs.roles();
      await space.createGang("large", { size: 100 });
      let killed: Promise<unknown> | undefined;
      await space.until("the first member is bound", (pods) => {
        if (pods.some(isBound)) {
          killed = Promise.all([leading.muster.kill(), leading.scheduler.kill()]);
        }
        return killed !== undefined;
      });
      await killed;
      progress(`hand-over: killed with ${(await space.bound()).length} of 100 bound`);
      await pairs.untilLeads(standby);
      await space.untilBound(membersOf("large", 100));
      await pairs.revive();
    },
  );
}

/**
 * Creates a gang of three times two GPUs whose last member can not be placed; resolves when the other two are held. All come
 * with Muster's gate, so that whatever relay acts for them has to write.
 */
async function holdTwo(space: Space, { muster }: Pair): Promise<void> {
  const schedulingGates = [{ name: "muster.scheduling/queued" }];
  let isHeld = false;
  while (!isHeld) {
    for (const name of [first, second]) {
      await space.create(name, { gpus: 2, annotations, spec: { schedulingGates } });
    }
    await space.create(last, { gpus: 2, annotations, spec: { schedulingGates, ...needsAnchor } });
    // The gates are removed at once: where the scheduler comes to the last one first, the gang is refused and holds nothing.
    await until("a gang of which two are held, or that is refused", async () => {
      isHeld = await metricOf(muster.url, "muster_relay_held_calls") === 2;
      return isHeld || await isRefused(space);
    });
    if (!isHeld) await space.delete(...members);
  }
}

async function isRefused(space: Space): Promise<boolean> {
  return (await space.pods()).some((pod) => whyPending(pod)?.includes("needs room for"));
}
