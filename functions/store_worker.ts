/**
 * The edge entry of the gang store alone, for stages that are deployed one by one: the classes of the durable objects.
 *
 * @module
 */
export { GangObject } from "../shared/store/gang_object.ts";
export { IndexObject } from "../shared/store/index_object.ts";

/** Nothing is served: other Workers reach the objects through their bindings. */
export default { fetch: (): Response => new Response(null, { status: 404 }) };
