/**
 * What a recording is written to.
 *
 * @module
 */

/** Where the lines of a recording go. */
export interface Tape {
  /** Changes with each file and after each gap: what was said before must be said anew. */
  readonly part: number;
  /** False: lines are lost now. */
  readonly isOpen: boolean;
  write(line: string): void;
  /** A decision is not recorded. */
  missed(): void;
}
