/**
 * Room by node, and what it comes to in all, which is at hand without looking at every node.
 *
 * @module
 */
import type { OwnRoom, Resources, Room } from "../core/room/fit.ts";

/** Where an amount is there without being counted it is in no sum. */
export class Rooms {
  readonly #rooms: OwnRoom = new Map();
  readonly #total = new Map<string, number>();

  /** By node: another object for a node whenever its room changes. */
  get each(): Room {
    return this.#rooms;
  }

  get total(): Resources {
    return this.#total;
  }

  set(node: string, room: Resources): void {
    this.#count(this.#rooms.get(node), -1);
    this.#rooms.set(node, room);
    this.#count(room, 1);
  }

  delete(node: string): void {
    this.#count(this.#rooms.get(node), -1);
    this.#rooms.delete(node);
  }

  #count(room: Resources | undefined, sign: 1 | -1): void {
    for (const [name, amount] of room ?? []) {
      if (amount === Infinity) continue;
      this.#total.set(name, (this.#total.get(name) ?? 0) + sign * amount);
    }
  }
}
