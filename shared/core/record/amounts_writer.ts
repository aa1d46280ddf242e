/**
 * Amounts of resources, as a recording has them: each once, with a number.
 *
 * @module
 */
import type { Resources, Use } from "../room/fit.ts";
import type { AmountsText, UseText } from "./plan_text.ts";
import { Numbers } from "./numbers.ts";

/** Gives amounts their numbers. */
export class AmountsWriter {
  readonly #numbers = new Numbers();
  readonly #known = new WeakMap<Resources, number>();
  #news: AmountsText[] = [];

  numberOf(amounts: Resources): number {
    const known = this.#known.get(amounts);
    if (known !== undefined) return known;
    const text = amountsText(amounts);
    const { number, isNew } = this.#numbers.of(JSON.stringify(text));
    if (isNew) this.#news.push(text);
    this.#known.set(amounts, number);
    return number;
  }

  usesText(uses: readonly Use[]): UseText[] {
    return uses.map(({ requests, ...use }) => ({ ...use, requests: this.numberOf(requests) }));
  }

  /** Those that have got their number since this was asked last, in its order. */
  takeNew(): AmountsText[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }
}

/** Amounts by resource; null: without end. */
export function amountsText(amounts: Resources): AmountsText {
  return [...amounts].map(([resource, amount]) => [resource, amount < Infinity ? amount : null]);
}
