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
import { KubeError } from "../../shared/client/kube_api.ts";
import { gating } from "../../shared/kubernetes/writes.ts";
import { Alarm } from "../../shared/client/alarm.ts";
import type { Parts } from "./parts.ts";

/** Keeps the parameter as the queue asks for. */
export class GateSwitch {
  readonly #parts: Pick<Parts, "metrics" | "write">;
  #gate = unknownSwitch;
  #isPaused = false;
  readonly #alarm = new Alarm(() => this.happened({ is: "woken" }));

  constructor(parts: Pick<Parts, "metrics" | "write">) {
    this.#parts = parts;
  }

  /** Whether new members are to be born with the gate. */
  get isOn(): boolean {
    return this.#gate.written === "on";
  }

  /** Something that it depends on happened. */
  happened(event: SwitchEvent): void {
    if (this.#isPaused) return;
    const { gate, write, wakeAt } = switchGate(this.#gate, event, Date.now());
    this.#gate = gate;
    this.#alarm.set(wakeAt);
    if (write) void this.#write(write);
  }

  /** What the ConfigMap says stays as it is; another relay may write it until this one goes on. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#gate = unknownSwitch;
    this.#alarm.stop();
  }

  async #write(value: Gating): Promise<void> {
    try {
      await this.#parts.write(gating(value));
      this.happened({ is: "written", value });
    } catch (error) {
      const isAbsent = error instanceof KubeError && [403, 404].includes(error.code);
      if (!isAbsent) this.#parts.metrics.writeFailed("the gate's ConfigMap", error as Error);
      this.happened({ is: "not written", isAbsent });
    }
  }
}
