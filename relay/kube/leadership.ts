/**
 * Whether the scheduler beside this relay is the one that schedules. Of two schedulers with leader election one does; the
 * relay of the other knows the cluster, asks nothing and writes nothing.
 *
 * @module
 */
import { Alarm } from "../../shared/client/alarm.ts";
import { times } from "../../shared/core/attend/times.ts";
import { Outage } from "../../shared/client/outage.ts";
import type { KubeApi } from "../../shared/client/kube_api.ts";

/** The lease of the schedulers, and how the one beside this relay begins its name on it. */
export interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  /** kube-scheduler signs as `<hostname>_<uuid>`; in one Pod both have the same hostname. */
  readonly hostname: string;
}

/** What is followed, and who is told. */
export interface LeadershipOptions {
  readonly lease: LeaseOptions;
  /** The lease could not be read; `isSaid`: it is time to say so. */
  readonly failed: (error: Error, isSaid: boolean) => void;
  readonly changed: (isLeading: boolean) => void;
}

/** Follows a lease. */
export class Leadership {
  readonly #api: Pick<KubeApi, "leaseHolder">;
  readonly #options: LeadershipOptions;
  #isLeading = false;
  #calls = 0;
  readonly #outage = new Outage();
  #isStopped = false;
  readonly #again = new Alarm(() => void this.start());

  constructor(api: Pick<KubeApi, "leaseHolder">, options: LeadershipOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** Resolves when the lease has been looked at once; looks again and again from then on. */
  async start(): Promise<void> {
    const calls = this.#calls;
    try {
      const { lease } = this.#options;
      const holder = await this.#api.leaseHolder(lease);
      this.#outage.over();
      // What was on its way while the scheduler called may be older than the call.
      if (calls === this.#calls) this.#set(holder?.startsWith(`${lease.hostname}_`) ?? false);
    } catch (error) {
      // Who led before is taken to lead still: its scheduler's calls tell otherwise, or their lack does.
      this.#options.failed(error as Error, this.#outage.noted());
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
    this.#options.changed(isLeading);
  }
}
