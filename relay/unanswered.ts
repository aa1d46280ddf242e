/**
 * Calls of the functions that got no answer: an outage, which concerns every gang group, or facts of one group that they do
 * not take, which concern nobody else.
 *
 * @module
 */
import { isLeftAlone, leaveAlone } from "../shared/core/left_alone.ts";
import { unsendable } from "../shared/core/unsendable.ts";
import { whyPending } from "../shared/core/why_pending.ts";
import type { GangGroup, Snapshot, Verdict } from "./gang_group.ts";
import type { Metrics } from "./metrics.ts";
import { CallFailed } from "./policy_client.ts";

/** After an outage of the functions they are asked again after this time. */
const outageMs = 1000;

/** What calls are made with. */
export interface UnansweredWorld {
  readonly metrics: Metrics;
  readonly policy: { readonly url: string };
}

/** Keeps gang groups waiting whose calls fail. */
export class Unanswered {
  readonly #world: UnansweredWorld;
  #outage: string | undefined;

  constructor(world: UnansweredWorld) {
    this.#world = world;
  }

  /** Why the functions can not be asked; undefined when they answer. */
  get outage(): string | undefined {
    return this.#outage;
  }

  /** Whether a group is not to be asked about now. */
  isLeftAlone({ leftAlone }: GangGroup, { specs }: Snapshot): boolean {
    return isLeftAlone(leftAlone, { specs, now: Date.now() });
  }

  /** A call about the group was answered. */
  answered(group: GangGroup, { group: facts }: Snapshot): void {
    if (!unsendable(facts)) this.#outage = undefined;
    group.leftAlone = undefined;
  }

  /** A call about the group failed: it waits with that reason. Gives why its held calls are let go, if they are. */
  failed(group: GangGroup, { error, specs }: { error: Error; specs: string }): string | undefined {
    const now = Date.now();
    group.admissionBasis = undefined;
    if (error instanceof CallFailed && error.isRefusal) {
      this.#world.metrics.callRefused(group.title, error);
      group.leftAlone = leaveAlone(group.leftAlone, { specs, now });
      group.retryAt = group.leftAlone.until;
      group.reservedUntil = 0;
      const why = { reason: "FactsRefused", title: group.title, error: error.message } as const;
      return shut(group, whyPending(why));
    }
    const { metrics, policy: { url } } = this.#world;
    metrics.functionFailed("policy", error);
    group.leftAlone = undefined;
    group.retryAt = now + outageMs;
    const { title, decision } = group;
    const why = { reason: "FunctionsUnreachable", title, url, error: error.message } as const;
    this.#outage = shut(group, whyPending(why));
    // Until its time is over it may still become whole.
    const deadline = decision?.deadline ? Date.parse(decision.deadline) : Infinity;
    return now >= deadline ? this.#outage : undefined;
  }
}

function shut(group: GangGroup, why: Pick<Verdict, "reason" | "message">): string {
  group.admission = { verdict: "reject", ...why };
  return why.message;
}
