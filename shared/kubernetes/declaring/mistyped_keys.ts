/**
 * Annotations and labels that begin as Muster's own do and are none of them.
 *
 * @module
 */
import { quoted } from "../../core/words/text.ts";
import { disruptionKey } from "./declared_disruption.ts";
import { runTimeKeys } from "./declared_run_time.ts";
import { own, topologyKeys } from "./declared_topology.ts";
import { roleKey, roleKeys } from "./role_texts.ts";
import type { ObjectMeta } from "../types.ts";

/** What pods and PodGroups may say, and what Muster writes itself. */
const known: ReadonlySet<string> = new Set([
  ...Object.values(topologyKeys),
  ...Object.values(roleKeys),
  ...Object.values(runTimeKeys),
  ...[roleKey, disruptionKey, `${own}poked`],
]);

/** So many are told of. */
const most = 4;

/** What is wrong with those of these objects, for messages. */
export function mistypedKeys(objects: readonly ObjectMeta[]): string[] {
  const texts = objects.flatMap(({ annotations = {}, labels = {} }) => [
    ...mistypedIn(annotations).map((key) => `annotation ${quoted(key)}`),
    ...mistypedIn(labels).map((key) => `label ${quoted(key)}`),
  ]);
  return texts.slice(0, most).map((text) =>
    `${text} is none that Muster knows: it is not used, so see whether its name is right`
  );
}

function mistypedIn(texts: Readonly<Record<string, string>>): string[] {
  return Object.keys(texts).filter((key) => key.startsWith(own) && !known.has(key));
}
