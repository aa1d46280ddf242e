/**
 * Why a caller is not served.
 *
 * @module
 */

/** What a caller that is not served is told. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503;
  readonly title: string;
  readonly detail: string;
  /** Of a 401 (RFC 6750, section 3). */
  readonly challenge?: string;
}
