/**
 * What is known of one gang.
 *
 * @module
 */
import type { Context } from "hono";
import type { GangDetail } from "../contract/types.ts";
import { whatHelps } from "../core/words/why_pending.ts";
import { groupObject, indexObject } from "./group_store.ts";
import type { StageEnv } from "./stage_env.ts";

/** A gang by its `namespace/name`: what the index knows, and the story that its group's object tells; undefined for one not known. */
export async function gangDetail(
  c: Context<StageEnv>,
  id: string,
): Promise<GangDetail | undefined> {
  const known = await indexObject(c).find(id);
  if (!known) return undefined;
  const { line, ...queued } = known;
  const story = await groupObject(c, line.summary.group).describe(id);
  const help = whatHelps(story?.reason ?? line.summary.reason);
  return {
    spec: line.spec,
    decisions: [],
    ...line.summary,
    ...queued,
    ...(help !== undefined && { help }),
    ...story,
  };
}
