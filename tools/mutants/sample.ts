/**
 * Some of many, by chance, and the same ones for the same seed.
 *
 * @module
 */

/** As many as `size` of the items, in their order. */
export function sampleOf<Item>(
  items: readonly Item[],
  { size, seed }: { size: number; seed: number },
): Item[] {
  const random = mulberry32(seed);
  const keyed = items.map((item, index) => ({ item, index, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).slice(0, size).sort((a, b) => a.index - b.index)
    .map(({ item }) => item);
}

/** Numbers from 0 to 1; Tommy Ettinger's generator, in 32 bits. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6D2B79F5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
