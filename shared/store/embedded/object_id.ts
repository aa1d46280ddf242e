import { createHash } from "node:crypto";
import type { DurableObjectId } from "./types.ts";

/** Identity of an embedded object: a hash of class and name, which is also the name of its file. */
export class EmbeddedId implements DurableObjectId {
  readonly name: string;
  #className: string;
  #hex: string | undefined;

  constructor(className: string, name: string) {
    this.#className = className;
    this.name = name;
  }

  equals(other: DurableObjectId): boolean {
    return String(other) === this.toString();
  }

  toString(): string {
    return this.#hex ??= createHash("sha256").update(`${this.#className}\0${this.name}`)
      .digest("hex");
  }
}
