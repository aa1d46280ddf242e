/**
 * Which gang groups the nodes could never take, remembered for as long as the nodes stay as they are.
 *
 * @module
 */
import type { Impossible } from "../gang/facts.ts";
import { copyOf, type Room, take } from "../room/fit.ts";
import { impossible } from "../room/fit_impossible.ts";
import { type Demand, ownOf } from "./demand.ts";

/** Shapes of demands that are remembered. */
const rememberedShapes = 1000;

type Answers = Map<string, Impossible | undefined>;

/** By what the nodes have, and by the shape of what a group needs. */
const known = new WeakMap<Room, Answers>();

/** Why the nodes could never take what a group needs beside its members that have a node; undefined where they may. */
export function impossibleFor(
  demands: readonly Demand[],
  { capacity, shape }: { capacity: Room; shape: string },
): Impossible | undefined {
  const needs = demands.map((demand) => ({ ...demand, own: ownOf(demand) }));
  const placed = demands.flatMap((demand) => demand.placed);
  if (placed.length > 0) {
    const rest = copyOf(capacity);
    for (const { node, requests } of placed) take(rest, node, { requests });
    return impossible(needs, rest);
  }
  const answers = answersOn(capacity);
  if (!answers.has(shape)) answers.set(shape, impossible(needs, capacity));
  return answers.get(shape);
}

function answersOn(capacity: Room): Answers {
  const answers = known.get(capacity);
  if (answers && answers.size < rememberedShapes) return answers;
  const none: Answers = new Map();
  known.set(capacity, none);
  return none;
}
