/**
 * Jobs that queue for slots, one moment after another: what runs, who is promised which start.
 *
 * @module
 */
import { backfillOf } from "../../shared/core/gang/backfill.ts";
import type { Plan } from "../../shared/core/plan/plan.ts";
import { plan } from "../../shared/core/plan/planner.ts";
import type { Waiting } from "../../shared/core/plan/world.ts";
import { take, type Use } from "../../shared/core/room/fit.ts";
import { type NodeText, type WaitingGang, worldOf } from "./planned.ts";

/** A job that waits: so many members, of a slot each if nothing else is said, and how long it runs. */
export interface SlotJob extends Partial<Omit<WaitingGang, "name" | "group">> {
  readonly name: string;
  readonly slots: number;
  /** Of each member. */
  readonly gpus?: number | undefined;
  readonly seconds?: number | undefined;
  readonly priority?: number | undefined;
}

interface Known {
  readonly job: SlotJob;
  priority: number;
  plan?: Plan;
  shortSince?: number | undefined;
  uses?: readonly Use[];
  endsAt?: number | undefined;
  isLeaving?: boolean;
}

/** A cluster whose clock is moved by hand. */
export class Slots {
  /** In ms since the epoch. */
  now = 1_000_000;
  /** Whether plans are made anew each time, as where something of the gangs has changed. */
  isForgetful = false;
  /** Who plans. */
  by = plan;
  readonly #nodes: Record<string, NodeText>;
  readonly #free: Map<string, ReadonlyMap<string, number>>;
  readonly #rule: string;
  readonly #jobs: Known[] = [];
  readonly #began = this.now;
  /** Starts, in ms since the epoch. */
  readonly started = new Map<string, number>();
  /** The first start that each job was promised, likewise. */
  readonly promisedFirst = new Map<string, number>();

  constructor(nodes: Record<string, NodeText>, rule: string) {
    this.#nodes = nodes;
    this.#free = new Map(
      Object.entries(nodes).map(([name, text]) => [
        name,
        new Map([["gpu", Number(text.split(" ")[0])]]),
      ]),
    );
    this.#rule = rule;
  }

  /** Jobs come, one after another, and are planned when all are there. */
  submit(...jobs: readonly SlotJob[]): void {
    for (const job of jobs) this.#jobs.push({ job, priority: job.priority ?? 0 });
    this.#jobs.sort((a, b) => b.priority - a.priority);
    this.#plan();
  }

  /** Ends or withdraws jobs. */
  cancel(...names: readonly string[]): void {
    for (const name of names) this.#forget(this.#jobs.find(({ job }) => job.name === name)!);
    this.#plan();
  }

  /** A job is asked to end, and so many of its members are gone already. */
  beginToLeave(name: string, gone: number): void {
    const known = this.#jobs.find(({ job }) => job.name === name)!;
    const left: Use[] = [];
    for (const { count, ...use } of known.uses!) {
      const freed = Math.min(count, gone);
      gone -= freed;
      if (freed > 0) take(this.#free, use.node, { ...use, count: freed, sign: -1 });
      if (count > freed) left.push({ ...use, count: count - freed });
    }
    Object.assign(known, { uses: left, endsAt: this.now, isLeaving: true });
    this.#plan();
  }

  /** A job that waits goes elsewhere in the queue. */
  setPriority(name: string, priority: number): void {
    this.#jobs.find(({ job }) => job.name === name)!.priority = priority;
    this.#jobs.sort((a, b) => b.priority - a.priority);
    this.#plan();
  }

  /** Goes on; whoever ends on the way leaves. */
  pass(seconds: number): void {
    const until = this.now + 1000 * seconds;
    for (;;) {
      const ending = this.#jobs.filter(({ endsAt }) => endsAt !== undefined && endsAt <= until)
        .sort((a, b) => a.endsAt! - b.endsAt!);
      const [first] = ending;
      if (!first) break;
      this.now = first.endsAt!;
      for (const known of ending) if (known.endsAt === this.now) this.#forget(known);
      this.#plan();
    }
    this.now = until;
    this.#plan();
  }

  /** Those that run, by name in order of the alphabet. */
  get running(): string[] {
    return this.#jobs.filter(({ uses }) => uses).map(({ job }) => job.name).sort();
  }

  /** Promised starts, in seconds since the beginning. */
  get promised(): Record<string, number> {
    return Object.fromEntries(
      this.#jobs.flatMap(({ job, uses, plan }) =>
        !uses && plan?.reservation
          ? [[job.name, (plan.reservation.startsAt - this.#began) / 1000]]
          : []
      ),
    );
  }

  /** The plan of a job that waits. */
  planOf(name: string): Plan | undefined {
    return this.#jobs.find(({ job }) => job.name === name)?.plan;
  }

  #forget(known: Known): void {
    this.#jobs.splice(this.#jobs.indexOf(known), 1);
    for (const { node, ...use } of known.uses ?? []) take(this.#free, node, { ...use, sign: -1 });
  }

  #plan(): void {
    const waiting = this.#jobs.filter(({ uses }) => !uses);
    const gangs = waiting.map(({ job: { slots, gpus = 1, seconds, ...gang }, ...known }) => ({
      members: [{ count: slots, gpus }],
      ...gang,
      group: {
        priority: known.priority,
        plan: this.isForgetful ? undefined : known.plan,
        reserved: known.plan?.reservation,
        shortSince: known.shortSince,
        runTime: seconds === undefined ? undefined : { seconds, source: "declared" as const },
      } satisfies Partial<Waiting>,
    }));
    const world = worldOf({
      nodes: this.#nodes,
      gangs,
      world: {
        free: this.#free,
        capacity: () => worldOf({ nodes: this.#nodes, gangs: [] }).free,
        nodes: this.#nodes,
        ...backfillOf(this.#rule)!,
        ending: () =>
          this.#jobs.flatMap(({ job, uses, endsAt, isLeaving }) =>
            uses && endsAt !== undefined
              ? [{ id: `default/${job.name}`, endsAt, uses, isLeaving }]
              : []
          ),
      },
    });
    const { byGroup } = this.by(world, this.now);
    for (const known of waiting) {
      const planned = byGroup.get(`default/${known.job.name}`)!;
      known.plan = planned;
      known.shortSince = planned.isShort ? known.shortSince ?? this.now : undefined;
      const { name } = known.job;
      if (planned.reservation && !this.promisedFirst.has(name)) {
        this.promisedFirst.set(name, planned.reservation.startsAt);
      }
      if (!planned.taken) continue;
      known.uses = planned.taken;
      this.started.set(name, this.now);
      const { seconds } = known.job;
      known.endsAt = seconds === undefined ? undefined : this.now + 1000 * seconds;
      for (const { node, ...use } of planned.taken) take(this.#free, node, use);
    }
  }
}
