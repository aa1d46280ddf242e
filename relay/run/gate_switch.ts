/**
 * Whether new members are born with Muster's gate: a gate costs a write for each pod, so it is asked for only while gangs
 * queue. A ConfigMap's label carries the answer to the admission policy (deploy/admission); it may be late or wrong without harm,
 * because `filter` is the gate of the members that have none.
 *
 * @module
 */
import { KubeError } from "../kube/kube_api.ts";
import type { Metrics } from "../report/metrics.ts";

/** After the last gang has left the queue new members are gated for so long, in ms. */
const restMs = 5000;
/** After a failed write it is tried again, in ms. */
const againMs = 1000;

/** The parameter of the admission policy. */
export const gateParameter = { namespace: "muster-system", name: "muster-gate" };
/** Its label that says whether the policy gates. */
export const gateLabel = "muster.scheduling/gate";

/** What the switch works with. */
export interface SwitchWorld {
  readonly metrics: Metrics;
  /** Writes the ConfigMap's label. */
  readonly setGate: (value: "on" | "off") => Promise<void>;
}

/** Keeps the parameter as the queue asks for. */
export class GateSwitch {
  readonly #world: SwitchWorld;
  #wanted: "on" | "off" = "off";
  /** What the ConfigMap is known to say; `absent`: there is none, so nothing is gated by it. */
  #written: "on" | "off" | "absent" | undefined;
  #writtenAt = 0;
  /** The ConfigMap may say something else than what was written. */
  #isInDoubt = false;
  #isWriting = false;
  #isStopped = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(world: SwitchWorld) {
    this.#world = world;
  }

  /** Whether new members are to be born with the gate. */
  get isOn(): boolean {
    return this.#written === "on";
  }

  /** Whether gangs queue for room now. */
  follow(isQueueing: boolean): void {
    if (this.#isStopped) return;
    if (isQueueing) {
      clearTimeout(this.#rest);
      this.#rest = undefined;
      this.#want("on");
    } else if (this.#wanted === "on") {
      this.#rest ??= setTimeout(() => {
        this.#rest = undefined;
        this.#want("off");
      }, restMs);
    } else this.#want("off");
  }

  /** A member came without the gate that it was to have: somebody else may have changed the ConfigMap. */
  missed(): void {
    if (!this.isOn || Date.now() < this.#writtenAt + restMs) return;
    this.#isInDoubt = true;
    this.#want(this.#wanted);
  }

  /** Ends it; what the ConfigMap says stays. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#rest);
    clearTimeout(this.#again);
  }

  get #isDue(): boolean {
    return this.#written !== "absent" && (this.#written !== this.#wanted || this.#isInDoubt);
  }

  #want(value: "on" | "off"): void {
    if (value !== this.#wanted && this.#written === "absent") this.#written = undefined;
    this.#wanted = value;
    if (!this.#isWriting && !this.#isStopped) void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (!this.#isStopped && this.#isDue) {
      const value = this.#wanted;
      try {
        await this.#world.setGate(value);
        this.#written = value;
        this.#writtenAt = Date.now();
        this.#isInDoubt = false;
      } catch (error) {
        const isAbsent = error instanceof KubeError && [403, 404].includes(error.code);
        this.#written = isAbsent ? "absent" : undefined;
        if (isAbsent) break;
        this.#world.metrics.writeFailed("the gate's ConfigMap", error as Error);
        await new Promise((resolve) => this.#again = setTimeout(resolve, againMs));
      }
    }
    this.#isWriting = false;
  }
}
