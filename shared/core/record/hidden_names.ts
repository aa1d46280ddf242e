/**
 * Recordings without names: whatever is not a number, or a word that Muster itself says, is replaced by what stands for it.
 *
 * @module
 */
import { reasons } from "../words/reason.ts";

/** Gives the same for the same word, and nothing that leads back to it. */
export type Digest = (word: string) => string;

/** What these say is one of a few words, a time, or a resource. */
const fieldsKept = new Set([
  "is",
  "reason",
  "phase",
  "verdict",
  "stage",
  "cause",
  "mode",
  "matchPolicy",
  "type",
  "scope",
  "source",
  "resource",
  "shortOf",
  "createdAt",
  "startedAt",
  "failedAt",
  "deadline",
  "since",
  "counts",
  "~",
]);

const words = new Set([
  ...reasons,
  ...["FunctionsUnreachable", "FactsRefused", "JustSeen", "JustLost", "Surplus", "LetGo"],
  ...["GroupEvicts", "NoPlace", "Replanned", "NotOffered", "PlannedElsewhere"],
  ...["none", "strict", "planned", "domain", "minResources"],
  ...["Unschedulable", "SchedulingGated", "Normal", "Warning", "Muster"],
  ...`ask prefilter permit postfilter unreserve release bind poke rouse park say nominate unnominate evict tell count about wake in look forget throw
    allow wait reject a an and all are as at be been before behind by can could each else find finds fit fits for free from
    gang gangs group has have held higher into is it its last least let go lost made may member members minMember missing more
    most needs no node nodes not of on one only or other others pending pod pods policy preempted priority put quorum ready room
    round seconds s short since so still than that the them there they this time timed to together tried try until up waits
    waiting was were which while whole who will with without would yet functions do answer answers`
    .split(/\s+/),
]);

const word = /[\p{L}\p{N}]+(?:[._-]+[\p{L}\p{N}]+)*/gu;
const number = /^\d+(\.\d+)?$/;

/** Any content of a line, without names. */
export function withoutNames(content: unknown, digest: Digest): unknown {
  const hide = (text: string) =>
    text.replace(word, (each) => words.has(each) || number.test(each) ? each : digest(each));
  const hideIn = (value: unknown, field = ""): unknown => {
    if (typeof value === "string") return fieldsKept.has(field) ? value : hide(value);
    if (Array.isArray(value)) return value.map((item) => hideIn(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        fieldNames.test(name) ? name : hide(name),
        hideIn(item, name),
      ]),
    );
  };
  return hideIn(content);
}

/** A name as this project gives fields; names of gangs have a slash, and UIDs dashes. */
const fieldNames = /^(~|[a-z]+([A-Z][a-z]*)*)$/;
