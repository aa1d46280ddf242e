/**
 * The arithmetic of members that are spread over nodes, or slices over domains.
 *
 * @module
 */

/** Nodes that are tried for members of one kind in a thorough search; of more parts, or slices, each is placed once at first. */
export const mostTried = 64;

/** From each on, so much have it and those after it together. */
export function roomsFrom(each: readonly number[]): readonly number[] {
  const rooms = [...each];
  for (let index = rooms.length - 2; index >= 0; index--) rooms[index]! += rooms[index + 1]!;
  return rooms;
}

/** The first node that is tried where so many of a kind are to be placed: as many are tried as there are, or as may be. */
export function firstTried(fits: readonly number[], count: number): number {
  let needed = 0;
  for (let left = count; left > 0 && needed < fits.length; needed++) left -= fits[needed]!;
  return Math.max(0, Math.min(needed - mostTried / 2, fits.length - mostTried));
}

/** All of them together. */
export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
