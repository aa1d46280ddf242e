/**
 * A call that breaks the contract.
 *
 * @module
 */

/** What a call says can not be taken: it is refused again as long as it says the same, while other calls are answered. */
export class CallRefused extends Error {
  override name = "CallRefused";
}
