/**
 * Writes whether new members are born with Muster's gate: a ConfigMap's label carries it to the admission policy
 * (deploy/admission).
 *
 * @module
 */
import {
  type Gating,
  type SwitchEvent,
  switchGate,
  unknownSwitch,
} from "../../shared/core/attend/gate_switch.ts";
import { KubeError } from "../kube/kube_api.ts";
import type { Metrics } from "../report/metrics.ts";

/** The parameter of the admission policy. */
export const gateParameter = { namespace: "muster-system", name: "muster-gate" };
/** Its label that says whether the policy gates. */
export const gateLabel = "muster.scheduling/gate";

/** What the switch works with. */
export interface SwitchWorld {
  readonly metrics: Metrics;
  /** Writes the ConfigMap's label. */
  readonly setGate: (value: Gating) => Promise<void>;
}

/** Keeps the parameter as the queue asks for. */
export class GateSwitch {
  readonly #world: SwitchWorld;
  #gate = unknownSwitch;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(world: SwitchWorld) {
    this.#world = world;
  }

  /** Whether new members are to be born with the gate. */
  get isOn(): boolean {
    return this.#gate.written === "on";
  }

  /** Something that it depends on happened. */
  happened(event: SwitchEvent): void {
    if (this.#isStopped) return;
    const { gate, write, wakeAt } = switchGate(this.#gate, event, Date.now());
    this.#gate = gate;
    clearTimeout(this.#timer);
    if (wakeAt < Infinity) {
      const wait = Math.max(0, wakeAt - Date.now());
      this.#timer = setTimeout(() => this.happened({ is: "woken" }), wait);
    }
    if (write) void this.#write(write);
  }

  /** Ends it; what the ConfigMap says stays. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #write(value: Gating): Promise<void> {
    try {
      await this.#world.setGate(value);
      this.happened({ is: "written", value });
    } catch (error) {
      const isAbsent = error instanceof KubeError && [403, 404].includes(error.code);
      if (!isAbsent) this.#world.metrics.writeFailed("the gate's ConfigMap", error as Error);
      this.happened({ is: "not written", isAbsent });
    }
  }
}
