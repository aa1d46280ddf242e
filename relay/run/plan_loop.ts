/**
 * Plans again soon after room or members changed.
 *
 * @module
 */
import type { PodRecord } from "../cluster/pod_record.ts";
import type { GangGroup } from "./gang_group.ts";
import { GateSwitch } from "./gate_switch.ts";
import { Gates, type Ungating } from "./gates.ts";
import type { Plan } from "../../shared/core/plan/plan.ts";
import type { MatchPolicy } from "../../shared/core/gang/facts.ts";
import { plan } from "../../shared/core/plan/planner.ts";
import type { QuorumSettings } from "../../shared/core/gang/quorum.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { worldOf } from "./planned_world.ts";
import { Queue } from "./queue.ts";
import type { World } from "./world.ts";

/** Events of one burst are planned together, in ms; then plans rest, the longer the longer they take. */
const planAfterMs = 5;
const restMs = 20;
const planShare = 0.2;

/** Told of each group that was planned, and which members were neither bound nor held. */
type Planned = (
  group: GangGroup,
  planned: { plan: Plan; waits: (uid: string) => boolean },
) => void;

/** Keeps the plans of all groups, and the gates and the gate's switch that follow from them. */
export class PlanLoop {
  readonly gates: Gates;
  readonly gateSwitch: GateSwitch;
  readonly #world: World;
  readonly #groups: Iterable<GangGroup>;
  readonly #planned: Planned;
  readonly #queue: Queue;
  #settings: QuorumSettings = { matchPolicy: profiles.default.matchPolicy };
  #restsUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;

  constructor(
    world: World,
    options: { groups: Iterable<GangGroup>; planned: Planned; reserved: Ungating },
  ) {
    this.#world = world;
    this.#groups = options.groups;
    this.#planned = options.planned;
    this.#queue = new Queue(world);
    this.gates = new Gates(world, options.reserved);
    this.gateSwitch = new GateSwitch(world);
  }

  /** Something that plans depend on changed. */
  soon(): void {
    if (this.#isPaused) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const startedAt = performance.now();
      this.#plan();
      const tookMs = performance.now() - startedAt;
      this.#restsUntil = startedAt + Math.max(restMs, tookMs / planShare);
    }, Math.max(planAfterMs, this.#restsUntil - performance.now()));
  }

  /** The functions were asked about a group: its members may be let in, and its place in the queue may be another. */
  answered(group: GangGroup): void {
    if (this.#queue.isOutdated(group)) this.soon();
    this.gates.release();
  }

  /** Policy said how it counts gangs that do not say it themselves. */
  countBy(matchPolicy: MatchPolicy): void {
    if (this.#settings.matchPolicy === matchPolicy) return;
    this.#settings = { matchPolicy };
    this.soon();
  }

  /** Plans nothing and removes no gate while another relay acts. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.gates.follow([]);
  }

  /** Ends it. */
  stop(): void {
    this.pause(true);
    this.gates.stop();
    this.gateSwitch.stop();
  }

  #plan(): void {
    const waiting = [...this.#groups].filter((group) => this.#waits(group));
    void this.#queue.refresh(waiting).then((isNew) => isNew && this.soon());
    const order = this.#queue.inOrder(waiting);
    const now = Date.now();
    const { byGroup, isOverbooked } = plan(
      worldOf(order, { ...this.#world, settings: this.#settings }),
      now,
    );
    for (const group of order) {
      const waits = (uid: string) => this.#isWaiting(uid, this.#world.cluster.pods.get(uid));
      this.#planned(group, { plan: byGroup.get(group.id)!, waits });
    }
    this.gates.follow(order);
    this.gateSwitch.follow(isOverbooked || order.some((group) => group.attended.plan?.isShort));
  }

  #waits(group: GangGroup): boolean {
    return group.gangs.some((gang) =>
      [...gang.members].some(([uid, record]) => this.#isWaiting(uid, record))
    );
  }

  #isWaiting(uid: string, record: PodRecord | undefined): boolean {
    return record !== undefined && !record.node && !record.foreign && !this.#world.holds.get(uid);
  }
}
