/**
 * Whether the scheduler beside this relay is the one that schedules. Of two schedulers with leader election one does; the
 * relay of the other knows the cluster, asks nothing and writes nothing.
 *
 * @module
 */
import { Alarm } from "../../shared/client/alarm.ts";
import { times } from "../../shared/core/attend/times.ts";
import type { KubeApi } from "../../shared/client/kube_api.ts";

/** The lease of the schedulers, and how the one beside this relay begins its name on it. */
export interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  /** kube-scheduler signs as `<hostname>_<uuid>`; in one Pod both have the same hostname. */
  readonly hostname: string;
}

/** Follows a lease. */
export class Leadership {
  readonly #api: Pick<KubeApi, "leaseHolder">;
  readonly #lease: LeaseOptions;
  readonly #failed: (error: Error) => void;
  readonly #changed: (isLeading: boolean) => void;
  #isLeading = false;
  #calls = 0;
  #isStopped = false;
  readonly #again = new Alarm(() => void this.start());

  constructor(
    api: Pick<KubeApi, "leaseHolder">,
    options: {
      lease: LeaseOptions;
      /** The lease could not be read. */
      failed: (error: Error) => void;
      changed: (isLeading: boolean) => void;
    },
  ) {
    this.#api = api;
    this.#lease = options.lease;
    this.#failed = options.failed;
    this.#changed = options.changed;
  }

  /** Resolves when the lease has been looked at once; looks again and again from then on. */
  async start(): Promise<void> {
    const calls = this.#calls;
    try {
      const holder = await this.#api.leaseHolder(this.#lease);
      // What was on its way while the scheduler called may be older than the call.
      if (calls === this.#calls) this.#set(holder?.startsWith(`${this.#lease.hostname}_`) ?? false);
    } catch (error) {
      // Who led before is taken to lead still: its scheduler's calls tell otherwise, or their lack does.
      this.#failed(error as Error);
    }
    if (!this.#isStopped) this.#again.set(Date.now() + times.lease);
  }

  /** The scheduler beside this relay has called: it leads, whatever the lease said a moment ago. */
  called(): void {
    this.#calls++;
    this.#set(true);
  }

  /** Ends it. */
  stop(): void {
    this.#isStopped = true;
    this.#again.stop();
  }

  #set(isLeading: boolean): void {
    if (this.#isStopped || this.#isLeading === isLeading) return;
    this.#isLeading = isLeading;
    this.#changed(isLeading);
  }
}
