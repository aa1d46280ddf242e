/**
 * How the relay calls others.
 *
 * @module
 */

/** `fetch`, over connections with the TLS settings that whoever is called needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
