/**
 * From a stage's call to the object of its gang group, and from there to the index.
 *
 * @module
 */
import type { Admission, Decision } from "../core/stage/decision.ts";
import { gangId, type Group, groupName } from "../core/gang/facts.ts";
import { runPattern } from "../core/gang/run_pattern.ts";
import type { RunTime } from "../core/gang/run_time.ts";
import type { PrefilterEvent } from "../core/stage/prefilter.ts";
import type { DurableObjectStub } from "../store/embedded/types.ts";
import type { Answered, GangObject } from "../store/gang_object.ts";
import type { IndexObject } from "../store/index_object.ts";
import { log } from "./log.ts";
import type { StageCall } from "./stage_env.ts";

/** Calls a group's object with what it needs of the facts. */
type CallOf<Answer extends Admission | Decision> = (
  object: DurableObjectStub<GangObject>,
  group: Group,
) => Promise<Answered<Answer>>;

/** Asks the group's object, and updates the index after the answer. */
export async function askGroup<Answer extends Admission | Decision>(
  c: StageCall,
  group: Group,
  call: CallOf<Answer>,
): Promise<Answer> {
  return (await ask(c, group, call)).answer;
}

/**
 * Asks prefilter. Gang switch (S0): when a gang group is let in, the one that came before it fails where it is
 * incomplete, and is to be asked about anew.
 */
export async function askPrefilter(
  c: StageCall,
  event: PrefilterEvent,
): Promise<Admission> {
  const { group, settings } = event;
  const [{ answer: admission, isOld }, runTimes] = await Promise.all([
    ask(c, group, (object, group) => object.prefilter({ ...event, group })),
    learntRunTimes(c, group),
  ]);
  const answer = { ...admission, ...(runTimes && { runTimes }) };
  if (!settings.gangSwitch || answer.verdict === "reject" || isOld) return answer;
  const name = groupName(group);
  const askAgain = await indexObject(c).switchTo(name);
  if (askAgain === undefined) return answer;
  await groupObject(c, askAgain).abandon(name);
  await groupObject(c, name).keepAskAgain(group.relay, askAgain);
  return { ...answer, askAgain };
}

/** How long gangs ran that are like those whose times ask for it. */
async function learntRunTimes(
  c: StageCall,
  { gangs, times = {} }: Group,
): Promise<Record<string, RunTime> | undefined> {
  const asking = gangs.flatMap(({ gang }) => {
    const id = gangId(gang);
    return times[id]?.asks ? [{ id, pattern: runPattern(gang, times[id].owner) }] : [];
  });
  if (asking.length === 0) return undefined;
  const known = new Map(await indexObject(c).runTimes(asking.map(({ pattern }) => pattern)));
  return Object.fromEntries(
    asking.flatMap(({ id, pattern }) => known.has(pattern) ? [[id, known.get(pattern)!]] : []),
  );
}

async function ask<Answer extends Admission | Decision>(
  c: StageCall,
  facts: Group,
  call: CallOf<Answer>,
): Promise<Answered<Answer>> {
  // What is shown of the whole cluster is the index's alone, and large: each object that is called has a copy made.
  const { resources, map, ...group } = facts;
  const name = groupName(group);
  const answered = await call(groupObject(c, name), group);
  const index = indexObject(c);
  const shown = { ...(resources && { resources }), ...(map && { map }) };
  // Of one time: what is shown of the cluster is never older than what is shown of gangs.
  if (answered.gone) afterAnswer(c, index.forget(name, answered.gone, shown));
  else if (answered.lines.length > 0) {
    const { lines, ended } = answered;
    afterAnswer(c, index.record(lines, c.var.settings, { ended, ...shown }));
  }
  return answered;
}

/** Updates the index after the answer, off its path. */
function afterAnswer(c: StageCall, update: Promise<unknown>): void {
  const logged = update.catch((error) => {
    log("error", `Cannot update the index: ${error.message}`);
  });
  try {
    c.executionCtx.waitUntil(logged);
  } catch {
    // Outside of a Worker there is no execution context, and the process keeps running by itself.
  }
}

/** The object of a gang group, by its canonical name. */
export function groupObject(c: StageCall, group: string): DurableObjectStub<GangObject> {
  return c.var.store.GANGS.getByName(`${c.var.cluster}|${group}`);
}

/** The index of the cluster that speaks. */
export function indexObject(c: StageCall): DurableObjectStub<IndexObject> {
  return c.var.store.INDEX.getByName(c.var.cluster);
}
