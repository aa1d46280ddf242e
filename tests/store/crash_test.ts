import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import { join } from "node:path";
import { bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";
import { musterWorker, startWorkerd } from "../../cli/workerd.ts";
import { ServingChild } from "../functions/child.ts";
import { Chance } from "../../tools/chance.ts";
import { gang, group, pod } from "../support/facts.ts";

/** The functions over a store that is kept from start to start. */
interface Host {
  /** Starts it; gives its address. */
  start(): Promise<string>;
  /** Ends it without notice; resolves when it is gone. */
  kill(): Promise<unknown>;
}

type Answer = Record<string, unknown>;

/** What was asked about one gang, and what was acknowledged of it. */
interface Entry {
  readonly name: string;
  first?: Answer;
  second?: Answer;
}

const kills = 50;
const writers = 6;

/** A member is held: the answer's deadline is the time at which it was given. */
function firstCall(name: string) {
  return {
    path: "/v1/permit",
    body: group(gang({ name, minMember: 2, held: 1, pending: 1 })),
  };
}

/** Another one is lost: the answer's failedAt is the time at which it was given. */
function secondCall(name: string) {
  const { body } = firstCall(name);
  const lost = [{ pod: pod("lost"), cause: "aborted" }];
  return { path: "/v1/unreserve", body: { ...body, relay: { id: "relay", epoch: 2 }, lost } };
}

async function ask(url: string, { path, body }: { path: string; body: unknown }): Promise<Answer> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** Asks about one new gang after another until the host is gone. */
async function write(
  url: string,
  { round, journal, acknowledged }: {
    round: string;
    journal: Entry[];
    acknowledged: () => void;
  },
): Promise<void> {
  for (let n = 0;; n++) {
    const entry: Entry = { name: `${round}-${n}` };
    journal.push(entry);
    try {
      entry.first = await ask(url, firstCall(entry.name));
      acknowledged();
      entry.second = await ask(url, secondCall(entry.name));
      assert("deadline" in entry.first && "failedAt" in entry.second);
      acknowledged();
    } catch (error) {
      // The connection broke: whether the last call was stored is what nobody knows.
      if (!(error instanceof TypeError)) throw error;
      return;
    }
  }
}

/** What was acknowledged is there; a call that was cut off was stored whole or not at all. */
async function verify(
  url: string,
  { entry, startedAt }: { entry: Entry; startedAt: number },
): Promise<void> {
  const { name, first, second } = entry;
  if (second) return assertEquals(await ask(url, secondCall(name)), second, name);
  const again = await ask(url, firstCall(name));
  if (!first) return assertEquals(await ask(url, firstCall(name)), again, name);
  if (again.deadline === first.deadline) return assertEquals(again, first, name);
  const late = await ask(url, secondCall(name));
  assertEquals(late.verdict, "reject", name);
  assertLess(Date.parse(String(late.failedAt)), startedAt, `${name}: stored after the kill`);
}

async function survives(host: Host): Promise<void> {
  const chance = new Chance(20);
  const all: Entry[] = [];
  let acknowledgements = 0;
  for (let round = 0; round <= kills; round++) {
    const startedAt = Date.now();
    const url = await host.start();
    const last = all.filter(({ name }) => name.startsWith(`r${round - 1}-`));
    for (const entry of last) await verify(url, { entry, startedAt });
    if (round === kills) {
      for (const entry of all) if (entry.second) await verify(url, { entry, startedAt });
      break;
    }
    const killAt = chance.below(40) + 1;
    let left = killAt;
    let killed: Promise<unknown> | undefined;
    const acknowledged = () => {
      acknowledgements++;
      if (--left === 0) killed = host.kill();
    };
    const journals = Array.from({ length: writers }, (): Entry[] => []);
    await Promise.all(
      journals.map((journal, writer) =>
        write(url, { round: `r${round}-w${writer}`, journal, acknowledged })
      ),
    );
    assert(killed !== undefined);
    await killed;
    all.push(...journals.flat());
  }
  assertGreater(acknowledgements, kills * 10);
}

Deno.test(`crash: the embedded store keeps what it acknowledged through ${kills} kills`, async () => {
  await using child = new ServingChild();
  await survives({
    async start() {
      await child.start(["run", "-A", "--no-check", "functions/serve.ts", "--port", "0"]);
      return child.url;
    },
    kill: () => child.process!.kill("SIGKILL"),
  });
});

Deno.test(`crash: workerd keeps what it acknowledged through ${kills} kills`, async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-crash-" });
  const { worker } = await bundleWorkers({ worker: edgeEntries["worker"]! }, dir);
  const workers = { muster: { ...musterWorker, bundle: worker.path } };
  let workerd: Awaited<ReturnType<typeof startWorkerd>> | undefined;
  try {
    await survives({
      async start() {
        workerd = await startWorkerd({ dir: join(dir, "workerd"), workers });
        return workerd.urlOf("muster");
      },
      kill: () => workerd!.kill("SIGKILL"),
    });
  } finally {
    await workerd?.kill("SIGKILL");
    await Deno.remove(dir, { recursive: true });
  }
});
