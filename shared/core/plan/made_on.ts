/**
 * What plans were made on. They carry it: of a `WeakMap` that had thousands of plans, which come and go, V8 was busy for 50 to
 * 180 ms at a time.
 *
 * @module
 */
import { type MadeOn, madeOn, type Plan } from "./plan.ts";

/** The plan, which was made on these nodes, by these settings. */
export function withMadeOn(plan: Plan, made: MadeOn): Plan {
  return isMadeOn(plan, made) ? plan : { ...plan, [madeOn]: made };
}

/** Whether no node has come, gone, or been labelled or tainted otherwise since, and gangs are counted alike. */
export function isMadeOn({ [madeOn]: made }: Plan, { nodes, settings }: MadeOn): boolean {
  return made !== undefined && made.nodes === nodes &&
    made.settings.matchPolicy === settings.matchPolicy;
}
