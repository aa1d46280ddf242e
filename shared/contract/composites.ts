/**
 * Which gangs of a gang group are needed, where it can do without some.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { Fit } from "./fit.ts";
import { countFromOne, filledText, gangId, isUnique, list, text } from "./values.ts";
import * as v from "./valibot.ts";

const Composite = v.named(
  "Composite",
  v.object({
    name: text,
    within: v.described(v.optional(text), "One of those before it; absent: it is at the top"),
    min: v.described(
      v.optional(countFromOne),
      "So many of the gangs and composites in it are needed; absent: all",
    ),
    gangs: list(gangId, limits.groupGangs),
  }),
  "A CompositePodGroup",
);

/** The tree that they make. */
export const Composites = v.pipe(
  list(Composite, limits.groupComposites),
  v.check((all) => isUnique(all.map(({ name }) => name)), "must name each composite once"),
  v.check((all) => isUnique(all.flatMap(({ gangs }) => gangs)), "must name each gang once"),
  v.check(
    (all) =>
      all.every(({ within }, index) =>
        within === undefined || all.slice(0, index).some(({ name }) => name === within)
      ),
    "must name each composite after the one that it is within",
  ),
);

/** What is left out, and what it lacks. */
export const LeftOut = list(
  v.object({
    part: v.described(
      filledText(limits.gangId),
      "A gang, as namespace/name, or the name of a composite",
    ),
    fit: v.optional(Fit),
  }),
  limits.groupGangs,
);
