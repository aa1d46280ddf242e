import { type ApiClient, ApiError, type KubernetesObject } from "../control_plane/api_client.ts";
import { type Gang, type Member, membersOf, podOf, quorumLabel, quorumOf } from "./gangs.ts";
import { sleep } from "../sleep.ts";

/** How often the pods are looked at, in ms. */
const lookMs = 400;
/** Gangs at a time: about three times as many as the cluster has room for. */
const mostLive = 40;

/** What became of a gang; times are milliseconds since the start of the run. */
export interface Tenancy {
  readonly gang: Gang;
  readonly createdAt: number;
  /** What its members' labels are to say; edits change it. */
  minMember: number | undefined;
  /** When as many members as it needs were seen bound for the first time. */
  wholeAt?: number;
  /** When its pods were seen to be gone after it had run. */
  goneAt?: number;
}

/** What was seen at one look. */
export interface Sample {
  readonly at: number;
  /** Gangs without a bound member, with some but too few, and with as many as they need. */
  readonly waiting: number;
  readonly partial: number;
  readonly whole: number;
}

/**
 * Who creates gangs, creates lost members anew as their Jobs would, and lets gangs end when they have run. What is done follows
 * from what is there at each look, so a call that fails is made again at the next.
 */
export class Tenants implements AsyncDisposable {
  readonly tenancies: Tenancy[] = [];
  readonly samples: Sample[] = [];
  /** The pods as they were seen last. */
  pods: readonly KubernetesObject[] = [];
  /** How long a gang runs is what it says, for ever, or not at all. */
  mode: "as drawn" | "nobody ends" | "all end" = "as drawn";
  readonly #api: ApiClient;
  readonly #path: string;
  readonly #now: () => number;
  readonly #wholeSince = new Map<string, number>();
  readonly #ending = new Set<string>();
  readonly #running: Promise<void>;
  #isOver = false;

  /** `now` is milliseconds since the start of the run. */
  constructor(api: ApiClient, { namespace, now }: { namespace: string; now: () => number }) {
    this.#api = api;
    this.#path = `/api/v1/namespaces/${namespace}/pods`;
    this.#now = now;
    this.#running = this.#run();
  }

  /** The gangs that have pods, or are to have some. */
  get live(): Tenancy[] {
    return this.tenancies.filter(({ goneAt }) => goneAt === undefined);
  }

  /** Creates a gang, unless so many wait already that it would only wait too. */
  come(gang: Gang): void {
    if (this.live.length >= mostLive) return;
    this.tenancies.push({ gang, createdAt: this.#now(), minMember: gang.minMember });
  }

  /** Lets one of the gangs need one member less than it was created with, or as many again. */
  edit(draw: number): string | undefined {
    const some = this.live.filter(({ gang }) => (gang.minMember ?? 0) > 2 && gang.roles.length < 2);
    const tenancy = some[draw % Math.max(1, some.length)];
    if (tenancy?.minMember === undefined) return undefined;
    const { minMember = 0, name } = tenancy.gang;
    tenancy.minMember = tenancy.minMember === minMember ? minMember - 1 : minMember;
    return `${name} needs ${tenancy.minMember}`;
  }

  /** Deletes some of the pods; gives their names. */
  async lose(count: number, draw: number): Promise<string[]> {
    const names = this.pods.map(({ metadata }) => metadata.name);
    const lost = Array.from(
      { length: Math.min(count, names.length) },
      (_, index) => names[(draw + index) % names.length]!,
    );
    await Promise.allSettled(lost.map((name) => this.#delete(name)));
    return lost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        this.pods = await this.#api.list(this.#path);
        await this.#look();
      } catch {
        // The API server is not there: the next look may see it.
      }
      await sleep(lookMs);
    }
  }

  async #look(): Promise<void> {
    const pods = new Map(this.pods.map((pod) => [pod.metadata.name, pod]));
    const now = this.#now();
    const counts = { waiting: 0, partial: 0, whole: 0 };
    const doing: Promise<unknown>[] = [];
    for (const tenancy of this.live) {
      const { gang } = tenancy;
      const members = membersOf(gang);
      const there = members.flatMap(({ name }) => pods.get(name) ?? []);
      const bound = there.filter(isBound).length;
      const isWhole = bound >= (tenancy.minMember ?? 1);
      counts[isWhole ? "whole" : bound > 0 ? "partial" : "waiting"]++;
      if (isWhole) tenancy.wholeAt ??= now;
      if (!isWhole) this.#wholeSince.delete(gang.name);
      else if (!this.#wholeSince.has(gang.name)) this.#wholeSince.set(gang.name, now);
      if (this.#hasRun(gang, now)) this.#ending.add(gang.name);
      if (!this.#ending.has(gang.name)) doing.push(this.#keep(tenancy, { members, pods, now }));
      else if (there.length === 0) tenancy.goneAt = now;
      else doing.push(...there.map(({ metadata }) => this.#delete(metadata.name)));
    }
    this.samples.push({ at: now, ...counts });
    await Promise.allSettled(doing);
  }

  #hasRun(gang: Gang, now: number): boolean {
    const since = this.#wholeSince.get(gang.name);
    if (since === undefined || this.mode === "nobody ends") return false;
    return this.mode === "all end" || now - since >= gang.runsMs;
  }

  /** Creates the members that are missing, and lets all say what the gang needs. */
  async #keep(
    { gang, minMember, createdAt }: Tenancy,
    { members, pods, now }: {
      members: Member[];
      pods: ReadonlyMap<string, KubernetesObject>;
      now: number;
    },
  ): Promise<void> {
    const isLate = now - createdAt < gang.lateMs;
    const due = isLate && members.length > 1 ? members.slice(0, -1) : members;
    await Promise.allSettled(due.map(async (member) => {
      const pod = pods.get(member.name);
      if (pod === undefined) {
        await this.#api.create(this.#path, podOf(gang, member, minMember));
        return;
      }
      const quorum = quorumOf(gang, member, minMember);
      if (pod.metadata.labels?.[quorumLabel] !== quorum) {
        const labels = { [quorumLabel]: quorum };
        await this.#api.patch(`${this.#path}/${member.name}`, { metadata: { labels } });
      }
    }));
  }

  async #delete(name: string): Promise<void> {
    await this.#api.delete(`${this.#path}/${name}?gracePeriodSeconds=0`).catch((error) => {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  }
}

/** Whether a pod has a node and stays there. */
export function isBound({ metadata, spec }: KubernetesObject): boolean {
  return spec.nodeName !== undefined && metadata.deletionTimestamp === undefined;
}
