/**
 * Plans again soon after room or members changed.
 *
 * @module
 */
import { isWaiting } from "../../shared/cluster/pod_record.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { GateSwitch } from "./gate_switch.ts";
import { Gates, type Ungating } from "./gates.ts";
import type { Plan } from "../../shared/core/plan/plan.ts";
import type { MatchPolicy } from "../../shared/core/gang/facts.ts";
import { planAgainAt, planRest } from "../../shared/core/attend/plan_again.ts";
import { times } from "../../shared/core/attend/times.ts";
import type { QuorumSettings } from "../../shared/core/gang/quorum.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { Spare } from "../../shared/core/attend/spare.ts";
import { worldOf } from "../../shared/cluster/planned_world.ts";
import { Queue } from "./queue.ts";
import { Alarm } from "../../shared/client/alarm.ts";
import type { Parts } from "./parts.ts";

/** Told of each group that was planned, which members were neither bound nor held, and for what time that is. */
type Planned = (
  group: GangGroup,
  planned: { plan: Plan; waits: (uid: string) => boolean },
  now: number,
) => void;

/** Keeps the plans of all groups, and the gates and the gate's switch that follow from them. */
export class PlanLoop {
  readonly gates: Gates;
  readonly gateSwitch: GateSwitch;
  readonly spare = new Spare();
  readonly #parts: Parts;
  readonly #groups: Iterable<GangGroup>;
  readonly #planned: Planned;
  readonly #queue: Queue;
  #settings: QuorumSettings = { matchPolicy: profiles.default.matchPolicy };
  #restsUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time alone brings back what plans are made without. */
  readonly #again = new Alarm(() => this.soon());
  #isPaused = false;

  constructor(
    parts: Parts,
    options: { groups: Iterable<GangGroup>; planned: Planned; ungating: Ungating },
  ) {
    this.#parts = parts;
    this.#groups = options.groups;
    this.#planned = options.planned;
    this.#queue = new Queue(parts);
    this.gates = new Gates(parts, options.ungating);
    this.gateSwitch = new GateSwitch(parts);
  }

  /** Something that plans depend on changed. */
  soon(): void {
    if (this.#isPaused) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const startedAt = performance.now();
      this.#plan();
      this.#restsUntil = startedAt + planRest(performance.now() - startedAt);
    }, Math.max(times.planAfter, this.#restsUntil - performance.now()));
  }

  /** The functions were asked about a group: its members may be let in, and its place in the queue may be another. */
  answered(group: GangGroup): void {
    if (this.#queue.keys.isOutdated(group)) this.soon();
    this.gates.release();
  }

  /** Policy said how it counts gangs that do not say it themselves. */
  countBy(matchPolicy: MatchPolicy): void {
    if (this.#settings.matchPolicy === matchPolicy) return;
    this.#settings = { matchPolicy };
    this.soon();
  }

  /** Plans nothing, and touches no gate and not their switch, while another relay acts. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.gateSwitch.pause(isPaused);
    if (!isPaused) return this.soon();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again.stop();
    this.gates.follow([]);
  }

  /** Ends it. */
  stop(): void {
    this.pause(true);
    this.gates.stop();
  }

  #plan(): void {
    const waiting = [...this.#groups].filter((group) => group.isWaiting);
    void this.#queue.refresh(waiting).then((at) => this.#again.setBy(at));
    const order = this.#queue.keys.inOrder(waiting);
    const now = Date.now();
    const world = worldOf(order, { ...this.#parts, settings: this.#settings, now });
    const plans = this.#parts.decisions.plan(world, now);
    const { byGroup, isOverbooked } = plans;
    this.spare.planned(plans);
    const { pods, regularPods } = this.#parts.cluster;
    const waits = (uid: string) => isWaiting(pods.get(uid));
    for (const group of order) this.#planned(group, { plan: byGroup.get(group.id)!, waits }, now);
    this.#again.set(planAgainAt(order, now));
    this.gates.follow(order, regularPods.gated());
    const isQueueing = isOverbooked || order.some((group) => group.queues);
    this.gateSwitch.happened({ is: "planned", isQueueing });
  }
}
