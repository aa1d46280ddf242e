/**
 * What Muster does: each job where the plan has it, in one rack where nodes have some and that is possible.
 *
 * @module
 */
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import { gangId } from "../../shared/core/gang/facts.ts";
import type { Backfill } from "../../shared/core/gang/backfill.ts";
import type { RunTime } from "../../shared/core/gang/run_time.ts";
import type { QuorumSettings } from "../../shared/core/gang/quorum.ts";
import type { PlannedGang } from "../../shared/core/plan/demand.ts";
import type { Plan, Plans } from "../../shared/core/plan/plan.ts";
import { plan } from "../../shared/core/plan/planner.ts";
import type { Ending, Waiting, World } from "../../shared/core/plan/world.ts";
import { type Candidate, type OwnRoom, take, type Use } from "../../shared/core/room/fit.ts";
import type { Deciding } from "../policy/deciding.ts";
import { PlanCosts } from "./plan_costs.ts";
import { type Asked, gangOf, ownKeys, ownWord, waitingCensus } from "./own_policy.ts";
import { inQueueOrder, type Placer, type Start } from "./placer.ts";
import type { RunTimes } from "./run_times.ts";
import type { Job, TraceNode } from "./trace_files.ts";

/** By what jobs are planned. */
export interface PlanningOptions {
  readonly backfill: Backfill;
  readonly settings: QuorumSettings;
  readonly runTimes: RunTimes;
}

/** A job that waits, or runs. */
interface Known {
  readonly job: Job;
  group: Waiting;
  uses: readonly Use[];
  promised: number | undefined;
  endsAt: number | undefined;
  /** A policy keeps it waiting, as far as anybody knows. */
  isKept: boolean;
  /** Since when a policy has, and until when it is not asked again if nothing changes; in ms. */
  kept: { readonly since: number; readonly until: number } | undefined;
}

/** Of the time that a policy has kept a job already, before it is asked again: months are not asked through in seconds. */
const leastWait = 0.01;

function isKeptAt({ kept }: Known, now: number): boolean {
  return kept !== undefined && now < kept.until;
}

/** The pure plan of the whole cluster, made anew whenever it is asked. */
export class Planning implements Placer {
  readonly held = 0;
  readonly costs = new PlanCosts();
  readonly #nodes: ReadonlyMap<string, TraceNode>;
  readonly #free: OwnRoom;
  readonly #capacity: OwnRoom;
  readonly #labels: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly #hasRacks: boolean;
  readonly #options: PlanningOptions;
  #waiting: Known[] = [];
  /** A job came or ended since it was planned last. */
  #hasChanged = false;
  readonly #running = new Map<Job, Known>();

  constructor(nodes: readonly TraceNode[], options: PlanningOptions) {
    this.#nodes = new Map(nodes.map((node) => [node.name, node]));
    this.#labels = new Map(nodes.map(({ name, rack }) => [name, rack ? { rack } : {}]));
    this.#hasRacks = nodes.some(({ rack }) => rack);
    this.#free = roomOf(nodes);
    this.#capacity = roomOf(nodes);
    this.#options = options;
  }

  came(job: Job): void {
    const runTime = this.#options.runTimes.of(job);
    const group = waitingFor(job, { runTime, hasRacks: this.#hasRacks });
    this.#hasChanged = true;
    this.#waiting.push({
      job,
      group,
      uses: [],
      promised: undefined,
      endsAt: undefined,
      isKept: false,
      kept: undefined,
    });
    const order = inQueueOrder(this.#waiting.map(({ job }) => job));
    const byJob = new Map(this.#waiting.map((known) => [known.job, known]));
    this.#waiting = order.map((job) => byJob.get(job)!);
  }

  ended(job: Job): void {
    this.#hasChanged = true;
    this.#take(this.#running.get(job)?.uses ?? [], -1);
    this.#running.delete(job);
    this.#options.runTimes.ended(job);
  }

  place(now: number): Start[] {
    return this.placing(now, []).next().value as Start[];
  }

  /** The same, where a policy answers these stages. */
  *placing(now: number, stages: readonly StageName[]): Deciding<Start[]> {
    if (this.#waiting.length === 0) return [];
    if (stages.includes("queue-sort")) yield* this.#sort(now);
    const isAsked = stages.includes("admit");
    for (const known of this.#waiting) known.isKept = !this.#hasChanged && isKeptAt(known, now);
    this.#hasChanged = false;
    const started: Start[] = [];
    for (let isWhole = false; !isWhole;) {
      isWhole = true;
      const { byGroup } = this.#plan(now);
      const waiting: Known[] = [];
      for (const known of this.#waiting) {
        const planned = byGroup.get(known.group.id)!;
        if (!planned.taken) this.#waits(known, { planned, now });
        else if (!isAsked || (yield* this.#isAdmitted(known, now))) {
          started.push(this.#start(known, { taken: planned.taken, now }));
          continue;
        } else isWhole = false;
        waiting.push(known);
      }
      this.#waiting = waiting;
    }
    return started;
  }

  #plan(now: number): Plans {
    const world = this.#world();
    const began = performance.now();
    const plans = plan(world, now);
    this.costs.note(this.#waiting.length, performance.now() - began);
    return plans;
  }

  /** When a job that a policy keeps waiting is asked about again. */
  get wakesAt(): number | undefined {
    const times = this.#waiting.flatMap(({ isKept, kept }) => isKept ? kept!.until : []);
    return times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : undefined;
  }

  *#sort(now: number): Deciding<void> {
    const keys = yield* ownKeys(this.#waiting.map(({ job }) => job), this.#asked(now));
    const keyOf = ({ job }: Known) => keys.get(job)!;
    this.#waiting.sort((a, b) => keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0);
  }

  /** Whether a policy lets a job start that could; one that it keeps waiting has no use for room. */
  *#isAdmitted(known: Known, now: number): Deciding<boolean> {
    const word = yield* ownWord(known.job, this.#asked(now));
    if (!word) return true;
    const since = known.kept?.since ?? now;
    const wait = Math.max(1000 * word.askAgainSeconds, leastWait * (now - since));
    known.kept = { since, until: now + wait };
    known.isKept = true;
    known.group = { ...known.group, shortSince: undefined, plan: undefined, reserved: undefined };
    return false;
  }

  #asked(now: number): Asked {
    const gpus = [...this.#nodes.values()].reduce((sum, node) => sum + node.gpus, 0);
    return { gpus, running: [...this.#running.keys()], now };
  }

  #waits(known: Known, { planned, now }: { planned: Plan; now: number }): void {
    if (known.isKept) return;
    const { group } = known;
    known.promised ??= planned.reservation?.startsAt;
    const shortSince = planned.isShort ? group.shortSince ?? now : undefined;
    const { reservation: reserved } = planned;
    known.group = { ...group, shortSince, plan: planned, reserved };
  }

  #start(known: Known, { taken, now }: { taken: readonly Use[]; now: number }): Start {
    const { job, group: { runTime }, promised } = known;
    known.uses = taken;
    known.endsAt = runTime && now + 1000 * runTime.seconds;
    this.#running.set(job, known);
    this.#take(taken, 1);
    const nodes = taken.flatMap(({ node, count }) =>
      new Array<TraceNode>(count).fill(this.#nodes.get(node)!)
    );
    return { job, nodes, promised };
  }

  #take(uses: readonly Use[], sign: 1 | -1): void {
    for (const { node, requests, count } of uses) take(this.#free, node, { requests, count, sign });
  }

  #world(): World {
    const { backfill, settings } = this.#options;
    return {
      free: this.#free,
      nodes: this.#nodes,
      capacity: () => this.#capacity,
      labelsOf: (node) => this.#labels.get(node) ?? {},
      levels: [],
      nominated: [],
      takenBelow: () => [],
      waiting: this.#waiting.map(({ group, isKept }) =>
        isKept ? { ...group, isNeverWhole: true } : group
      ),
      ...backfill,
      ending: () => this.#ending(),
      settings,
    };
  }

  #ending(): Ending[] {
    return [...this.#running.values()].flatMap(({ group: { id }, uses, endsAt }) =>
      endsAt === undefined ? [] : [{ id, endsAt, uses }]
    );
  }
}

function roomOf(nodes: readonly TraceNode[]): OwnRoom {
  return new Map(nodes.map(({ name, gpus }) => [name, new Map([["gpu", gpus]])]));
}

function waitingFor(
  job: Job,
  { runTime, hasRacks }: { runTime: RunTime | undefined; hasRacks: boolean },
): Waiting {
  const { members, gpus, priority } = job;
  const requests = new Map([["gpu", gpus]]);
  const candidates = Array.from({ length: members }, (): Candidate => ({
    requests,
    kind: `${gpus} GPUs`,
    mayRunOn: () => true,
  }));
  const gang = { ...gangOf(job), ...(hasRacks && { topology: { preferred: ["rack"] } }) };
  const planned: PlannedGang[] = [{
    facts: { gang, census: waitingCensus(job), held: [] },
    candidates,
    placed: [],
    minResources: new Map(),
    evictsBelow: -Infinity,
  }];
  return {
    id: gangId(gang),
    priority,
    gangs: () => planned,
    isNeverWhole: false,
    plan: undefined,
    reserved: undefined,
    runTime,
    shortSince: undefined,
    keepsUntil: 0,
  };
}
