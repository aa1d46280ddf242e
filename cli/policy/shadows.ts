/**
 * Stages that are asked too and never obeyed: what would be decided otherwise.
 *
 * @module
 */
import { keyProblem } from "../../shared/core/attend/own_stage.ts";
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import { type Group, groupId, groupName } from "../../shared/core/gang/facts.ts";
import { named } from "../../shared/core/words/text.ts";
import type { QueueSortAnswer, QueueSortRequest } from "../../shared/contract/types.ts";
import type { Ask } from "./own_stage.ts";
import type { Difference, StageReport } from "./stage_report.ts";

/** A stage's shadow. */
export interface Shadow {
  readonly stage: StageName;
  readonly ask: Ask<StageName>;
}

/** Asks shadows, one call of each at a time, and nobody waits for them. */
export class Shadows {
  readonly #asks: ReadonlyMap<StageName, Ask<StageName>>;
  readonly #report: StageReport;
  readonly #busy = new Set<StageName>();

  constructor(shadows: readonly Shadow[], report: StageReport) {
    this.#asks = new Map(shadows.map(({ stage, ask }) => [stage, ask]));
    this.#report = report;
  }

  /** Whether a stage has one. */
  has(stage: StageName): boolean {
    return this.#asks.has(stage);
  }

  /** Asks what was decided already. */
  ask(
    stage: StageName,
    call: { request: unknown; requestId: string; decided: unknown },
  ): void {
    const ask = this.#asks.get(stage);
    if (!ask) return;
    if (this.#busy.has(stage)) return this.#report.shadowed(stage, "skipped");
    this.#busy.add(stage);
    ask(call.request, call.requestId).then(
      (shadow) => this.#report.shadowed(stage, differenceOf(stage, { ...call, shadow }) ?? "same"),
      () => this.#report.shadowed(stage, "failed"),
    ).finally(() => this.#busy.delete(stage));
  }
}

/** Where a shadow's answer differs from what was decided; undefined: nowhere. */
function differenceOf(
  stage: StageName,
  call: { request: unknown; decided: unknown; shadow: unknown },
): Difference | undefined {
  const at = new Date().toISOString();
  const other = stage === "queue-sort"
    ? orderDifference(call as never)
    : verdictDifference(call as never);
  return other && { at, stage, ...other };
}

type Other = Pick<Difference, "about" | "decided" | "shadow">;

function verdictDifference(
  { request, decided, shadow }: { request: Group; decided: Verdict; shadow: Verdict },
): Other | undefined {
  if (decided.verdict === shadow.verdict) return undefined;
  return { about: named(groupName(request)), decided: textOf(decided), shadow: textOf(shadow) };
}

interface Verdict {
  readonly verdict: string;
  readonly message?: string | undefined;
}

function textOf({ verdict, message }: Verdict): string {
  return message ? `${verdict} (${named(message)})` : verdict;
}

function orderDifference(
  { request: { units }, decided, shadow }: {
    request: QueueSortRequest;
    decided: QueueSortAnswer;
    shadow: QueueSortAnswer;
  },
): Other | undefined {
  const problem = keyProblem(units, shadow.keys);
  if (problem !== undefined) {
    return { about: "the keys", decided: "usable", shadow: named(problem) };
  }
  const [ours, theirs] = [decided, shadow].map(({ keys }) => orderOf(units, keys));
  const place = ours!.findIndex((id, index) => id !== theirs![index]);
  if (place < 0) return undefined;
  const [first, other] = [named(ours![place]!), named(theirs![place]!)];
  return {
    about: `place ${place + 1} of ${ours!.length}`,
    decided: first,
    shadow: other,
  };
}

/** Each gang group or regular pod once, the first in the queue first. */
function orderOf(units: QueueSortRequest["units"], keys: QueueSortAnswer["keys"]): string[] {
  const names = new Map(units.map(({ id, gang }) => [id, gang ? groupId(gang) : id]));
  const sorted = keys.filter(({ id }) => names.has(id))
    .sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : a.id < b.id ? -1 : 1);
  return [...new Set(sorted.map(({ id }) => names.get(id)!))];
}
