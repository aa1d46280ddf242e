import { type Declaration, encodeMembers, gangOf, type LoadClient } from "./load_client.ts";
import type { GangRecord } from "./run_record.ts";
import type { Gang, Work } from "./work.ts";
import { sleep } from "../sleep.ts";

/** Requests that create pods at the same time. */
const CREATORS = 24;
/** A run is given up when nothing was bound for this long after the last pod was created. */
const GIVE_UP_MS = 30_000;

/** What a run of a work leaves; times are of `performance.now()`. */
export interface WorkRun {
  startedAt: number;
  endedAt: number;
  isStuck: boolean;
  /** In the order of their creation. */
  gangs: GangRecord[];
  impossible?: GangRecord;
}

/** Lives through one work. Calls `started` when the clock starts and `ended` when it stops; leaves no pod behind. */
export async function runWork(
  work: Work,
  options: {
    client: LoadClient;
    declaration: Declaration;
    started: () => void | Promise<void>;
    ended: () => void | Promise<void>;
  },
): Promise<WorkRun> {
  return await new WorkRunner(work, options).run();
}

class WorkRunner {
  readonly #work: Work;
  readonly #options: Parameters<typeof runWork>[1];
  readonly #gangs = new Map<string, GangRecord>();
  readonly #deletions: Promise<void>[] = [];
  readonly #allBound = Promise.withResolvers<void>();
  #toBind: number;
  /** What is bound while pods are deleted to tidy up does not count. */
  #isOver = false;
  #lastBoundAt = 0;

  constructor(work: Work, options: Parameters<typeof runWork>[1]) {
    this.#work = work;
    this.#options = options;
    this.#toBind = work.gangs.reduce((sum, { size }) => sum + size, 0);
  }

  async run(): Promise<WorkRun> {
    const { client, declaration, started, ended } = this.#options;
    const { gangs, impossible } = this.#work;
    const watching = new AbortController();
    const watch = client.watchBound((name) => this.#bound(name), watching.signal);
    const bodies = gangs.map((gang) => encodeMembers(gang, declaration));
    if (impossible) await this.#create([impossible], [encodeMembers(impossible, declaration)]);

    await started();
    const startedAt = performance.now();
    await Promise.race([watch, this.#create(gangs, bodies)]);
    const isStuck = await Promise.race([watch, this.#untilBoundOrStuck()]) ?? false;
    const endedAt = isStuck ? performance.now() : this.#lastBoundAt;
    this.#isOver = true;
    await ended();

    await Promise.all(this.#deletions);
    await client.deleteAll();
    watching.abort();
    await watch;
    const records = gangs.map(({ name }) => this.#gangs.get(name) as GangRecord);
    return {
      startedAt,
      endedAt,
      isStuck,
      gangs: records,
      ...(impossible && { impossible: this.#gangs.get(impossible.name) as GangRecord }),
    };
  }

  /** Creates gang after gang, with several requests under way at any time. */
  async #create(gangs: Gang[], bodies: Uint8Array<ArrayBuffer>[][]): Promise<void> {
    const { client, declaration } = this.#options;
    const members = gangs.flatMap((gang, index) =>
      (bodies[index] ?? []).map((body) => ({ gang, body }))
    );
    for (const gang of gangs) this.#gangs.set(gang.name, newRecord(gang));
    const podGroups = new Map<Gang, Promise<void>>();
    let next = 0;
    const createSome = async () => {
      for (let member = members[next++]; member; member = members[next++]) {
        const { gang, body } = member;
        if (declaration.podGroups) {
          if (!podGroups.has(gang)) podGroups.set(gang, client.createPodGroup(gang));
          await podGroups.get(gang);
        }
        const { creationTimestamp, resourceVersion } = await client.createPod(body);
        const record = this.#gangs.get(gang.name) as GangRecord;
        record.completedRevision = Math.max(record.completedRevision, Number(resourceVersion));
        if (record.creationTimestamp === "" || creationTimestamp < record.creationTimestamp) {
          record.creationTimestamp = creationTimestamp;
        }
      }
    };
    await Promise.all(Array.from({ length: CREATORS }, createSome));
  }

  #bound(podName: string): void {
    const gang = this.#gangs.get(gangOf(podName));
    if (gang === undefined || this.#isOver) return;
    this.#lastBoundAt = performance.now();
    gang.boundAt.push(this.#lastBoundAt);
    if (gang.name === this.#work.impossible?.name) return;
    const { holdMs } = this.#work;
    if (gang.boundAt.length === gang.size && holdMs !== undefined) {
      this.#deletions.push(this.#deleteAfter(holdMs, gang));
    }
    this.#toBind--;
    if (this.#toBind === 0) this.#allBound.resolve();
  }

  async #deleteAfter(holdMs: number, gang: GangRecord): Promise<void> {
    const { client } = this.#options;
    await sleep(holdMs);
    await Promise.all(Array.from({ length: gang.size }, async (_, index) => {
      gang.deletedAt.push(performance.now());
      await client.deletePod(`${gang.name}-${index}`);
    }));
  }

  /** Whether nothing was bound for so long that waiting longer is in vain. */
  async #untilBoundOrStuck(): Promise<boolean> {
    const stuck = Promise.withResolvers<boolean>();
    const since = performance.now();
    const timer = setInterval(() => {
      const last = Math.max(since, this.#lastBoundAt);
      if (performance.now() - last > GIVE_UP_MS) stuck.resolve(true);
    }, 500);
    try {
      return await Promise.race([stuck.promise, this.#allBound.promise.then(() => false)]);
    } finally {
      clearInterval(timer);
    }
  }
}

function newRecord(gang: Gang): GangRecord {
  return { ...gang, completedRevision: 0, creationTimestamp: "", boundAt: [], deletedAt: [] };
}
