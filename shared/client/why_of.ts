/**
 * What is said of an error.
 *
 * @module
 */

/** Why a call failed, with what that was because of. */
export function whyOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
