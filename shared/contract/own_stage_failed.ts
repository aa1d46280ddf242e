/**
 * A stage that somebody else answers than Muster's functions gave no answer that can be used.
 *
 * @module
 */

/** Its message names the stage, and where it is. */
export class OwnStageFailed extends Error {
  override name = "OwnStageFailed";
}
