/**
 * The durable-object platform: workerd at the edge, the embedded host under Deno (by the import map).
 *
 * @module
 */
export { DurableObject, env } from "cloudflare:workers";
