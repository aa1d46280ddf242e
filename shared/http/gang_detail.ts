/**
 * What is known of one gang.
 *
 * @module
 */
import type { Context } from "hono";
import type { GangDetail } from "../contract/types.ts";
import { whatHelps } from "../core/words/what_helps.ts";
import type { EndedGang } from "../store/kept_group.ts";
import { groupObject, indexObject } from "./group_store.ts";
import type { StageEnv } from "./stage_env.ts";

/**
 * A gang by its `namespace/name`: what the index knows, and the story that its group's object tells; of one that is gone the
 * last that was known; undefined for one not known.
 */
export async function gangDetail(
  c: Context<StageEnv>,
  id: string,
): Promise<GangDetail | undefined> {
  const index = indexObject(c);
  const [known, gone] = await Promise.all([index.find(id), index.ended(id)]);
  if (!known) {
    const [last, ...before] = gone;
    return last && { ...last, ...earlier(before) };
  }
  const { line, ...queued } = known;
  const story = await groupObject(c, line.summary.group).describe(id);
  const help = whatHelps(story?.reason ?? line.summary.reason, id);
  return {
    spec: line.spec,
    decisions: [],
    ...line.summary,
    ...queued,
    ...(help !== undefined && { help }),
    ...story,
    ...earlier(gone),
  };
}

function earlier(gone: readonly EndedGang[]): Pick<GangDetail, "earlier"> {
  return gone.length > 0 ? { earlier: gone.map(({ ended }) => ended) } : {};
}
