/**
 * The gangs of a group that is planned, as a recording has them: members of a kind in a row, each kind once.
 *
 * @module
 */
import type { PlannedGang } from "../plan/demand.ts";
import type { Candidate } from "../room/fit.ts";
import { amountsText, type AmountsWriter } from "./amounts_writer.ts";
import { Numbers } from "./numbers.ts";
import type { KindText, PlannedGangText } from "./plan_text.ts";

/** Writes gangs. */
export class GangWriter {
  readonly #amounts: AmountsWriter;
  readonly #kinds = new Numbers();
  #kindsSaid = new Set<number>();
  #newKinds: KindText[] = [];
  #nodeNames: readonly string[] = [];

  constructor(amounts: AmountsWriter) {
    this.#amounts = amounts;
  }

  /** From now on kinds are said with where they may run among these nodes. */
  onNodes(names: readonly string[]): void {
    this.#kindsSaid = new Set();
    this.#nodeNames = names;
  }

  write(
    { facts: { held, ...facts }, candidates, placed, minResources, evictsBelow }: PlannedGang,
  ): PlannedGangText {
    const runs: [number, ...(string | null)[]][] = [];
    let before: Candidate | undefined;
    for (const candidate of candidates) {
      if (!before || !isAlike(before, candidate)) runs.push([this.#kindOf(candidate)]);
      runs.at(-1)!.push(candidate.uid ?? null);
      before = candidate;
    }
    return {
      facts,
      held: held.length,
      candidates: runs,
      placed: placed.map(({ requests, ...place }) => ({
        ...place,
        requests: this.#amounts.numberOf(requests),
      })),
      ...(minResources.size > 0 && { minResources: amountsText(minResources) }),
      ...(evictsBelow > -Infinity && { evictsBelow }),
    };
  }

  /** Kinds that have been said since this was asked last. */
  takeNewKinds(): KindText[] {
    const news = this.#newKinds;
    this.#newKinds = [];
    return news;
  }

  #kindOf(candidate: Candidate): number {
    const { requests, mayRunOn, kind, role, exclusive, hasPreference, rules } = candidate;
    const asks = { kind, requests: this.#amounts.numberOf(requests), role, exclusive };
    const what = { ...asks, hasPreference, rules };
    const number = this.#kinds.of(JSON.stringify(what)).number;
    if (!this.#kindsSaid.has(number)) {
      this.#kindsSaid.add(number);
      const except = this.#nodeNames.filter((node) => !mayRunOn(node));
      this.#newKinds.push({ number, ...what, except });
    }
    return number;
  }
}

function isAlike(a: Candidate, b: Candidate): boolean {
  return a.kind === b.kind && a.role === b.role && a.requests === b.requests &&
    a.hasPreference === b.hasPreference && a.rules === b.rules &&
    (a.exclusive === b.exclusive || JSON.stringify(a.exclusive) === JSON.stringify(b.exclusive));
}
