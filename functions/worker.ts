/**
 * The edge entry: all stages, and the classes of the durable objects they ask.
 *
 * @module
 */
import { policy } from "./policy.ts";

export { GangObject } from "../shared/store/gang_object.ts";
export { IndexObject } from "../shared/store/index_object.ts";

export default policy;
