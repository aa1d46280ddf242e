/**
 * Which gangs of a gang group are needed, where it can do without some.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { Fit } from "./fit.ts";
import { countFromOne, filledText, gangId, isUnique, list, text } from "./values.ts";
import * as z from "./zod.ts";

const Composite = z.named(
  "Composite",
  z.object(() => ({
    name: text,
    within: z.described(z.optional(text), "One of those before it; absent: it is at the top"),
    min: z.described(
      z.optional(countFromOne),
      "So many of the gangs and composites in it are needed; absent: all",
    ),
    gangs: list(gangId, limits.groupGangs),
  })),
  "A CompositePodGroup",
);

/** The tree that they make. */
export const Composites = list(Composite, limits.groupComposites).check(
  z.refine((all) => isUnique(all.map(({ name }) => name)), {
    error: "must name each composite once",
    abort: true,
  }),
  z.refine((all) => isUnique(all.flatMap(({ gangs }) => gangs)), {
    error: "must name each gang once",
  }),
  z.refine(
    (all) =>
      all.every(({ within }, index) =>
        within === undefined || all.slice(0, index).some(({ name }) => name === within)
      ),
    { error: "must name each composite after the one that it is within" },
  ),
);

/** What is left out, and what it lacks. */
export const LeftOut = list(
  z.object(() => ({
    part: z.described(
      filledText(limits.gangId),
      "A gang, as namespace/name, or the name of a composite",
    ),
    fit: z.optional(Fit),
  })),
  limits.groupGangs,
);
