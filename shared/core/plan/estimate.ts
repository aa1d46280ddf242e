/**
 * When a gang group that waits is going to start.
 *
 * @module
 */

/** A start for which room is reserved. */
export interface Estimate {
  /** In ms since the epoch. */
  readonly startsAt: number;
  /** Canonical name of the gang group whose room it takes when that ends. */
  readonly after?: string | undefined;
  /** That one runs for longer than was expected of it. */
  readonly isOverdue?: boolean | undefined;
  /** Where all its members are going to be, if it asks for a domain of a topology: `b1/r2`. */
  readonly domain?: string | undefined;
}
