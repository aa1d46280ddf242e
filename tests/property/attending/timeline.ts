/** What is still to happen, the earliest first; of two at one time the one that was planned first. */
export class Timeline {
  readonly #heap: { at: number; order: number; run: () => void }[] = [];
  #order = 0;
  now: number;

  constructor(now: number) {
    this.now = now;
  }

  /** Lets something happen in so many ms. */
  after(ms: number, run: () => void): void {
    this.at(this.now + ms, run);
  }

  at(at: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ at: Math.max(at, this.now), order: this.#order++, run });
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) break;
      [heap[child], heap[parent]] = [heap[parent]!, heap[child]!];
      child = parent;
    }
  }

  /** Lets the next thing happen, unless it is later than that; false: nothing did. */
  step(until: number): boolean {
    const [next] = this.#heap;
    if (!next || next.at > until) return false;
    const last = this.#heap.pop()!;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    this.now = next.at;
    next.run();
    return true;
  }

  #sink(): void {
    const heap = this.#heap;
    for (let parent = 0;;) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < heap.length && this.#isBefore(child, least)) least = child;
      }
      if (least === parent) return;
      [heap[parent], heap[least]] = [heap[least]!, heap[parent]!];
      parent = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a]!, this.#heap[b]!];
    return one.at - other.at < 0 || (one.at === other.at && one.order < other.order);
  }
}
