/**
 * From a stage's call to the object of its gang group, and from there to the index.
 *
 * @module
 */
import type { Admission, Decision } from "../core/stage/decision.ts";
import { type Group, groupId } from "../core/gang/facts.ts";
import type { PrefilterEvent } from "../core/stage/prefilter.ts";
import type { DurableObjectStub } from "../store/embedded/types.ts";
import type { Answered, GangObject } from "../store/gang_object.ts";
import type { IndexObject } from "../store/index_object.ts";
import { afterAnswer } from "./stage_app.ts";
import type { StageCall } from "./stage_env.ts";

/** Asks the group's object, and updates the index after the answer. */
export async function askGroup<Answer extends Admission | Decision>(
  c: StageCall,
  group: Group,
  call: (object: DurableObjectStub<GangObject>) => Promise<Answered<Answer>>,
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
  const { answer, isOld } = await ask(c, group, (object) => object.prefilter(event));
  if (!settings.gangSwitch || answer.verdict === "reject" || isOld) return answer;
  const name = groupName(group);
  const askAgain = await indexObject(c).switchTo(name);
  if (askAgain === undefined) return answer;
  await groupObject(c, askAgain).abandon(name);
  await groupObject(c, name).keepAskAgain(group.relay, askAgain);
  return { ...answer, askAgain };
}

async function ask<Answer extends Admission | Decision>(
  c: StageCall,
  group: Group,
  call: (object: DurableObjectStub<GangObject>) => Promise<Answered<Answer>>,
): Promise<Answered<Answer>> {
  const name = groupName(group);
  const answered = await call(groupObject(c, name));
  const index = indexObject(c);
  if (answered.gone) afterAnswer(c, index.forget(name));
  else if (answered.lines.length > 0) {
    afterAnswer(c, index.record(answered.lines, c.var.settings));
  }
  if (group.resources) afterAnswer(c, index.keepResources(group.resources));
  return answered;
}

/** The object of a gang group, by its canonical name. */
export function groupObject(c: StageCall, group: string): DurableObjectStub<GangObject> {
  return c.var.store.GANGS.getByName(`${c.var.cluster}|${group}`);
}

/** The index of the cluster that speaks. */
export function indexObject(c: StageCall): DurableObjectStub<IndexObject> {
  return c.var.store.INDEX.getByName(c.var.cluster);
}

/** The canonical name of the group that the facts are about. */
export function groupName(group: Group): string {
  return groupId({ ...group.gangs[0]!.gang, groups: namedGangs(group) });
}

function namedGangs(group: Group): string[] {
  return group.gangs.flatMap((
    { gang },
  ) => [...(gang.groups ?? []), `${gang.namespace}/${gang.name}`]);
}
